/**
 * The vocabulary of a job: its specification, the signals to its thread, restarts, losses, outcome and status report.
 *
 * <p>All other packages of the launcher use these types, so all are exported. Most are immutable; {@link
 * org.posthouse.launch.job.RankNotes} belongs to the job's thread.
 */
package org.posthouse.launch.job;
