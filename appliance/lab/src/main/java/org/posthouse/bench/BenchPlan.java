package org.posthouse.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;

/**
 * The specification of a bench.
 *
 * @param tests in the order of the report
 * @param ranks of every job
 * @param pairs number of pairs that take part in tests of pairs: rank i and its {@link Benchmark#partner}
 * @param sites number of sites over which the ranks are spread
 * @param relaysPerSite number of relays over which each site's ranks are spread
 * @param sizes message sizes X in bytes
 * @param variants the variants to compare, each in a job of its own
 * @param baselines whether pingpong is measured over a raw connection and a bare forwarder too
 * @param repetitions measured phases for each line of the report
 * @param phaseMs how long a phase should take, in milliseconds; at least {@link WarmUpPolicy#ITERATIONS_MIN} iterations
 * @param window most messages of a stream that are under way at once
 * @param rounds how many times as many messages a stream has
 * @param bytesPerSecond capacity of the way between partners; 0: nothing limits it
 * @param layouts where the processes run; each series is measured in each
 */
public record BenchPlan(
        List<Benchmark> tests,
        int ranks,
        int pairs,
        int sites,
        int relaysPerSite,
        List<Integer> sizes,
        List<Variant> variants,
        boolean baselines,
        int repetitions,
        int phaseMs,
        int window,
        int rounds,
        long bytesPerSecond,
        List<ProcessLayout> layouts) implements Experiment<BenchReport> {

    /** Messages of a stream that are under way at once, if nothing else is asked. */
    public static final int WINDOW_DEFAULT = 1_000;

    /** Of a stream. */
    public static final int WINDOWS_MAX = 1_000_000;

    static final int ITERATIONS_MAX = 3_000;

    /** All the blocks of a rank's buffer together: a collective's ranks hold two such buffers each. */
    private static final long BUFFER_BYTES_MAX = 1L << 30;

    /** Past this and the time that its bytes take the ranks of a phase wait for each other. */
    private static final int PHASE_MS_MAX = 120_000;

    /** Throughput of any machine, all ranks together. */
    private static final long MACHINE_BYTES_PER_SECOND = 50_000_000;

    /** Most times the expected duration that a phase may last. */
    private static final int PATIENCE = 4;

    /** Most ranks of a job. */
    public static final int RANKS_MAX = 1_024;

    /** Streams of one window, and processes wherever the system likes. */
    public BenchPlan(
            List<Benchmark> tests,
            int ranks,
            int pairs,
            int sites,
            int relaysPerSite,
            List<Integer> sizes,
            List<Variant> variants,
            boolean baselines,
            int repetitions,
            int phaseMs,
            int window) {
        this(tests, ranks, pairs, sites, relaysPerSite, sizes, variants, baselines, repetitions, phaseMs, window, 1, 0, List.of(ProcessLayout.FREE));
    }

    /** @throws IllegalArgumentException if a number is out of its range, or the buffers are too large together */
    public BenchPlan {
        tests = List.copyOf(tests);
        sizes = List.copyOf(sizes);
        variants = List.copyOf(variants);
        layouts = List.copyOf(layouts);
        RangeCheck.check("pairs", pairs, 1, RANKS_MAX / 2);
        RangeCheck.check("ranks", ranks, 2 * pairs, RANKS_MAX);
        RangeCheck.check("sites", sites, 1, ranks);
        RangeCheck.check("relays per site", relaysPerSite, 1, ranks / sites);
        RangeCheck.check("repetitions", repetitions, 1, 1_000);
        RangeCheck.check("milliseconds a phase", phaseMs, 1, 60_000);
        RangeCheck.check("messages in a window", window, 1, 100_000);
        RangeCheck.check("windows in a stream", rounds, 1, WINDOWS_MAX);
        long largest = sizes.stream().mapToLong(Integer::longValue).max().orElse(0);
        if (largest * ranks > BUFFER_BYTES_MAX) {
            throw new IllegalArgumentException(
                    largest + " bytes for each of " + ranks + " ranks, expected at most " + BUFFER_BYTES_MAX + " together");
        }
    }

    /** The same in other layouts. */
    public BenchPlan in(List<ProcessLayout> others) {
        return new BenchPlan(
                tests, ranks, pairs, sites, relaysPerSite, sizes, variants, baselines, repetitions, phaseMs, window, rounds, bytesPerSecond,
                others);
    }

    /** Number of sites, and of relays if they have several, for people. */
    String where() {
        String where = sites == 1 ? "one site" : sites + " sites";
        return relaysPerSite == 1 ? where : where + " x " + relaysPerSite + " relays";
    }

    /** The sizes of one test; of one that has no bytes, a single 0. */
    List<Integer> sizesOf(Benchmark test) {
        return test.isSized() ? SizeList.ofElements(sizes, test.elementBytes()) : List.of(0);
    }

    /** The series to compare in one test. */
    List<Series> seriesOf(Benchmark test) {
        List<Series> series = new ArrayList<>();
        for (ProcessLayout layout : layouts) {
            if (hasBaselines(test)) {
                series.add(new Series(Carrier.RAW, variants.get(0), layout));
                series.add(new Series(Carrier.VERTX, variants.get(0), layout));
                series.add(new Series(Carrier.SELECTOR, variants.get(0), layout));
            }
            variants.forEach(variant -> series.add(new Series(Carrier.RELAY, variant, layout)));
        }
        return series;
    }

    /** Number of progress steps: a warm-up and the repetitions of every line of the report. */
    int phases() {
        return tests.stream()
                .mapToInt(test -> sizesOf(test).size() * seriesOf(test).size() * (1 + repetitions) * (isBesidePingPong(test) ? 2 : 1))
                .sum();
    }

    /** Whether a test is compared with the ping-pong of the same series, which is measured for that in the same turns. */
    static boolean isBesidePingPong(Benchmark test) {
        return test == Benchmark.STREAM;
    }

    /** Number of operations in one iteration: the divisor of its time and its cost. */
    int legs(Benchmark test, int bytes) {
        return test == Benchmark.STREAM ? Benchmark.window(window, bytes) * rounds : test.legs();
    }

    /** After how long a phase has failed. */
    public int allowanceMs(Phase phase) {
        long bytesPerMs = (bytesPerSecond == 0 ? MACHINE_BYTES_PER_SECOND : Math.min(bytesPerSecond, MACHINE_BYTES_PER_SECOND)) / 1_000;
        long expectedMs = phaseMs + phase.iterations() * bytesMoved(phase.test(), phase.bytes()) / Math.max(1, bytesPerMs);
        return (int) Math.min(Integer.MAX_VALUE, PHASE_MS_MAX + PATIENCE * expectedMs);
    }

    /** Fewest bytes that one iteration has to move, all ranks together. */
    private long bytesMoved(Benchmark test, long bytes) {
        return switch (test) {
            case PINGPONG, STREAM, PINGPING -> bytes * legs(test, (int) bytes) * pairs;
            case ALLGATHER, ALLTOALL -> bytes * ranks * ranks;
            default -> bytes * 2 * ranks;
        };
    }

    private boolean hasBaselines(Benchmark test) {
        return baselines && (test == Benchmark.PINGPONG || test == Benchmark.STREAM);
    }

    boolean hasBaselines() {
        return tests.stream().anyMatch(this::hasBaselines);
    }

    /** Number of groups that work at once in one test, each on an operation of its own. */
    int groups(Benchmark test) {
        return test.isOfPairs() ? pairs : 1;
    }

    /** The ranks that take part in one test. */
    int[] ranksOf(Benchmark test) {
        int[] all = new int[test.isOfPairs() ? 2 * pairs : ranks];
        for (int i = 0; i < all.length; i++) {
            all[i] = test.isOfPairs() && i >= pairs ? Benchmark.partner(i - pairs, ranks) : i;
        }
        return all;
    }

    @Override
    public BenchReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return BenchRun.measure(this, watch);
    }
}
