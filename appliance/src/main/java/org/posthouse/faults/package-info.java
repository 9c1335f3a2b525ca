/**
 * Fault injection for one job: {@link org.posthouse.faults.FaultInjector} kills its ranks, relays and launchers at set
 * moments, and {@link org.posthouse.faults.ResultCheck} reads from the job's output whether its result is right. It kills
 * only processes that this process has started. The demo and the campaigns of {@code posthouse chaos} use it.
 */
package org.posthouse.faults;
