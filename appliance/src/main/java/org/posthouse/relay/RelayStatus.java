package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.core.RankState;
import org.posthouse.directory.RankEntry;
import org.posthouse.ops.DrainOrder;
import org.posthouse.ops.DrainReport;
import org.posthouse.ops.EndJobOrder;
import org.posthouse.ops.EndJobReport;
import org.posthouse.ops.JobView;
import org.posthouse.ops.LinkView;
import org.posthouse.ops.ModeOrder;
import org.posthouse.ops.ModeReport;
import org.posthouse.ops.RankView;
import org.posthouse.ops.Readiness;
import org.posthouse.ops.RelayMeasures;
import org.posthouse.ops.RelaySnapshot;
import org.posthouse.ops.RelaySnapshot.Counters;
import org.posthouse.ops.RelaySnapshot.LogView;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.log.LogStatus;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.relay.shard.TrafficCounters;
import org.posthouse.wire.JobOpen;

/**
 * A snapshot of the relay for the console. It is taken on the relay's event loop a few times a second; any thread reads
 * it.
 */
public final class RelayStatus implements RelayView {
    /** State of an open log that cannot be cut, because a rank's images are not kept. */
    private static final String UNSAVED = "unsaved";
    private static final String BROKEN = "broken";

    private static final long REFRESH_MS = 250;
    private static final Pattern JOB_ID = Pattern.compile("[0-9a-f]{1,16}");

    private final Relay relay;
    private final RankTotals ended = new RankTotals();
    private final RelayTally tally = new RelayTally();
    private final EndedJobs endedJobs = new EndedJobs();
    private final KnownRelays known = new KnownRelays();

    /** Milliseconds since 1970, by this host's clock; the epoch may be larger if the clock was set back. */
    private final long startedAt = System.currentTimeMillis();

    private long timer;

    // Written by the relay's event loop, read by any thread.
    private volatile RelaySnapshot snapshot;
    private volatile RelayMeasures measures = RelayMeasures.NONE;
    private volatile boolean serving;

    RelayStatus(Relay relay) {
        this.relay = relay;
    }

    /** Called on the relay's event loop. */
    void start(Vertx vertx, Placement placement) {
        assert relay.inLoop();
        refresh();
        serving = true;
        tally.loopLag().watch(placement);
        timer = vertx.setPeriodic(REFRESH_MS, tick -> {
            refresh();
            relay.refusals().tick();
        });
    }

    void stop(Vertx vertx) {
        assert relay.inLoop();
        serving = false;
        vertx.cancelTimer(timer);
        tally.loopLag().close();
    }

    /**
     * Called on the relay's event loop before the mode changes, to count earlier traffic for the old mode. Does nothing
     * if the relay does not serve.
     */
    void onModeChange(Placement next) {
        if (!serving) {
            return;
        }
        assert relay.inLoop();
        refresh();
        tally.loopLag().watch(next);
    }

    /**
     * Called when a job is removed. Its counters stay in the relay's totals, and its end stays in the list for a while.
     */
    void onJobClosed(OpenJob job, Collection<ShardStatus.Rank> ranks, boolean finished) {
        assert relay.inLoop();
        ranks.forEach(ended::add);
        endedJobs.add(view(job, ranks, finished ? "FINISHED" : "FAILED"));
    }

    @Override
    public RelaySnapshot snapshot() {
        RelaySnapshot taken = snapshot;
        return taken != null ? taken : starting();
    }

    @Override
    public RelayMeasures measures() {
        return measures;
    }

    @Override
    public Future<ModeReport> changeMode(ModeOrder order) {
        try {
            RelayConfig.Mode mode = RelayConfig.Mode.of(order.mode());
            int loops = order.loops() == null ? ModeConfig.LOOPS_DEFAULT : order.loops();
            String pipeline = order.pipeline() == null ? ModeConfig.PIPELINE_DEFAULT : order.pipeline();
            if (relay.control() == null) {
                return refuseStarting();
            }
            return relay.switchMode(ModeConfig.of(mode, loops, pipeline)).map(this::report);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(e);
        }
    }

    @Override
    public Future<DrainReport> drain(DrainOrder order) {
        if (relay.recovering().isPresent()) {
            return refuseStarting();
        }
        Promise<DrainReport> done = Promise.promise();
        relay.control().post(() -> relay.links().drain(order.drain()).ifPresentOrElse(
                carried -> done.complete(new DrainReport(relay.id(), order.drain(), carried)),
                () -> done.fail(new IllegalArgumentException("relay " + relay.id() + " has no links"))));
        return done.future();
    }

