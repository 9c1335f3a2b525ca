/**
 * Campaigns: a logged job runs again and again while ranks of it, relays and launchers are killed with SIGKILL at seeded
 * moments, and has to verify each time. What is killed is only ever a process that this one has started. {@link org.posthouse.chaos.Campaign} and what it is made of
 * is for the command; {@link org.posthouse.chaos.Executioner} and {@link org.posthouse.chaos.Verification} are for the demo as well.
 */
package org.posthouse.chaos;
