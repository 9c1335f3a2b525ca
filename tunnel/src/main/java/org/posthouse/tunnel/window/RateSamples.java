package org.posthouse.tunnel.window;

import java.util.Arrays;

/** Transmission times of frames, and their bytes. Pure; confined to its governor. */
final class RateSamples {
    /** Maximum number of samples; more add no information. */
    private static final int COUNT_MAX = 64;

    /** Minimum number of samples; the median of fewer is close to the shortest. */
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

    /** The median, the shorter of two. There must be a sample. */
    long medianNanos() {
        Arrays.sort(nanos, 0, count);
        return nanos[(count - 1) / 2];
    }

    /** The average bytes of a frame. There must be a sample. */
    int frameBytes() {
        return (int) (bytes / count);
    }
}
