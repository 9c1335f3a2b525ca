/**
 * The output of a job's ranks: the kept lines of each stream, the lines already shown, and those on the terminal. Each
 * byte is shown once.
 *
 * <p>{@link org.posthouse.launch.output.RankOutput} and {@link org.posthouse.launch.output.OutputJournal} are the
 * entries. A journal belongs to the thread that pumps its stream.
 */
package org.posthouse.launch.output;
