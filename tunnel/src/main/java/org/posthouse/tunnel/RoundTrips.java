package org.posthouse.tunnel;

import java.util.Arrays;

/**
 * How far a relay is: of the last pings the shortest, since all others may have waited behind something. They are as many as a minute has, by default: so a link that is in use is not
 * taken for a longer one than another that is not. Confined to its link.
 */
final class RoundTrips {
    static final int NONE = -1;

    private final int[] micros = new int[20];
    private int next;
    private int count;

    void add(long roundTripMicros) {
        micros[next] = (int) Math.min(Integer.MAX_VALUE, roundTripMicros);
        next = (next + 1) % micros.length;
        count = Math.min(micros.length, count + 1);
    }

    /** In microseconds; {@link #NONE} before the first. */
    int least() {
        return Arrays.stream(micros).limit(count).min().orElse(NONE);
    }

    void clear() {
        next = 0;
        count = 0;
    }
}
