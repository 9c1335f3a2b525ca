package org.posthouse.chaos;

/**
 * A kill that was carried out.
 *
 * @param rank whose process
 * @param incarnation which of the rank's processes, from 1
 * @param atNs how long after the job's start
 */
public record Kill(int rank, int incarnation, long atNs) {}
