package org.posthouse.chaos;

/**
 * A run without kills.
 *
 * @param totalMs from its start to its end
 * @param connectedMs from its start until every rank's program had called Init
 * @param outLines how many lines it printed
 */
record Baseline(long totalMs, long connectedMs, long outLines) {}
