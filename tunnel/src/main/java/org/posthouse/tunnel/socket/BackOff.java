package org.posthouse.tunnel.socket;

import java.util.random.RandomGenerator;

/**
 * The delays between attempts. They double from the first to the longest, and each is drawn from its upper half. So
 * relays that lost a peer together do not reconnect together. Confined to its dialler.
 */
public final class BackOff {
    private final int msMin;
    private final int msMax;
    private final RandomGenerator random;
    private long ms;

    public BackOff(int msMin, int msMax, RandomGenerator random) {
        this.msMin = msMin;
        this.msMax = msMax;
        this.random = random;
        this.ms = msMin;
    }

    /** The next delay: at least half of its step, at most the longest, never less than 1 ms. */
    public long nextMs() {
        long half = Math.max(1, ms / 2);
        long drawn = half + random.nextLong(Math.max(1, ms - half + 1));
        ms = Math.min(2 * ms, msMax);
        return Math.min(drawn, msMax);
    }

    /** Resets the delay after a useful attempt. */
    public void reset() {
        ms = msMin;
    }
}
