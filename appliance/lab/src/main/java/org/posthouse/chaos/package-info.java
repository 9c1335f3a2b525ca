/**
 * Campaigns: a logged job runs again and again while ranks of it, relays and launchers are killed with SIGKILL at seeded
 * moments, and has to verify each time. {@link org.posthouse.faults.FaultInjector} kills, and only processes that this one
 * has started. {@link org.posthouse.chaos.Campaign} and what it is made of is for the command.
 */
package org.posthouse.chaos;
