package org.posthouse.bench.wan;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.bench.BenchJob;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.Figure;
import org.posthouse.bench.PhaseTurns;
import org.posthouse.bench.Series;
import org.posthouse.bench.Variant;
import org.posthouse.bench.affinity.Placing;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.carrier.PlainTunnel;
import org.posthouse.bench.carrier.PortForwarder;
import org.posthouse.bench.carrier.Tunnels;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.job.JobBench;
import org.posthouse.bench.job.JobPlan;
import org.posthouse.bench.job.JobReport;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.wan.WanProfile;
import org.posthouse.wan.WanShape;

/**
 * {@code bench wan} from its first process to its last figure. Embedded relays, one a site, have links over an emulated
 * network. A pair of ranks runs for each two sites, with plain bytes over the same network beside them; then whole jobs
 * run over all sites. Confined to one thread.
 */
public final class WanRun implements AutoCloseable {
    /** Of what relays and emulator carry here at most, a link that is to be filled gets half: the rest of the machine is the emulator's. */
    private static final double SHARE_OF_MACHINE = 0.5;

    /** Bandwidth that every machine carries. */
    private static final double EVERY_MACHINE_MEGABITS = 200;

    private final WanPlan plan;
    private final WanProfile profile;
    private final BenchWatch watch;
    private final Vertx vertx = EmbeddedGrid.vertx();
    private WanField field;
    private EmbeddedGrid grid;
    private Tunnels tunnels;
    private final List<WanLink> links = new ArrayList<>();
    private final List<JobReport> jobs = new ArrayList<>();
    private int phasesDone;

    private WanRun(WanPlan plan, WanProfile profile, BenchWatch watch) {
        this.plan = plan;
        this.profile = profile;
        this.watch = watch;
    }

    private void start(boolean withTunnels) throws IOException, InterruptedException {
        field = WanField.open(profile, plan.isEmulated());
        grid = EmbeddedGrid.start(vertx, profile.sites().size(), plan.logged().contains(true), field, plan.compression());
        tunnels = Tunnels.start(withTunnels);
    }

    /**
     * If a job fails or receives wrong data it ends, and reports what it has by then.
     *
     * @throws JobFailure if it has nothing; nothing is left running in any case
     */
    public static WanReport measure(WanPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        double factor = plan.isEmulated() ? factor(plan, carriedMegabits(plan, watch)) : 1;
        try (WanRun run = new WanRun(plan, plan.profile().scaled(factor), watch)) {
            run.start(plan.tunnels());
            Optional<JobFailure> failed = run.measure();
            return new WanReport(plan, run.profile, run.links, run.jobs, run.tunnels.leftOut(), failed);
        }
    }

    /** Factor of the profile's bandwidths. */
    private static double factor(WanPlan plan, double carriedMegabits) {
        double asked = plan.profile().megabitsMax();
        if (plan.megabits() > 0) {
            return plan.megabits() / asked;
        }
        return asked <= EVERY_MACHINE_MEGABITS ? 1 : Math.min(1, SHARE_OF_MACHINE * carriedMegabits / asked);
    }

    /**
     * Bandwidth of the slowest series over an emulator that holds nothing back. It is measured before everything else.
     * A way that takes milliseconds would be used too seldom for the relays' code to be compiled, and its figures would
     * show interpreted code.
     */
    private static double carriedMegabits(WanPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        try (WanRun run = new WanRun(plan, plan.profile().unshaped(), watch)) {
            run.start(false);
            String one = plan.profile().sites().get(0);
            String other = plan.profile().sites().get(1);
            WanShape shape = WanShape.NONE;
            WanLink link = new WanLink(one, other, shape, run.figures(one, other, shape, run.relays(one, other)), List.of());
            return link.series().stream().mapToDouble(link::megabits).min().orElseThrow();
        }
    }

