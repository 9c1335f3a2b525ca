package org.posthouse.testkit;

import static org.assertj.core.api.Assertions.assertThat;

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

    /**
     * A closing count of all runs: how often that happened without which they prove little. The seeds of the build must have more than {@code bound}, which says
     * nothing of the product but that its test is one. Other seeds may make tamer worlds: what they had is printed where it is less, and fails nothing.
     */
    public static void tally(String what, long count, long bound) {
        tally(what, count, bound, ONE == null && FROM == 1);
    }

    static void tally(String what, long count, long bound, boolean isOfTheBuild) {
        if (isOfTheBuild) {
            assertThat(count).as(what).isGreaterThan(bound);
        } else if (ONE == null && count <= bound) {
            System.out.println("tame worlds from seed " + FROM + " on: " + what + ": " + count + ", of the build's seeds more than " + bound);
        }
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
