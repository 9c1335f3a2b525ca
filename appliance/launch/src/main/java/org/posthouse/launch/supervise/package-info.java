/**
 * Supervision of a running job: the state of each rank, restarts, lost relays, deadlocks, timers, and the decision how
 * the job ends.
 *
 * <p>{@link org.posthouse.launch.supervise.JobSupervisor} is confined to the job's thread and decides on signals. It
 * starts no process and opens no file.
 */
package org.posthouse.launch.supervise;
