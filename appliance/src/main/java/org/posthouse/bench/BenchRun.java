package org.posthouse.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.posthouse.launch.JobFailure;
import org.posthouse.relay.EmbeddedGrid;
import org.posthouse.relay.ModeConfig;
import org.posthouse.relay.RelayConfig;
import org.posthouse.relay.RelayLoad;

/**
 * One bench from its first process to its last figure: embedded relays in this process, a job for each variant, and the
 * phases of all series in turn, so that what drifts in the machine meets all of them. Confined to one thread.
 */
public final class BenchRun implements AutoCloseable {
    /** Warm-up ends when two phases in a row have medians this near, and at the latest after so many phases. */
    private static final double STABLE_WITHIN = 0.05;

    private static final int WARM_UP_PHASES_MIN = 3;
    private static final int WARM_UP_PHASES_MAX = 12;

    private final BenchPlan plan;
    private final BenchWatch watch;
    private final Vertx vertx = EmbeddedGrid.vertx();
    private final Map<Variant, BenchJob> jobs = new LinkedHashMap<>();
    private final List<Figure> figures = new ArrayList<>();
    private EmbeddedGrid grid;
    private Forwarder forwarder;
    private int phasesDone;

    private BenchRun(BenchPlan plan, BenchWatch watch) {
        this.plan = plan;
        this.watch = watch;
    }

    /**
     * Measures; blocks for about a second a line of the report.
     *
     * @throws JobFailure if a job fails or receives wrong data; nothing is left running then
     */
    public static BenchReport measure(BenchPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        try (BenchRun run = new BenchRun(plan, watch)) {
            run.start();
            for (Benchmark test : plan.tests()) {
                for (int bytes : plan.sizesOf(test)) {
                    run.measure(test, bytes);
                }
            }
            run.finish();
            return new BenchReport(plan, run.figures);
        }
    }

    private void start() throws IOException, JobFailure, InterruptedException {
        boolean logged = plan.variants().stream().anyMatch(Variant::logged);
        grid = EmbeddedGrid.start(vertx, plan.sites(), logged, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
        if (plan.hasBaselines()) {
            forwarder = new Forwarder();
            vertx.deployVerticle(forwarder).await();
        }
        for (Variant variant : plan.variants()) {
            jobs.put(variant, BenchJob.start(plan, variant, grid.addresses(), forwarder == null ? 0 : forwarder.port(), watch));
        }
    }

    private void measure(Benchmark test, int bytes) throws IOException, JobFailure, InterruptedException {
        List<Series> all = plan.seriesOf(test);
        int iterations = BenchPlan.ITERATIONS_MAX;
        for (Series series : all) {
            progress(test, bytes, series);
            perform(series, new Phase(Phase.Work.CHECK, test, series.carrier(), bytes, 2));
            iterations = Math.min(iterations, warmUp(test, series, bytes));
        }
        List<Figure> lines = new ArrayList<>();
        all.forEach(series -> lines.add(new Figure(test, series, bytes, plan.groups(test))));
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (Figure line : lines) {
                progress(test, bytes, line.series());
                measure(line, new Phase(Phase.Work.MEASURE, test, line.series().carrier(), bytes, iterations));
            }
        }
        figures.addAll(lines);
    }

    /** Repeats phases until they take equally long. @return how many iterations fill a phase */
    private int warmUp(Benchmark test, Series series, int bytes) throws JobFailure, InterruptedException {
        int iterations = BenchPlan.ITERATIONS_MIN;
        double last = 0;
        for (int done = 1; done <= WARM_UP_PHASES_MAX; done++) {
            Phase phase = new Phase(Phase.Work.MEASURE, test, series.carrier(), bytes, iterations);
            double median = Statistics.medianMicros(times(phase, perform(series, phase)));
            if (done >= WARM_UP_PHASES_MIN && Math.abs(median - last) <= STABLE_WITHIN * last) {
                break;
            }
            last = median;
            iterations = iterations(test, median);
        }
        return iterations;
    }

    /** How many iterations fill a phase: a whole number of turns of the root through the ranks, if it moves. */
    private int iterations(Benchmark test, double medianMicros) {
        double fitting = plan.phaseMs() * 1e3 / (medianMicros * test.legs());
        int bounded = (int) Math.clamp(Math.round(fitting), BenchPlan.ITERATIONS_MIN, BenchPlan.ITERATIONS_MAX);
        int turn = test.followsBarrier() ? plan.ranks() : 1;
        return (bounded + turn - 1) / turn * turn;
    }

    private void measure(Figure line, Phase phase) throws IOException, JobFailure, InterruptedException {
        Benchmark test = phase.test();
        Cost before = spent();
        List<long[]> times = perform(line.series(), phase);
        Cost cost = spent().minus(before);
        if (test.followsBarrier()) {
            Cost start = spent();
            perform(line.series(), phase.with(Phase.Work.BARRIERS));
            cost = cost.minus(spent().minus(start));
        }
        line.times().add(times(phase, times));
        line.addCost(cost.per((double) phase.iterations() * test.legs() * plan.groups(test)));
    }

    private static Histogram times(Phase phase, List<long[]> times) {
        return Statistics.phase(times, !phase.test().isOfPairs(), phase.test().legs());
    }

    private List<long[]> perform(Series series, Phase phase) throws JobFailure, InterruptedException {
        return jobs.get(series.variant()).perform(phase, plan.ranksOf(phase.test()));
    }

    private Cost spent() throws IOException {
        List<RelayLoad> loads = new ArrayList<>(grid.loads());
        if (forwarder != null) {
            loads.add(forwarder.load());
        }
        return Cost.of(loads);
    }

    private void progress(Benchmark test, int bytes, Series series) {
        String size = test.isSized() ? " " + SizeList.text(bytes) : "";
        watch.onPhase(test + size + " " + series.label(), phasesDone++, plan.phases());
    }

    private void finish() throws JobFailure, InterruptedException {
        for (BenchJob job : jobs.values()) {
            job.finish();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (BenchJob job : jobs.values()) {
                job.close();
            }
            if (grid != null) {
                grid.close();
            }
        } finally {
            vertx.close().await();
        }
    }
}
