/**
 * The processes of a job's ranks: starts and kills them, ends those that a signal has stopped, and leaves none behind.
 *
 * <p>{@link org.posthouse.launch.process.ProcessRankHost} is the entry, called by the job's thread. A {@link
 * org.posthouse.launch.process.ProcessStarter} starts the processes, on this host or on nodes.
 */
package org.posthouse.launch.process;
