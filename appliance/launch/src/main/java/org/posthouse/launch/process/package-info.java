/**
 * The processes of a job's ranks: starts and kills them, ends those that a signal has stopped, and leaves none behind.
 *
 * <p>{@link org.posthouse.launch.process.RankProcesses} is the entry, called by the job's thread.
 */
package org.posthouse.launch.process;
