package org.posthouse.core;

import java.util.stream.LongStream;

/**
 * Which seeds a property test runs: a fixed number of them, or the one that {@code -Dposthouse.seed=N} names, to see a
 * failure again.
 */
public final class SeededRuns {
    private static final Long ONE = Long.getLong("posthouse.seed");
    private static final long TIMES = Long.getLong("posthouse.seeds.times", 1);

    private SeededRuns() {}

    /** Whether one seed is named, so that figures of many say nothing. */
    public static boolean isOne() {
        return ONE != null;
    }

    /** One run of a property. */
    public interface Run {
        void run(long seed) throws Exception;
    }

    /** Runs {@code property} for seeds 1 to {@code count}; {@code -Dposthouse.seeds.times=N} runs N times as many. */
    public static void each(long count, Run property) {
        LongStream seeds = ONE == null ? LongStream.rangeClosed(1, count * TIMES) : LongStream.of(ONE);
        seeds.forEach(seed -> {
            try {
                property.run(seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + " (again with -Dposthouse.seed=" + seed + "): " + e, e);
            }
        });
    }
}
