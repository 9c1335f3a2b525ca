package org.posthouse.core;

import java.util.Arrays;

/**
 * A histogram of durations, with fixed buckets: 1, 2 and 5 of each decade from 10 µs to 10 s, and one for longer
 * durations. Confined to its owner, which hands copies to others. Recording allocates nothing.
 */
public final class Latencies {
    private static final long NANOS_FIRST = 10_000;
    private static final long NANOS_LAST = 10_000_000_000L;
    private static final long[] BOUNDS_NANOS = bounds();

    private final long[] counts = new long[BOUNDS_NANOS.length + 1];
    private long sumNanos;

    private static long[] bounds() {
        long[] bounds = new long[64];
        int count = 0;
        for (long decade = NANOS_FIRST; decade < NANOS_LAST; decade *= 10) {
            bounds[count++] = decade;
            bounds[count++] = 2 * decade;
            bounds[count++] = 5 * decade;
        }
        bounds[count++] = NANOS_LAST;
        return Arrays.copyOf(bounds, count);
    }

    /** Buckets, the last of which has no upper bound. */
    public static int buckets() {
        return BOUNDS_NANOS.length + 1;
    }

    /** The upper bound of a bucket other than the last, inclusive. */
    public static long boundNanos(int bucket) {
        return BOUNDS_NANOS[bucket];
    }

    public void record(long nanos) {
        int bucket = 0;
        while (bucket < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[bucket]) {
            bucket++;
        }
        counts[bucket]++;
        sumNanos += nanos;
    }

    /** Number of durations in this bucket and in no lower one. */
    public long count(int bucket) {
        return counts[bucket];
    }

    public long sumNanos() {
        return sumNanos;
    }

    /** Adds the counts of another histogram. */
    public void add(Latencies other) {
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] += other.counts[bucket];
        }
        sumNanos += other.sumNanos;
    }

    public Latencies copy() {
        Latencies copy = new Latencies();
        copy.add(this);
        return copy;
    }
}
