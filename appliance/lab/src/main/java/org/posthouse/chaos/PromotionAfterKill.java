package org.posthouse.chaos;

/**
 * A follower that leads in the place of a process that was killed.
 *
 * @param process the number with which it was started
 * @param behind number of observations that it had not made yet
 * @param ledNs from the kill until the launcher heard that it leads
 */
record PromotionAfterKill(int process, long behind, long ledNs) {}
