package org.posthouse.bench.scale;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.carrier.Forwarder;
import org.posthouse.bench.carrier.SelectorForwarder;
import org.posthouse.bench.carrier.VertxForwarder;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.host.EmbeddedGrid;

/**
 * All that stands while one cell is measured. It has relays for each mode, a job for each mode and durability, and as
 * many forwarders of each kind as relays. The ranks have ways over all of them. Parts that are not measured wait and
 * cost nothing. Confined to the driver's thread.
 */
final class ScaleField implements AutoCloseable {
    private final ScalePlan plan;
    private final ScalePlan.Cell cell;
    private final ScaleHosts hosts;
    private final Map<Mode, EmbeddedGrid> grids = new EnumMap<>(Mode.class);
    private final Map<Carrier, List<Forwarder>> forwarders = new EnumMap<>(Carrier.class);
    private final List<ScaleJob> jobs = new ArrayList<>();

    private ScaleField(ScalePlan plan, ScalePlan.Cell cell, ScaleHosts hosts) {
        this.plan = plan;
        this.cell = cell;
        this.hosts = hosts;
    }

    /** Sets everything up; blocks until every pair has all its ways. */
    static ScaleField open(ScalePlan plan, ScalePlan.Cell cell, Vertx vertx, ScaleHosts hosts) throws IOException, JobFailure {
        ScaleField field = new ScaleField(plan, cell, hosts);
        try {
            field.start(vertx);
            field.connect();
            return field;
        } catch (IOException | JobFailure | RuntimeException e) {
            field.close();
            throw e;
        }
    }

    private void start(Vertx vertx) throws IOException {
        boolean anyLogged = plan.logged().contains(true);
        for (Mode mode : plan.modes()) {
            grids.put(mode, EmbeddedGrid.start(vertx, 1, cell.relays(), anyLogged, ModeConfig.of(mode)));
        }
        forwarders.put(Carrier.VERTX, new ArrayList<>());
        forwarders.put(Carrier.SELECTOR, new ArrayList<>());
        for (int i = 0; i < cell.relays(); i++) {
            forwarders.get(Carrier.VERTX).add(VertxForwarder.start(vertx));
            forwarders.get(Carrier.SELECTOR).add(SelectorForwarder.start());
        }
    }

    private void connect() throws IOException, JobFailure {
        List<List<ScaleRoute.Leg>> legs = new ArrayList<>();
        for (int rank = 0; rank < cell.clients(); rank++) {
            legs.add(new ArrayList<>());
        }
        for (ScaleSeries series : plan.series()) {
            ScaleJob job = null;
            if (series.mode().isPresent()) {
                job = ScaleJob.open(cell, series, grids.get(series.mode().get()).addresses());
                jobs.add(job);
            }
            for (int rank = 0; rank < cell.clients(); rank++) {
                legs.get(rank).add(job != null ? job.leg(cell, rank) : baseline(series.carrier(), rank));
            }
        }
        List<List<ScaleRoute>> routes = new ArrayList<>();
        for (int i = 0; i < plan.processes(); i++) {
            routes.add(new ArrayList<>());
        }
        for (int rank = 0; rank < cell.clients(); rank++) {
            routes.get(plan.processOf(cell, rank)).add(new ScaleRoute(rank, cell.partnerOf(rank), legs.get(rank)));
        }
        hosts.open(routes, plan.bytesMax());
    }

    private ScaleRoute.Leg baseline(Carrier carrier, int rank) {
        String address = carrier.isForwarder() ? Integer.toString(forwarders.get(carrier).get(cell.relayOf(rank)).port()) : "";
        return ScaleRoute.Leg.of(carrier, address);
    }

    /** Has all ranks do a phase. @return the outcome of each pair; empty if there is nothing to tell but that it was right */
    List<HostedRank.Outcome> perform(ScaleOrder order) throws JobFailure {
        try {
            return hosts.perform(order);
        } catch (JobFailure e) {
            for (ScaleJob job : jobs) {
                if (!job.failure().isEmpty()) {
                    throw new JobFailure(e.getMessage() + "; " + job.failure(), e);
                }
            }
            throw e;
        }
    }

    /** Resources that all relays and forwarders have used so far. */
    Cost spent() throws IOException {
        List<ResourceUsage> loads = new ArrayList<>();
        for (EmbeddedGrid grid : grids.values()) {
            loads.addAll(grid.loads());
        }
        forwarders.values().forEach(all -> all.forEach(forwarder -> loads.add(forwarder.load())));
        return Cost.of(loads);
    }

    /** Has the ranks take their leave. */
    void leave() throws JobFailure {
        perform(ScaleOrder.CLOSE);
    }

    @Override
    public void close() {
        jobs.forEach(ScaleJob::close);
        forwarders.values().forEach(all -> all.forEach(Forwarder::close));
        grids.values().forEach(EmbeddedGrid::close);
    }
}
