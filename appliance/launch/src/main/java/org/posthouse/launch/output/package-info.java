/**
 * The output of a job's ranks: what is kept of each stream, what has been shown, and the lines on the terminal. Each
 * byte is shown once.
 *
 * <p>{@link org.posthouse.launch.output.RankOutput} and {@link org.posthouse.launch.output.OutputJournal} are the
 * entries. A journal belongs to the thread that pumps its stream.
 */
package org.posthouse.launch.output;
