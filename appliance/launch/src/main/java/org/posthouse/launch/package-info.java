/**
 * Starts jobs and sees them to their end: forks the ranks, tags their output, watches them and their relays, starts
 * those of logged jobs again, and leaves no process behind.
 *
 * <p>A {@link org.posthouse.launch.JobRun} belongs to the thread that runs it; everything else only tells it what
 * happened. The command and the benches call this room. It speaks to relays as any launcher does, over the wire.
 */
package org.posthouse.launch;
