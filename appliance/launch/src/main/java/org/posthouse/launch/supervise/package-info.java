/**
 * Supervision of a running job: the state of each rank, restarts, lost relays, deadlocks, timers, and the decision on
 * the job's end.
 *
 * <p>{@link org.posthouse.launch.supervise.JobSupervisor} is the entry. It is confined to the job's thread and
 * decides on signals. It opens no file, and it starts processes by a {@link org.posthouse.launch.supervise.RankHost} only.
 */
package org.posthouse.launch.supervise;