    @Override
    public Future<EndJobReport> endJob(EndJobOrder order) {
        if (!JOB_ID.matcher(order.job()).matches()) {
            return Future.failedFuture(new IllegalArgumentException(
                    "\"" + order.job() + "\" is no job id: expected 1 to 16 lower-case hexadecimal digits, as posthouse jobs lists them"));
        }
        if (relay.recovering().isPresent()) {
            return refuseStarting();
        }
        long job = Long.parseUnsignedLong(order.job(), 16);
        Promise<EndJobReport> done = Promise.promise();
        relay.control().post(() -> done.complete(new EndJobReport(relay.id(), Job.hexId(job), relay.jobs().endByOrder(job))));
        return done.future();
    }

    private <T> Future<T> refuseStarting() {
        return Future.failedFuture(new IllegalArgumentException("relay " + relay.id() + " is starting: " + whatItDoes() + "; ask again when it serves"));
    }

    private String whatItDoes() {
        return relay.recovering().orElse("it opens its ports");
    }

    private ModeReport report(ModeChange change) {
        return new ModeReport(
                relay.id(),
                change.from().toString(),
                change.to().toString(),
                change.asked(),
                change.moved(),
                change.left(),
                change.pauseMicrosMedian(),
                change.pauseMicrosMax(),
                change.tookMicros());
    }

    @Override
    public Readiness readiness() {
        if (!serving) {
            return Readiness.notReady("relay " + relay.id()
                    + (snapshot == null ? " is starting: " + whatItDoes() : " is stopping"));
        }
        Optional<String> failure = relay.logFailure();
        if (failure.isPresent()) {
            return Readiness.notReady("relay " + relay.id() + " takes " + failure.get());
        }
        LogStatus log = relay.log().status();
        if (log.state() == LogStatus.State.FULL) {
            return Readiness.notReady("relay " + relay.id() + " takes nothing for logged jobs: " + log.text());
        }
        return relay.log().refusesNew(relay.settings().rankBytes())
                .map(why -> Readiness.notReady("relay " + relay.id() + " takes no new logged jobs: " + why))
                .orElseGet(Readiness::ok);
    }

