package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.audit.Audit;
import org.posthouse.ops.CheckpointReport;
import org.posthouse.ops.OutputQuery;
import org.posthouse.status.JobOutput;
import org.posthouse.core.Job;
import org.posthouse.core.RankState;
import org.posthouse.directory.RankEntry;
import org.posthouse.ops.DrainOrder;
import org.posthouse.ops.DrainReport;
import org.posthouse.ops.EndJobOrder;
import org.posthouse.ops.EndJobReport;
import org.posthouse.ops.ModeOrder;
import org.posthouse.ops.ModeReport;
import org.posthouse.ops.NodeDrainOrder;
import org.posthouse.ops.NodeDrainReport;
import org.posthouse.ops.Readiness;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.log.LogStatus;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.relay.shard.Shards;
import org.posthouse.relay.shard.TrafficCounters;
import org.posthouse.status.FollowerStatus;
import org.posthouse.status.JobActivity;
import org.posthouse.status.JobStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NamesStatus;
import org.posthouse.status.PairTraffic;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RankWait;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.RelayStatus.Counters;
import org.posthouse.status.RelayStatus.Log;
import org.posthouse.status.Traffic;
import org.posthouse.wire.JobOpen;

/**
 * A snapshot of the relay for the console. It is taken on the relay's event loop a few times a second; any thread reads
 * it.
 */
public final class StatusCollector implements RelayView {
    /** State of an open log that cannot be cut, because a rank's images are not kept. */
    private static final String UNSAVED = "unsaved";
    private static final String BROKEN = "broken";

    private static final long REFRESH_MS = 250;
    private static final Pattern JOB_ID = Pattern.compile("[0-9a-f]{1,16}");

    private final Relay relay;
    private final RankTotals ended = new RankTotals();
    private final MetricsCollector metricsCollector = new MetricsCollector();
    private final EndedJobs endedJobs = new EndedJobs();
    private final EndedTraffic endedTraffic = new EndedTraffic();
    private final KnownRelays known = new KnownRelays();
    private final ActivityRecorder activity = new ActivityRecorder();
    private final DeliveryTimes deliveries = new DeliveryTimes();
    private final CheckpointTimes checkpoints = new CheckpointTimes();
    private final JobReports reports = new JobReports();

    /** Milliseconds since 1970, by this host's clock; the epoch may be larger if the clock was set back. */
    private final long startedAt = System.currentTimeMillis();

    private long timer;

    // Written by the relay's event loop, read by any thread.
    private volatile RelayStatus snapshot;
    private volatile RelayMetrics metrics = RelayMetrics.NONE;
    private volatile boolean serving;

    StatusCollector(Relay relay) {
        this.relay = relay;
    }

    /** Called on the relay's event loop. */
    void start(Vertx vertx, Placement placement) {
        assert relay.inLoop();
        refresh();
        serving = true;
        metricsCollector.loopLag().watch(placement);
        timer = vertx.setPeriodic(REFRESH_MS, tick -> {
            refresh();
            relay.refusals().tick();
            relay.agents().closeSilent(System.nanoTime());
            relay.agents().announceChange(System.nanoTime());
        });
    }

    void stop(Vertx vertx) {
        assert relay.inLoop();
        serving = false;
        vertx.cancelTimer(timer);
        metricsCollector.loopLag().close();
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
        metricsCollector.loopLag().watch(next);
    }

    /**
     * Called when a job is removed. Its counters stay in the relay's totals, and its end stays in the list for a while.
     */
    void onJobClosed(OpenJob job, Shards.ClosedRanks left, boolean finished) {
        assert relay.inLoop();
        left.ranks().forEach(ended::add);
        endedJobs.add(jobStatus(job, left.ranks(), finished ? "FINISHED" : "FAILED"));
        endedTraffic.add(job.id(), left.deliveries());
        int ranks = job.opening().ranks();
        List<RankStatus> last = LastProcesses.of(ranks, left.ranks().stream().map(ShardStatus.Rank::status).toList());
        activity.end(System.currentTimeMillis(), job.id(), LastProcesses.asRanks(ranks, last));
        deliveries.remove(job.id());
        checkpoints.remove(job.id());
        reports.onEnded(
                job.id(), endedJobs.all().stream().map(shown -> Long.parseUnsignedLong(shown.id(), 16)).collect(Collectors.toSet()));
    }

    /** A rank at home here has taken a checkpoint. */
    void onCheckpoint(long job, int rank) {
        assert relay.inLoop();
        checkpoints.taken(job, rank, System.currentTimeMillis());
    }

    /** What launchers have reported for the console. */
    JobReports reports() {
        assert relay.inLoop();
        return reports;
    }

    @Override
    public RelayStatus snapshot() {
        RelayStatus taken = snapshot;
        return taken != null ? taken : starting();
    }

    @Override
    public List<RelayEvent> events(long after, int limit) {
        return relay.events().after(after, limit);
    }

