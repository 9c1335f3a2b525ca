package org.posthouse.tunnel;

import java.util.Arrays;

/** How far a relay is: of the last three pings the shortest, since one may have waited behind something. Confined to its link. */
final class RoundTrips {
    static final int NONE = -1;

    private final int[] micros = new int[3];
    private int count;

    void add(long roundTripMicros) {
        micros[count++ % micros.length] = (int) Math.min(Integer.MAX_VALUE, roundTripMicros);
    }

    /** In microseconds; {@link #NONE} before the first. */
    int least() {
        return Arrays.stream(micros).limit(count).min().orElse(NONE);
    }

    void clear() {
        count = 0;
    }
}
