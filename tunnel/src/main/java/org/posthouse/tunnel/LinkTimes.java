package org.posthouse.tunnel;

import java.util.Arrays;

/** How long frames took, of a round or of its beginning, and how long they were. Pure; confined to its governor. */
final class LinkTimes {
    /** More say nothing new. */
    private static final int COUNT_MAX = 64;

    private final long[] nanos = new long[COUNT_MAX];
    private int count;
    private long bytes;

    void add(long tookNanos, int frameBytes) {
        if (count < COUNT_MAX) {
            nanos[count++] = tookNanos;
            bytes += frameBytes;
        }
    }

    void clear() {
        count = 0;
        bytes = 0;
    }

    int count() {
        return count;
    }

    /** The median, of two the shorter. There must be one. */
    long medianNanos() {
        Arrays.sort(nanos, 0, count);
        return nanos[(count - 1) / 2];
    }

    /** The average. There must be one. */
    int frameBytes() {
        return (int) (bytes / count);
    }
}