    @Override
    public RelayMetrics metrics() {
        return metrics;
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
    public Future<NodeDrainReport> drainNode(NodeDrainOrder order) {
        if (relay.recovering().isPresent()) {
            return refuseStarting();
        }
        Promise<NodeDrainReport> done = Promise.promise();
        relay.control().post(() -> done.complete(new NodeDrainReport(relay.id(), order.node(), relay.agents().drain(order.node(), order.drain()))));
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

    @Override
    public Future<CheckpointReport> checkpoint(String job) {
        return ofJob(job, id -> inLoop(() -> checkpoint(id)).compose(report -> report));
    }

    private Future<CheckpointReport> checkpoint(long id) {
        OpenJob job = relay.jobs().job(id);
        if (job == null || !job.opening().logged()) {
            String why = job == null ? "the job is not open here" : "the job was started without --durability";
            return Future.succeededFuture(new CheckpointReport(relay.id(), Job.hexId(id), 0, List.of(), why));
        }
        Audit.changed(relay.id(), "the ranks of " + job + " are asked for checkpoints, by order of a console");
        List<Integer> here = ranksHere(id).stream().filter(rank -> rank.state() != RankStatus.State.FINALIZED).map(RankStatus::rank).toList();
        return relay.shards().askCheckpoints(id).map(asked -> {
            List<Integer> unable = here.stream().filter(rank -> !asked.contains(rank)).toList();
            return new CheckpointReport(relay.id(), Job.hexId(id), asked.size(), unable, "");
        });
    }

    /** The ranks of a job that are at home here, with the calls in which they are blocked. */
    private List<RankStatus> ranksHere(long job) {
        List<ShardStatus> shards = relay.shards().status();
        BlockedView blocked = BlockedView.of(job, shards);
        return shards.stream().flatMap(shard -> shard.ranksOf(job).stream()).map(ShardStatus.Rank::status).map(blocked::in).toList();
    }

    @Override
    public Future<List<PairTraffic>> traffic(String job) {
        return ofJob(job, id -> relay.shards().traffic(id).compose(open -> open.isEmpty() ? inLoop(() -> endedTraffic.of(id)) : Future.succeededFuture(open)));
    }

    @Override
    public Future<List<RankWait>> waits(String job) {
        return ofJob(job, id -> inLoop(() -> waits(id)));
    }

    private List<RankWait> waits(long id) {
        OpenJob job = relay.jobs().job(id);
        return job == null ? List.of() : BlockedView.of(id, relay.shards().status()).waits(job.opening().ranks(), ranksHere(id));
    }

    @Override
    public Future<JobActivity> activity(String job) {
        return ofJob(job, id -> inLoop(() -> activity.of(id)));
    }

    @Override
    public Future<JobOutput> output(OutputQuery query) {
        return ofJob(query.job(), id -> inLoop(() -> reports.output(id, query)));
    }

    private <T> Future<T> ofJob(String job, LongFunction<Future<T>> question) {
        if (!JOB_ID.matcher(job).matches()) {
            return Future.failedFuture(new IllegalArgumentException("\"" + job + "\" is no job id: expected 1 to 16 lower-case hexadecimal digits"));
        }
        return relay.recovering().isPresent() ? refuseStarting() : question.apply(Long.parseUnsignedLong(job, 16));
    }

    private <T> Future<T> inLoop(Supplier<T> question) {
        Promise<T> done = Promise.promise();
        relay.control().post(() -> done.complete(question.get()));
        return done.future();
    }

    @Override
    public Future<byte[]> ask(String other, String query) {
        if (relay.recovering().isPresent()) {
            return refuseStarting();
        }
        Promise<byte[]> done = Promise.promise();
        relay.control().post(() -> relay.links().ask(other, query).onComplete(done));
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
    public Future<NamesStatus> names(String prefix, String after) {
        return serving ? relay.names().status(prefix, after)
                : Future.failedFuture(new IllegalArgumentException("relay " + relay.id() + " is starting or stopping"));
    }

    @Override
    public Readiness readiness() {
        if (!serving) {
            return Readiness.notReady("relay " + relay.id()
                    + (snapshot == null ? " is starting: " + whatItDoes() : " is stopping"));
        }
        Optional<String> noNames = relay.needsNames() ? relay.names().unavailable() : Optional.empty();
        if (noNames.isPresent()) {
            return Readiness.notReady("relay " + relay.id() + " has no names: " + noNames.get());
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

    private RelayStatus starting() {
        RelayConfig config = relay.settings();
        return new RelayStatus(
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
                Optional.empty(),
                List.of());
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
        List<LinkStatus> links = relay.links().status();
        MetricsCollector.Lines lines = MetricsCollector.Lines.of(relay.connections());
        RankTotals totals = totals(shards);
        metricsCollector.carried(mode, totals.carried(), relay.links().carried());
        metricsCollector.queued(shards, now);
        metrics = metricsCollector.metrics(shards, relay.jobs().events().divergences(), lines, relay.refusals().counts(), relay.links().refusals(),
                relay.directory().refusals(), relay.stage().status(), relay.agents().detection().counts(), relay.jobs().events().followers(), now);
        RelayStatus taken = status(links, counters(shards, totals, relay.links().carriedInAll(), lines.waitingBytes(), now));
        recordActivity(taken);
        snapshot = taken;
    }

    /** From the ranks of the snapshot, which has them anyway. */
    private void recordActivity(RelayStatus taken) {
        Map<Long, JobStatus> open = taken.jobs().stream()
                .filter(JobStatus::live)
                .collect(Collectors.toMap(job -> Long.parseUnsignedLong(job.id(), 16), job -> job));
        activity.sample(
                System.currentTimeMillis(), open.keySet(), id -> open.get(id).ranks().stream().filter(rank -> rank.relay().equals(relay.id())).toList());
    }

    private RelayStatus status(List<LinkStatus> links, Counters counters) {
        RelayConfig config = relay.settings();
        return new RelayStatus(
                config.site(),
                config.relay(),
                relay.mode().mode().word(),
                ProductVersion.text(),
                startedAt,
                relay.address(),
                links,
                Stream.concat(relay.jobs().all().stream().map(job -> jobStatus(job, ranksOf(job), "RUNNING")), endedJobs.all().stream())
                        .toList(),
                known.look(relay.directory().relays(), System.currentTimeMillis()),
                counters,
                relay.log().lastPosition().map(position -> logStatus(position, relay.log().status())),
                relay.links().keys(),
                relay.links().streams(),
                relay.agents().status());
    }

    private Log logStatus(long position, LogStatus status) {
        Optional<String> standing = relay.jobs().standing();
        Optional<String> unsaved = relay.log().unsaved();
        String open = standing.isPresent() ? BROKEN : unsaved.isPresent() ? UNSAVED : LogStatus.State.OPEN.word();
        return new Log(
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
                .sorted(Comparator.comparingInt(rank -> rank.status().rank()))
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

    private Counters counters(List<ShardStatus> shards, RankTotals totals, Traffic links, long waitingBytes, long now) {
        return new Counters(
                totals.carried().plus(links),
                links.messagesIn(),
                links.bytesIn(),
                shards.stream().mapToLong(ShardStatus::messagesMatched).sum(),
                totals.unexpected(),
                totals.posted(),
                totals.creditBytes(),
                totals.creditMessages(),
                waitingBytes,
                metricsCollector.queuedPeak(now),
                TimeUnit.NANOSECONDS.toMillis(metricsCollector.loopLag().recentMaxNanos()),
                relay.agents().detection().counts());
    }

    private static String durability(JobOpen job) {
        return job.survivesHost() ? "host" : job.logged() ? "process" : "none";
    }

    private JobStatus jobStatus(OpenJob job, Collection<ShardStatus.Rank> here, String state) {
        BlockedView blocked = BlockedView.of(job.id(), relay.shards().status());
        long nowMs = System.currentTimeMillis();
        List<RankStatus> views = Stream.concat(
                here.stream().map(rank -> atHome(job, rank.status(), nowMs).followedBy(followers(job.id(), rank))),
                relay.directory().ranks(job.id()).stream().filter(entry -> !entry.relay().equals(relay.id())).map(StatusCollector::elsewhere))
                .map(blocked::in)
                .toList();
        int ranks = job.opening().ranks();
        List<RankStatus> last = LastProcesses.of(ranks, views);
        return new JobStatus(
                Job.hexId(job.id()),
                job.opening().name(),
                ranks,
                durability(job.opening()),
                job.opening().onFailure().word(),
                state,
                job.startMs(),
                LastProcesses.asRanks(ranks, last),
                job.divergences(),
                job.divergence(),
                job.launcherAwaitedUntilMs(),
                relay.links().isParted(job) ? 0 : blocked.standstillSinceMs(ranks, last),
                job.owner(),
                relay.log().reservedBytes(job.id()),
                relay.log().status().pinnedByJob().getOrDefault(job.id(), 0L));
    }

    private RankStatus atHome(OpenJob job, RankStatus rank, long nowMs) {
        String node = reports.nodeOf(job.id(), rank.rank() % job.opening().ranks());
        return rank.with(relay.settings().site(), relay.id(), "", 0)
                .at(node, deliveries.look(job.id(), rank, nowMs), checkpoints.of(job.id(), rank.rank()));
    }

    private List<FollowerStatus> followers(long job, ShardStatus.Rank rank) {
        int number = rank.status().rank();
        return rank.followers().stream()
                .map(follower -> new FollowerStatus(
                        follower.incarnation(), reports.nodeOfFollower(job, number, follower.incarnation()), follower.behind(),
                        follower.position() < 0 ? 0 : relay.log().bytesFrom(follower.position())))
                .toList();
    }

    /** A rank of another relay, from the directory; its own relay has its counters. */
    private static RankStatus elsewhere(RankEntry entry) {
        return RankStatus.uncounted(entry.rank(), stateOf(entry.state()), entry.incarnation()).with(entry.site(), entry.relay(), "", 0);
    }

    /** Maps a rank state from the directory. An unknown one comes from a later version; the rank then exists. */
    private static RankStatus.State stateOf(String word) {
        return Stream.of(RankStatus.State.values()).filter(state -> state.name().equals(word)).findFirst().orElse(RankStatus.State.CONNECTED);
    }
}
