package org.posthouse.launch.job;

/**
 * A process that followed its rank and ended before the rank did ({@code --replicas}).
 *
 * @param rank which
 * @param process its number among those of its rank
 * @param cause its end, for people
 */
public record FollowerLoss(int rank, int process, String cause) {}
