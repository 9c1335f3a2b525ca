package org.posthouse.bench.allocation;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.job.TimedJob;
import org.posthouse.bench.wan.WanField;
import org.posthouse.launch.PlacementPlan;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.place.AllocationRequest.Numbering;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.launch.provision.LocalAgents;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;
import org.posthouse.tunnel.Compression;
import org.posthouse.wire.Token;

/** Jobs on nodes of two sites over an emulated network, their series in turns. Confined to one thread. */
final class AllocationBench {
    private final AllocationPlan plan;
    private final List<String> relays;
    private final Token token;
    private final BenchWatch watch;
    private int done;

    private AllocationBench(AllocationPlan plan, List<String> relays, Token token, BenchWatch watch) {
        this.plan = plan;
        this.relays = relays;
        this.token = token;
        this.watch = watch;
    }

    static AllocationReport measure(AllocationPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        Vertx vertx = EmbeddedGrid.vertx();
        try (WanField network = WanField.open(plan.profile(), plan.roundTripMs() > 0);
                EmbeddedGrid grid = EmbeddedGrid.start(vertx, AllocationPlan.SITES.size(), false, network, Compression.NEVER);
                LocalAgents agents = LocalAgents.start(relaysOfSites(grid), plan.nodes(), plan.slots(), UserToken.find())) {
            return new AllocationBench(plan, grid.addresses(), UserToken.find(), watch).measure();
        } finally {
            vertx.close().await();
        }
    }

    private static Map<String, List<String>> relaysOfSites(EmbeddedGrid grid) {
        Map<String, List<String>> relays = new LinkedHashMap<>();
        for (int site = 0; site < AllocationPlan.SITES.size(); site++) {
            relays.put(AllocationPlan.SITES.get(site), List.of(grid.addresses().get(site)));
        }
        return relays;
    }

    /** A job that fails ends the bench, which reports what it has by then. */
    private AllocationReport measure() throws JobFailure, InterruptedException {
        List<AllocationFigure> figures = new ArrayList<>();
        try {
            for (JobSpec job : plan.jobs()) {
                for (int ranks : plan.ranks()) {
                    measure(job.withRanks(ranks), figures);
                }
            }
            return new AllocationReport(plan, figures, Optional.empty());
        } catch (JobFailure e) {
            if (figures.isEmpty()) {
                throw e;
            }
            return new AllocationReport(plan, figures, Optional.of(e));
        }
    }

    private void measure(JobSpec job, List<AllocationFigure> figures) throws JobFailure, InterruptedException {
        List<AllocationFigure> both = new ArrayList<>();
        for (Strategy strategy : List.of(Strategy.SPREAD, Strategy.CONCENTRATE)) {
            List<PlacementPlan.Place> places = PlacementPlan.of(job.ranks(), Replicas.NONE, request(strategy)).places();
            int sites = (int) places.stream().map(PlacementPlan.Place::site).distinct().count();
            both.add(new AllocationFigure(job, strategy, places.size(), sites));
        }
        for (int repetition = 0; repetition <= plan.repetitions(); repetition++) {
            for (AllocationFigure figure : both) {
                int all = plan.jobs().size() * plan.ranks().size() * both.size() * (plan.repetitions() + 1);
                watch.onPhase(job.name() + " -n " + job.ranks() + " " + AllocationReport.word(figure.strategy()), done++, all);
                TimedJob timed = TimedJob.run(job, request(figure.strategy()), watch);
                if (repetition > 0) { // The first one stages its files.
                    figure.add(Double.isNaN(timed.toldSeconds()) ? timed.communicatingSeconds() : timed.toldSeconds());
                }
            }
        }
        figures.addAll(both);
    }

    private PlacementRequest request(Strategy strategy) {
        NodeRequest nodes = new NodeRequest(
                NodeRequest.Use.ALWAYS, strategy, Numbering.SLOT, SiteRestriction.NONE, Map.of(), "", 0, Map.of(), NodeRequest.NODE_TIMEOUT_MS, List.of(),
                Optional.empty());
        return new PlacementRequest(relays, relays.size(), 1, token, nodes);
    }
}
