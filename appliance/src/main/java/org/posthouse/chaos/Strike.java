package org.posthouse.chaos;

/**
 * A kill to come.
 *
 * @param rank whose process; if none runs then, the next rank's that has one
 * @param fromInit whether time begins when every rank's program has called Init; else when the job is started
 * @param afterMs how long after that
 */
public record Strike(int rank, boolean fromInit, long afterMs) {}