    private RelaySnapshot starting() {
        RelayConfig config = relay.settings();
        return new RelaySnapshot(
                config.site(),
                config.relay(),
                relay.mode().mode().word(),
                ProductVersion.text(),
                startedAt,
                "",
                List.of(),
                List.of(),
                List.of(),
                Counters.ZERO,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Takes a new snapshot. Called on the event loop. */
    public void refresh() {
        assert relay.inLoop();
        String mode = relay.mode().mode().word();
        relay.shards().count(() -> relay.control().submit(() -> take(mode)));
    }

    /** @param mode the mode when the shards were asked to count */
    private void take(String mode) {
        assert relay.inLoop();
        long now = System.nanoTime();
        List<ShardStatus> shards = relay.shards().status();
        relay.links().look();
        List<LinkView> links = relay.links().views();
        RelayTally.Lines lines = RelayTally.Lines.of(relay.connections());
        RankTotals totals = totals(shards);
        tally.carried(mode, totals.carried(), relay.links().carried());
        tally.queued(shards, now);
        measures = tally.measures(shards, relay.jobs().divergences(), lines, relay.refusals().counts(), relay.links().refusals(),
                relay.directory().refusals(), now);
        snapshot = picture(links, counters(shards, totals, relay.links().carriedInAll(), lines.waitingBytes(), now));
    }

    private RelaySnapshot picture(List<LinkView> links, Counters counters) {
        RelayConfig config = relay.settings();
        return new RelaySnapshot(
                config.site(),
                config.relay(),
                relay.mode().mode().word(),
                ProductVersion.text(),
                startedAt,
                relay.address(),
                links,
                Stream.concat(relay.jobs().all().stream().map(job -> view(job, ranksOf(job), "RUNNING")), endedJobs.all().stream())
                        .toList(),
                known.look(relay.directory().relays(), System.currentTimeMillis()),
                counters,
                relay.log().lastPosition().map(position -> view(position, relay.log().status())),
                relay.links().keys(),
                relay.links().streams());
    }

    private LogView view(long position, LogStatus status) {
        Optional<String> standing = relay.jobs().standing();
        Optional<String> unsaved = relay.log().unsaved();
        String open = standing.isPresent() ? BROKEN : unsaved.isPresent() ? UNSAVED : LogStatus.State.OPEN.word();
        return new LogView(
                position,
                relay.log().usedBytes(),
                status.limitBytes(),
                status.pinnedBytes(),
                status.state() == LogStatus.State.OPEN ? open : status.state().word(),
                Stream.of(relay.logFailure(), standing, unsaved, Optional.of(status.text())).flatMap(Optional::stream).collect(Collectors.joining("; ")));
    }

    private Collection<ShardStatus.Rank> ranksOf(OpenJob job) {
        return relay.shards().status().stream()
                .flatMap(shard -> shard.ranksOf(job.id()).stream())
                .sorted(Comparator.comparingInt(ShardStatus.Rank::rank))
                .toList();
    }

    /** Totals of the open jobs and of those that have ended; each job is counted in exactly one of the two. */
    private RankTotals totals(List<ShardStatus> shards) {
        RankTotals totals = new RankTotals();
        totals.add(ended);
        for (OpenJob job : relay.jobs().all()) {
            for (ShardStatus shard : shards) {
                shard.ranksOf(job.id()).forEach(rank -> {
                    totals.add(rank);
                    totals.addWaiting(rank);
                });
            }
        }
        return totals;
    }

    private Counters counters(List<ShardStatus> shards, RankTotals totals, TrafficCounters.Counts links, long waitingBytes, long now) {
        TrafficCounters.Counts all = totals.carried().plus(links);
        return new Counters(
                all.messagesIn(),
                all.messagesOut(),
                all.bytesIn(),
                all.bytesOut(),
                links.messagesIn(),
                links.bytesIn(),
                shards.stream().mapToLong(ShardStatus::messagesMatched).sum(),
                totals.unexpected(),
                totals.posted(),
                totals.creditBytes(),
                totals.creditMessages(),
                waitingBytes,
                tally.queuedPeak(now),
                TimeUnit.NANOSECONDS.toMillis(tally.loopLag().recentMaxNanos()));
    }

    private static String durability(JobOpen job) {
        return job.survivesHost() ? "host" : job.logged() ? "process" : "none";
    }

    private JobView view(OpenJob job, Collection<ShardStatus.Rank> ranks, String state) {
        BlockedView blocked = BlockedView.of(job.id(), relay.shards().status());
        List<RankView> views = Stream.concat(
                ranks.stream().map(rank -> view(rank, blocked)),
                relay.directory().ranks(job.id()).stream()
                        .filter(entry -> !entry.relay().equals(relay.id()))
                        .map(entry -> elsewhere(entry, blocked)))
                .toList();
        return new JobView(
                Job.hexId(job.id()),
                job.opening().name(),
                job.opening().size(),
                durability(job.opening()),
                state,
                job.startMs(),
                views,
                job.divergences(),
                job.divergence(),
                job.launcherAwaitedUntilMs(),
                relay.links().isParted(job) ? 0 : blocked.standstillSinceMs(job.opening().size(), views),
                job.owner(),
                relay.log().reservedBytes(job.id()),
                relay.log().status().pinnedByJob().getOrDefault(job.id(), 0L));
    }

    /** A rank of another relay, from the directory; its own relay has its counters. */
    private static RankView elsewhere(RankEntry entry, BlockedView blocked) {
        RankView.State state = stateOf(entry.state());
        return new RankView(
                entry.rank(),
                entry.site(),
                entry.relay(),
                state,
                entry.incarnation(),
                0,
                0,
                0,
                0,
                0,
                0,
                blocked.in(entry.rank(), state),
                blocked.sinceMs(entry.rank(), state));
    }

    /** Maps a rank state from the directory. An unknown one comes from a later version; the rank then exists. */
    private static RankView.State stateOf(String word) {
        return Stream.of(RankView.State.values()).filter(state -> state.name().equals(word)).findFirst().orElse(RankView.State.CONNECTED);
    }

    private RankView view(ShardStatus.Rank rank, BlockedView blocked) {
        RankView.State state = shown(rank.state());
        return new RankView(
                rank.rank(),
                relay.settings().site(),
                relay.id(),
                state,
                rank.incarnation(),
                rank.messagesSent(),
                rank.messagesDelivered(),
                rank.bytesSent(),
                rank.bytesDelivered(),
                rank.unexpected(),
                rank.posted(),
                blocked.in(rank.rank(), state),
                blocked.sinceMs(rank.rank(), state));
    }

    /**
     * The state to show. A rank that moves between two connections is shown as connected, because moving takes
     * milliseconds.
     */
    static RankView.State shown(RankState state) {
        return state == RankState.MOVING ? RankView.State.CONNECTED : RankView.State.valueOf(state.name());
    }
}
