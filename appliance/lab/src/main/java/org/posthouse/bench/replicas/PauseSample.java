package org.posthouse.bench.replicas;

/**
 * The pause of one killed rank.
 *
 * @param pauseMs from the kill until the other rank had the answer that it waited for
 * @param knownMs if a follower leads, from the kill until the launcher knew so; else from the first sign of the process's end until the
 *     launcher knew of that
 * @param startedMs from the start of the next process until its Init; 0 if a follower leads
 * @param behind observations that the follower had not made; or deliveries that were replayed
 */
record PauseSample(double pauseMs, double knownMs, double startedMs, long behind) {}
