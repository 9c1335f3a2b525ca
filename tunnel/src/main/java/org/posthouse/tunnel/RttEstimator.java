package org.posthouse.tunnel;

import java.util.Arrays;

/**
 * The round trip to a relay: the shortest of the last pings, because all others may have waited behind other data. By
 * default the pings of a minute count, so a busy link does not seem longer than an idle one. Confined to its link.
 */
final class RttEstimator {
    static final int NONE = -1;

    private final int[] micros = new int[20];
    private int next;
    private int count;

    void add(long roundTripMicros) {
        micros[next] = (int) Math.min(Integer.MAX_VALUE, roundTripMicros);
        next = (next + 1) % micros.length;
        count = Math.min(micros.length, count + 1);
    }

    /** In microseconds; {@link #NONE} before the first ping. */
    int least() {
        return Arrays.stream(micros).limit(count).min().orElse(NONE);
    }

    void clear() {
        next = 0;
        count = 0;
    }
}
