package org.posthouse.launch.process;

/**
 * A request to start a process of a rank.
 *
 * @param rank world rank
 * @param incarnation the number of the process among those of its rank, from 1
 * @param way the rank's way to its home relay
 * @param marks the secret of the marks in its output, 16 hex digits; null if nothing reads them
 * @param hasInput whether it reads the job's standard input
 * @param follows whether it follows the rank's leader
 */
public record ProcessRequest(int rank, int incarnation, RelayEndpointAddress way, String marks, boolean hasInput, boolean follows) {}
