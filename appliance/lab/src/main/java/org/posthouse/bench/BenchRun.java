package org.posthouse.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.bench.affinity.Placing;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.carrier.Forwarder;
import org.posthouse.bench.carrier.SelectorForwarder;
import org.posthouse.bench.carrier.VertxForwarder;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.host.EmbeddedGrid;

/**
 * One bench from its first process to its last figure: embedded relays in this process and a job for each variant. The
 * phases of all series take turns, so that drift of the machine meets all of them. Confined to one thread.
 */
public final class BenchRun implements AutoCloseable {
    private final BenchPlan plan;
    private final BenchWatch watch;
    private final Map<EventLoopKind, Vertx> loops = new LinkedHashMap<>();
    private final Map<Variant, BenchJob> jobs = new LinkedHashMap<>();
    private final List<Figure> figures = new ArrayList<>();
    private final Map<GridKind, EmbeddedGrid> grids = new LinkedHashMap<>();
    private final Map<Carrier, Forwarder> forwarders = new EnumMap<>(Carrier.class);
    private final PhaseTurns turns;
    private final Placing placing = new Placing();
    private int phasesDone;

    /** The properties that variants must have in common to share relays. */
    private record GridKind(Mode mode, EventLoopKind loops, Optional<Delivery> delivery) {
        private static GridKind of(Variant variant) {
            return new GridKind(variant.mode(), variant.loops(), variant.delivery());
        }
    }

    private BenchRun(BenchPlan plan, BenchWatch watch) {
        this.plan = plan;
        this.watch = watch;
        this.turns = new PhaseTurns(plan, PhaseTurns.Ranks.of(jobs), WarmUpPolicy.OF_A_MACHINE, this::spent, this::begin);
    }

    /**
     * Measures; blocks for about a second a line of the report. If a job fails or receives wrong data it ends, and
     * reports its figures so far.
     *
     * @throws JobFailure if it has nothing; nothing is left running in any case
     */
    public static BenchReport measure(BenchPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        try (BenchRun run = new BenchRun(plan, watch)) {
            run.start();
            Optional<JobFailure> failed = run.measure();
            return new BenchReport(plan, run.figures, failed);
        }
    }

    /** @return what stopped it */
    private Optional<JobFailure> measure() throws IOException, JobFailure, InterruptedException {
        try {
            for (Benchmark test : plan.tests()) {
                for (int bytes : plan.sizesOf(test)) {
                    measure(test, bytes);
                }
            }
            finish();
            return Optional.empty();
        } catch (JobFailure e) {
            if (figures.isEmpty()) {
                throw e;
            }
            return Optional.of(e);
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
            forwarders.put(Carrier.VERTX, VertxForwarder.start(vertx(EventLoopKind.DEFAULT)));
            forwarders.put(Carrier.SELECTOR, SelectorForwarder.start());
        }
        Map<Carrier, Integer> ports = new EnumMap<>(Carrier.class);
        forwarders.forEach((carrier, forwarder) -> ports.put(carrier, forwarder.port()));
        for (Variant variant : plan.variants()) {
            jobs.put(variant, BenchJob.start(plan, variant, homes(variant, grids.get(GridKind.of(variant))), ports, watch));
        }
    }

    /** The addresses of the relays where the job's ranks are at home. */
    private static List<String> homes(Variant variant, EmbeddedGrid grid) {
        return variant.delivery().map(path -> path.homes().stream().map(grid::address).toList()).orElseGet(grid::addresses);
    }

    private EmbeddedGrid startGrid(GridKind kind, boolean logged) throws IOException {
        if (kind.delivery().isPresent()) {
            return EmbeddedGrid.start(vertx(kind.loops()), kind.delivery().get().relays(), Delivery::dials, logged, ModeConfig.of(kind.mode()));
        }
        return EmbeddedGrid.start(
                vertx(kind.loops()), plan.sites(), plan.relaysPerSite(), logged, ModeConfig.of(kind.mode()));
    }

    private Vertx vertx(EventLoopKind kind) {
        return loops.computeIfAbsent(kind, EmbeddedGrid::vertx);
    }

    private void measure(Benchmark test, int bytes) throws IOException, JobFailure, InterruptedException {
        List<Figure> lines = turns.lines(test, bytes, plan.seriesOf(test));
        List<Figure> beside =
                BenchPlan.isBesidePingPong(test) ? turns.lines(Benchmark.PINGPONG, bytes, plan.seriesOf(Benchmark.PINGPONG)) : List.of();
        int[] iterations = turns.warmUp(lines);
        int[] iterationsBeside = turns.warmUp(beside);
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            turns.measure(lines, iterations, repetition);
            turns.measure(beside, iterationsBeside, repetition);
        }
        for (int i = 0; i < beside.size(); i++) {
            lines.get(i).beside(beside.get(i));
        }
        figures.addAll(lines);
    }

    private Cost spent() throws IOException {
        List<ResourceUsage> loads = new ArrayList<>();
        for (EmbeddedGrid grid : grids.values()) {
            loads.addAll(grid.loads());
        }
        forwarders.values().forEach(forwarder -> loads.add(forwarder.load()));
        return Cost.of(loads);
    }

    /** Has everything where the line wants it, and says what comes. */
    private void begin(Figure line) throws IOException, InterruptedException {
        place(line.series().layout());
        String size = line.test().isSized() ? " " + SizeList.text(line.bytes()) : "";
        watch.onPhase(line.test() + size + " " + line.series().label(), phasesDone++, plan.phases());
    }

    private void place(ProcessLayout layout) throws IOException, InterruptedException {
        placing.put(layout, grids.values(), jobs.values(), List.of());
    }

    private void finish() throws IOException, InterruptedException {
        place(ProcessLayout.FREE);
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
