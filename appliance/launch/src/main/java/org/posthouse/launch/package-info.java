/**
 * Runs a job from its start to its end: connects to its relays, starts its ranks, lets the supervisor decide on all
 * signals, and leaves no process behind. The parts are in the packages below.
 *
 * <p>A {@link org.posthouse.launch.JobRun} belongs to the thread that runs it; all other parts only send it events. The
 * command and the benches call this package. It speaks to relays as any launcher does, over the wire.
 */
package org.posthouse.launch;
