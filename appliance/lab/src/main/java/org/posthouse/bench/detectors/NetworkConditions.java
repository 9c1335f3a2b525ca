package org.posthouse.bench.detectors;

/**
 * What hosts and network of a simulation are like.
 *
 * @param sites among which the hosts are divided
 * @param delayNanos one way between two sites
 * @param loss share of messages that are lost
 * @param pauseNanos for which a host or a relay stands still now and then
 * @param pauseEveryNanos mean time of a host, and of a relay, between two pauses; 0: there are none
 * @param drift most by which clocks run too fast or too slow
 */
record NetworkConditions(int sites, long delayNanos, double loss, long pauseNanos, long pauseEveryNanos, double drift) {
    /** One way within a site, without what varies. */
    static final long SITE_NANOS = 200_000;

    /** What the delay of a message varies by: from 0 to this share of it. */
    static final double JITTER = 0.2;

    /** The longest delay of a message. */
    long delayNanosMax() {
        return (long) ((sites > 1 ? delayNanos + SITE_NANOS : SITE_NANOS) * (1 + JITTER));
    }
}
