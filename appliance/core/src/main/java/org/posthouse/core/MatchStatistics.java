package org.posthouse.core;

/**
 * Counts and waiting times of the matches of a core since its start.
 *
 * @param matched messages matched to a receive
 * @param stored messages that had to wait for their receive
 * @param pushed messages pushed to their ranks before a receive was posted for them
 * @param messageWaits times that matched messages had waited for a receive
 * @param receiveWaits times that matched receives had waited for a message
 */
public record MatchStatistics(long matched, long stored, long pushed, Latencies messageWaits, Latencies receiveWaits) {}