    /** @return what stopped it */
    private Optional<JobFailure> measure() throws IOException, JobFailure, InterruptedException {
        try {
            measureLinks();
            for (JobSpec job : plan.has(WanPart.JOBS) ? plan.jobs() : List.<JobSpec>of()) {
                JobPlan whole = new JobPlan(job, profile.sites().size(), 1, ModeConfig.of(Mode.MULTIPLEXED), plan.logged(), plan.jobRepetitions());
                jobs.add(JobBench.measure(whole, grid, watch));
            }
            return Optional.empty();
        } catch (JobFailure e) {
            if (links.isEmpty() && jobs.isEmpty()) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    private void measureLinks() throws IOException, JobFailure, InterruptedException {
        List<String> sites = profile.sites();
        for (int one = 0; one < sites.size(); one++) {
            for (int other = one + 1; other < sites.size(); other++) {
                if (plan.has(sites.get(one), sites.get(other))) {
                    measureLink(sites.get(one), sites.get(other));
                }
            }
        }
    }

    private void measureLink(String one, String other) throws IOException, JobFailure, InterruptedException {
        WanShape shape = profile.between(one, other);
        List<String> relays = relays(one, other);
        List<Figure> figures = plan.has(WanPart.LINKS) ? figures(one, other, shape, relays) : List.of();
        List<WanBeside> besides = new ArrayList<>();
        try {
            for (Variant variant : plan.has(WanPart.BESIDE) ? plan.variants() : List.<Variant>of()) {
                watch.onPhase(WanLink.name(one, other) + " beside a stream, " + variant.label(), phasesDone, phasesDone + 1);
                besides.add(WanBeside.measure(plan, shape, variant, relays, watch));
            }
        } finally {
            if (!figures.isEmpty() || !besides.isEmpty()) {
                links.add(new WanLink(one, other, shape, figures, List.copyOf(besides)));
            }
        }
    }

    private List<String> relays(String one, String other) {
        return List.of(grid.addresses().get(profile.sites().indexOf(one)), grid.addresses().get(profile.sites().indexOf(other)));
    }

    private List<Figure> figures(String one, String other, WanShape shape, List<String> relays)
            throws IOException, JobFailure, InterruptedException {
        BenchPlan pair = plan.ofPair(shape);
        Placing placing = new Placing();
        Map<Variant, BenchJob> jobs = new LinkedHashMap<>();
        try {
            for (Variant variant : pair.variants()) {
                jobs.put(variant, BenchJob.start(pair, variant, relays, Map.of(), watch));
            }
            List<Series> series = connect(jobs.get(pair.variants().getFirst()), pair, one, other);
            PhaseTurns.Beginning beginning = figure -> {
                placing.put(figure.series().layout(), List.of(grid), jobs.values(), tunnels.all().values());
                progress(WanLink.name(one, other) + " " + figure.test() + " " + figure.series().label(), series.size());
            };
            if (!plan.isEmulated()) {
                PhaseTurns compiling = turns(pair, jobs, WarmUpPolicy.OF_A_COMPILER, beginning);
                compiling.warmUp(compiling.lines(Benchmark.STREAM, plan.bytes(), unmeasured(pair)));
            }
            PhaseTurns turns = turns(pair, jobs, plan.isEmulated() ? WarmUpPolicy.OF_A_NETWORK : WarmUpPolicy.OF_TUNNELS, beginning);
            List<Figure> figures = new ArrayList<>();
            for (int bytes : plan.sizes()) {
                figures.addAll(turns.measure(Benchmark.PINGPONG, bytes, series));
            }
            figures.addAll(turns.measure(Benchmark.STREAM, plan.bytes(), series));
            placing.put(ProcessLayout.FREE, List.of(grid), jobs.values(), tunnels.all().values());
            for (BenchJob job : jobs.values()) {
                job.finish();
            }
            return List.copyOf(figures);
        } finally {
            for (BenchJob job : jobs.values()) {
                job.close();
            }
            tunnels.all().values().forEach(PlainTunnel::end);
        }
    }

    private PhaseTurns turns(BenchPlan pair, Map<Variant, BenchJob> jobs, WarmUpPolicy warmUpPolicy, PhaseTurns.Beginning beginning) {
        return new PhaseTurns(pair, PhaseTurns.Ranks.of(jobs), warmUpPolicy, () -> Cost.of(grid.loads()), beginning);
    }

    /** The series that have our code compiled: each variant once, on all processors, where that is done soonest. */
    private static List<Series> unmeasured(BenchPlan pair) {
        return pair.variants().stream().map(variant -> new Series(Carrier.RELAY, variant, ProcessLayout.FREE)).toList();
    }

    /** Gives the ranks of a job what there is beside the relays. @return all series that can be measured then */
    private List<Series> connect(BenchJob job, BenchPlan pair, String one, String other)
            throws IOException, JobFailure, InterruptedException {
        PortForwarder way = port -> field.road(one, other, port);
        job.connect(Carrier.RAW, way);
        tunnels.each((carrier, tunnel) -> job.connect(carrier, port -> tunnel.open(port, way)));
        List<Series> series = new ArrayList<>();
        for (ProcessLayout layout : pair.layouts()) {
            series.add(new Series(Carrier.RAW, pair.variants().getFirst(), layout));
            tunnels.all().keySet().forEach(tunnel -> series.add(new Series(tunnel, pair.variants().getFirst(), layout)));
            pair.variants().forEach(variant -> series.add(new Series(Carrier.RELAY, variant, layout)));
        }
        return series;
    }

    private void progress(String what, int series) {
        int sites = profile.sites().size();
        int links = sites * (sites - 1) / 2;
        int compiling = plan.isEmulated() ? 0 : plan.variants().size();
        watch.onPhase(what, phasesDone++, links * (compiling + series * (plan.sizes().size() + 1) * (1 + plan.repetitions())));
    }

    @Override
    public void close() throws IOException {
        if (tunnels != null) {
            tunnels.close();
        }
        if (grid != null) {
            grid.close();
        }
        if (field != null) {
            field.close();
        }
        vertx.close().await();
    }
}
