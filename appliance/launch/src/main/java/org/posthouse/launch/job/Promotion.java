package org.posthouse.launch.job;

/**
 * A follower that leads its rank in place of another process ({@code --replicas}).
 *
 * @param rank which
 * @param process the number with which the follower was started
 * @param number its number from then on, which its relay gave it; if the rank had called Finalize, the higher one of the two leaders'
 * @param before the number with which the process was started that led before; 0 if none did
 * @param behind number of observations that it had not made yet
 * @param atNs when the launcher heard of it, by {@link System#nanoTime}
 */
public record Promotion(int rank, int process, int number, int before, long behind, long atNs) {}
