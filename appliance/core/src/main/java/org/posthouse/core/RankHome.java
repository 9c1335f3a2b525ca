package org.posthouse.core;

/**
 * Where a rank of an open job is at home.
 *
 * @param relay its home relay
 * @param isInLog whether the job is in the logs of its relays, so that its ranks outlive them
 */
public record RankHome(String relay, boolean isInLog) {}
