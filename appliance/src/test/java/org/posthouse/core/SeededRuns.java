package org.posthouse.core;

import java.util.stream.LongStream;

/**
 * Which seeds a property test runs: a fixed number of them, or the one that {@code -Dposthouse.seed=N} names, to see a
 * failure again. A search begins at {@code -Dposthouse.seeds.from=N} and goes on until {@code -Dposthouse.seeds.failures=N} have failed.
 */
public final class SeededRuns {
    private static final Long ONE = Long.getLong("posthouse.seed");
    private static final long TIMES = Long.getLong("posthouse.seeds.times", 1);
    private static final long FROM = Long.getLong("posthouse.seeds.from", 1);
    private static final int FAILURES_MAX = Integer.getInteger("posthouse.seeds.failures", 1);

    private SeededRuns() {}

    /** Whether one seed is named, so that figures of many say nothing. */
    public static boolean isOne() {
        return ONE != null;
    }

    /** One run of a property. */
    public interface Run {
        void run(long seed) throws Exception;
    }

    /** Runs {@code property} for {@code count} seeds, from 1 on; {@code -Dposthouse.seeds.times=N} runs N times as many. */
    public static void each(long count, Run property) {
        LongStream seeds = ONE == null ? LongStream.range(FROM, FROM + count * TIMES) : LongStream.of(ONE);
        AssertionError first = null;
        int failures = 0;
        for (long seed : seeds.toArray()) {
            try {
                property.run(seed);
            } catch (Exception | AssertionError e) {
                AssertionError failure = new AssertionError("seed " + seed + " (again with -Dposthouse.seed=" + seed + "): " + e, e);
                first = first == null ? failure : first;
                if (FAILURES_MAX > 1) {
                    System.out.println(failure.getMessage().lines().findFirst().orElseThrow());
                }
                if (++failures >= FAILURES_MAX) {
                    throw first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
