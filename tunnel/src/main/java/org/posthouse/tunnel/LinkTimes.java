package org.posthouse.tunnel;

import java.util.Arrays;

/** How long frames took, and how many bytes they had. Pure; confined to its governor. */
final class LinkTimes {
    /** More say nothing new. */
    private static final int COUNT_MAX = 64;

    /** The median of fewer is next to the shortest. */
    private static final int ENOUGH = 8;

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

    boolean isEmpty() {
        return count == 0;
    }

    boolean areEnough() {
        return count >= ENOUGH;
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
