/**
 * Campaigns: a logged job runs again and again while ranks of it, relays and launchers are killed with SIGKILL at seeded
 * moments, and has to verify each time. {@link org.posthouse.faults.FaultInjector} kills only processes that this one
 * has started. The command calls {@link org.posthouse.chaos.Campaign} and its parts.
 */
package org.posthouse.chaos;
