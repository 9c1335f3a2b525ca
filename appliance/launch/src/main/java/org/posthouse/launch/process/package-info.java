/**
 * The processes of a job's ranks: starts and kills them, ends those that a signal has stopped, and leaves none behind.
 *
 * <p>{@link org.posthouse.launch.process.LocalRankHost} is the entry, called by the job's thread. It runs the
 * processes on this host.
 */
package org.posthouse.launch.process;
