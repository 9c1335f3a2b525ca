package org.posthouse.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.posthouse.launch.JobFailure;
import org.posthouse.relay.EmbeddedGrid;
import org.posthouse.relay.LoopKind;
import org.posthouse.relay.ModeConfig;
import org.posthouse.relay.RelayConfig.Mode;
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
    private final Map<LoopKind, Vertx> loops = new LinkedHashMap<>();
    private final Map<Variant, BenchJob> jobs = new LinkedHashMap<>();
    private final List<Figure> figures = new ArrayList<>();
    private final Map<GridKind, EmbeddedGrid> grids = new LinkedHashMap<>();
    private final Map<Carrier, Forwarder> forwarders = new EnumMap<>(Carrier.class);
    private int phasesDone;

    /** What variants must have in common to share relays. */
    private record GridKind(Mode mode, LoopKind loops) {
        private static GridKind of(Variant variant) {
            return new GridKind(variant.mode(), variant.loops());
        }
    }

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
        for (Variant variant : plan.variants()) {
            GridKind kind = GridKind.of(variant);
            if (!grids.containsKey(kind)) {
                grids.put(kind, startGrid(kind, logged));
            }
        }
        if (plan.hasBaselines()) {
            forwarders.put(Carrier.VERTX, VertxForwarder.start(vertx(LoopKind.DEFAULT)));
            forwarders.put(Carrier.SELECTOR, SelectorForwarder.start());
        }
        Map<Carrier, Integer> ports = new EnumMap<>(Carrier.class);
        forwarders.forEach((carrier, forwarder) -> ports.put(carrier, forwarder.port()));
        for (Variant variant : plan.variants()) {
            jobs.put(variant, BenchJob.start(plan, variant, grids.get(GridKind.of(variant)).addresses(), ports, watch));
        }
    }

    private EmbeddedGrid startGrid(GridKind kind, boolean logged) throws IOException {
        return EmbeddedGrid.start(
                vertx(kind.loops()), plan.sites(), plan.relaysPerSite(), logged, ModeConfig.of(kind.mode()));
    }

    private Vertx vertx(LoopKind kind) {
        return loops.computeIfAbsent(kind, EmbeddedGrid::vertx);
    }

    private void measure(Benchmark test, int bytes) throws IOException, JobFailure, InterruptedException {
        List<Figure> lines = lines(test, bytes);
        List<Figure> beside = BenchPlan.isBesidePingPong(test) ? lines(Benchmark.PINGPONG, bytes) : List.of();
        int iterations = warmUp(lines);
        int iterationsBeside = warmUp(beside);
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (Figure line : lines) {
                measure(line, iterations);
            }
            for (Figure line : beside) {
                measure(line, iterationsBeside);
            }
        }
        for (int i = 0; i < beside.size(); i++) {
            lines.get(i).beside(beside.get(i));
        }
        figures.addAll(lines);
    }

    private List<Figure> lines(Benchmark test, int bytes) {
        List<Figure> lines = new ArrayList<>();
        plan.seriesOf(test).forEach(series -> lines.add(new Figure(test, series, bytes, plan.groups(test))));
        return lines;
    }

    /** Checks and warms up what will take turns. @return how many iterations each of them then measures in a phase */
    private int warmUp(List<Figure> lines) throws JobFailure, InterruptedException {
        int iterations = BenchPlan.ITERATIONS_MAX;
        for (Figure line : lines) {
            progress(line);
            Series series = line.series();
            perform(series, new Phase(Phase.Work.CHECK, line.test(), series.carrier(), line.bytes(), 2));
            iterations = Math.min(iterations, warmUp(line.test(), series, line.bytes()));
        }
        return iterations;
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
            iterations = iterations(test, bytes, median);
        }
        return iterations;
    }

    /** How many iterations fill a phase: a whole number of turns of the root through the ranks, if it moves. */
    private int iterations(Benchmark test, int bytes, double medianMicros) {
        double fitting = plan.phaseMs() * 1e3 / (medianMicros * plan.legs(test, bytes));
        int bounded = (int) Math.clamp(Math.round(fitting), BenchPlan.ITERATIONS_MIN, BenchPlan.ITERATIONS_MAX);
        int turn = test.followsBarrier() ? plan.ranks() : 1;
        return (bounded + turn - 1) / turn * turn;
    }

    private void measure(Figure line, int iterations) throws IOException, JobFailure, InterruptedException {
        progress(line);
        Benchmark test = line.test();
        Phase phase = new Phase(Phase.Work.MEASURE, test, line.series().carrier(), line.bytes(), iterations);
        Cost before = spent();
        List<long[]> times = perform(line.series(), phase);
        Cost cost = spent().minus(before);
        if (test.followsBarrier()) {
            Cost start = spent();
            perform(line.series(), phase.with(Phase.Work.BARRIERS));
            cost = cost.minus(spent().minus(start));
        }
        line.times().add(times(phase, times));
        line.addCost(cost.per((double) iterations * plan.legs(test, line.bytes()) * plan.groups(test)));
    }

    private Histogram times(Phase phase, List<long[]> times) {
        return Statistics.phase(times, !phase.test().isOfPairs(), plan.legs(phase.test(), phase.bytes()));
    }

    private List<long[]> perform(Series series, Phase phase) throws JobFailure, InterruptedException {
        return jobs.get(series.variant()).perform(phase, plan.ranksOf(phase.test()));
    }

    private Cost spent() throws IOException {
        List<RelayLoad> loads = new ArrayList<>();
        for (EmbeddedGrid grid : grids.values()) {
            loads.addAll(grid.loads());
        }
        forwarders.values().forEach(forwarder -> loads.add(forwarder.load()));
        return Cost.of(loads);
    }

    private void progress(Figure line) {
        String size = line.test().isSized() ? " " + SizeList.text(line.bytes()) : "";
        watch.onPhase(line.test() + size + " " + line.series().label(), phasesDone++, plan.phases());
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
            forwarders.values().forEach(Forwarder::close);
            grids.values().forEach(EmbeddedGrid::close);
        } finally {
            loops.values().forEach(vertx -> vertx.close().await());
        }
    }
}
