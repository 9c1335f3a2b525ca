package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.posthouse.audit.Audit;
import org.posthouse.audit.Lifecycle;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.RankState;
import org.posthouse.core.RecoveredRank;
import org.posthouse.core.Refusal;
import org.posthouse.directory.RankEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.config.LauncherTimeout;
import org.posthouse.relay.log.LoggedJob;
import org.posthouse.relay.shard.LinkedRelay;
import org.posthouse.relay.shard.Shard;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.relay.shard.Shards;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that launchers have opened at this relay. Opens and closes them in the shards, the log and the directory,
 * and recovers those of a relay process that died. Confined to the relay's control strand.
 */
final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

    private static final Set<String> CONNECTED = Set.of(RankState.CONNECTED.name(), RankState.REPLAYING.name());

    /**
     * Limit of the ranks of all open jobs, per connection that the relay accepts: 65,536 ranks by default. A rank takes
     * 2.3 KB of heap with 2 shards (150 MB in all) and 5.6 KB with 16 (370 MB).
     */
    private static final int RANKS_PER_CONNECTION = 16;

    /**
     * A job beside its ranks counts as {@code RANKS_A_JOB} ranks at home here. {@code RANKS_ELSEWHERE} ranks at home at
     * other relays count as one here. Measured with 2 and 16 shards: a job takes 9 and 22 KB, a rank elsewhere 0.2 and
     * 0.4 KB.
     */
    private static final int RANKS_A_JOB = 4;

    private static final int RANKS_ELSEWHERE = 10;

    private final Relay relay;
    private final Map<Long, OpenJob> open = new LinkedHashMap<>();
    private final RankEvents events;

    /** Whether the relay is stopping; logged jobs then stay open in the log for its next start. */
    private boolean stopped;

    Jobs(Relay relay) {
        this.relay = relay;
        this.events = new RankEvents(relay, this);
    }

    /** What happens to the ranks of these jobs. */
    RankEvents events() {
        return events;
    }

    Collection<OpenJob> all() {
        return open.values();
    }

    /** Number of ranks of open jobs that are at home here. */
    int ranksHere() {
        assert relay.inLoop();
        return (int) open.values().stream().mapToLong(job -> here(job.opening(), job.opening().ranks()).count()).sum();
    }

    /** Those at home here of the first {@code processes} processes of the job. The first ones are the ranks; later ones come when others have died. */
    private IntStream here(JobOpen job, int processes) {
        int self = Job.indexOf(relay.id(), job.homes());
        int[] homeOf = job.homeOf();
        return IntStream.range(0, processes).filter(process -> homeOf[process] == self);
    }

    /** The job with this id, or null. */
    OpenJob job(long id) {
        return open.get(id);
    }

    /**
     * Opens a job, so that its ranks may connect and messages for them may wait. If the launcher comes back to an open
     * job, attaches the launcher. Fails with a {@link Refusal}, or for want of room in the log.
     *
     * @param owner user who opens the job; the limits per user cover all jobs of one owner
     */
    Future<OpenJob> open(JobOpen opening, String owner, LauncherSession launcher) {
        assert relay.inLoop();
        if (opening.isJoint()) {
            return Future.failedFuture(new Refusal(
                    CloseReason.NOT_EXPECTED, "a launcher opens job " + Job.hexId(opening.job()) + " as a joint one, which only ranks of its two jobs do"));
        }
        try {
            return Future.succeededFuture(opening).compose(asked -> asked.again() ? attach(asked, owner, launcher) : begin(asked, owner, launcher));
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private Future<OpenJob> begin(JobOpen opening, String owner, LauncherSession launcher) {
        return begin(new OpenJob(opening, launcher, System.currentTimeMillis()), owner);
    }

    /** Opens a joint job, which has no launcher: {@link JointJobs} ends it. */
    Future<OpenJob> openJoint(JobOpen opening, String owner) {
        assert relay.inLoop();
        return begin(OpenJob.joint(opening, System.currentTimeMillis()), owner);
    }

    private Future<OpenJob> begin(OpenJob job, String owner) {
        JobOpen opening = job.opening();
        Journal journal;
        try {
            check(opening, owner);
            journal = opening.logged() ? relay.log().forJob(opening) : null;
        } catch (Refusal e) {
            return Future.failedFuture(e);
        } catch (RuntimeException e) {
            relay.log().dismiss(opening.job());
            return Future.failedFuture(e);
        }
        job.owner(owner);
        open.put(job.id(), job);
        expectRanks(job);
        return inControl(openShards(opening, journal))
                .map(opened -> {
                    Lifecycle.event(relay.id(), job + " of " + opening.ranks() + " ranks opened, durability " + opening.durability());
                    Audit.changed(relay.id(), job + " of " + opening.ranks() + " ranks, durability " + opening.durability() + ", opened by " + job.owner());
                    relay.events().add("JOB_OPENED", Job.hexId(job.id()), -1,
                            job.opening().name() + " of " + opening.ranks() + " ranks is opened by " + job.owner());
                    relay.directory().putRanks(waiting(job));
                    relay.announce();
                    return job;
                })
                .onFailure(fault -> undo(job, fault));
    }

    /**
     * Releases the log space of ranks that have not connected in time. It was reserved for the number of ranks that the
     * launcher announced, and anybody may announce any number.
     */
    private void expectRanks(OpenJob job) {
        if (job.opening().logged()) {
            relay.loop().schedule(() -> relay.control().submit(() -> {
                job.ranksAreOverdue();
                resize(job);
            }), relay.settings().launcherWait().ranksComeMs(), TimeUnit.MILLISECONDS);
        }
    }

    private void resize(OpenJob job) {
        if (open.get(job.id()) == job && job.opening().logged()) {
            relay.log().room().reservations().resize(
                    job.id(), job.ranksExpected((int) here(job.opening(), job.opening().size()).count()) * relay.settings().rankBytes());
        }
    }

    /** A process of the rank has come. */
    void rankCame(OpenJob job, int rank) {
        if (!job.rankCame(rank)) {
            return;
        }
        resize(job);
        if (job.ranksThatCame() == 1 && job.launcherAwaitedUntilMs() > 0) {
            job.awaitNobody();
            await(job, launcherWaitMs(job)); // A launcher has something to come back to.
        }
    }

    /**
     * Milliseconds that the job waits for its launcher. The wait is shorter if no rank has connected, because there is
     * nothing to come back to.
     */
    private long launcherWaitMs(OpenJob job) {
        LauncherTimeout wait = relay.settings().launcherWait();
        long ms = job.state() == OpenJob.State.RECOVERED ? wait.recoveredMs(job.opening()) : wait.orphanedMs(job.opening());
        return job.ranksThatCame() == 0 ? Math.min(ms, wait.ranksComeMs()) : ms;
    }

    /** The relays other than this one where the job has ranks. */
    List<String> others(JobOpen opening) {
        return opening.homes().stream().map(HomeRelay::relay).filter(other -> !other.equals(relay.id())).toList();
    }

    /** Removes a job that could not be opened, from the log too, so that the relay's next start does not find it. */
    private void undo(OpenJob job, Throwable fault) {
        open.remove(job.id());
        relay.shards().close(job.id(), new CloseNotice(job.id(), 1, -1, fault.toString()), ranks -> {});
        if (job.opening().logged()) {
            relay.log().jobClosed(job.id(), 1);
            relay.log().dismiss(job.id());
        }
        relay.links().forget(job.id());
    }

    /**
     * Opens the job in all shards; completes in the strand of some shard. After a failure the job may be open in some
     * shards.
     */
    private Future<Void> openShards(JobOpen opening, Journal journal) {
        return Future.future(opened -> relay.shards().open(opening, relaysOf(opening), events::onRankEvent, journal, fault -> opened.complete(null, fault)));
    }

    /** Passes the result on in the control strand. */
    private <T> Future<T> inControl(Future<T> work) {
        Promise<T> ended = Promise.promise();
        work.onComplete((value, fault) -> relay.control().submit(() -> ended.complete(value, fault)));
        return ended.future();
    }

    /**
     * Recovers the jobs of the relay process that died; this may take a while. A job whose own records are at fault
     * fails for its launcher, and delays neither the relay nor other jobs.
     */
    Future<Void> recover(List<LoggedJob> jobs) {
        assert relay.inLoop();
        return Future.all(jobs.stream().map(this::recover).toList())
                .onSuccess(done -> List.copyOf(open.values()).stream().filter(job -> job.opening().isJoint()).forEach(relay.joints()::recovered))
                .mapEmpty();
    }

    private Future<Void> recover(LoggedJob logged) {
        OpenJob job = new OpenJob(logged.opening(), null, System.currentTimeMillis());
        job.recall(logged.divergences(), logged.divergence());
        events.recall(logged.divergences());
        open.put(job.id(), job);
        return inControl(Future.succeededFuture(logged).compose(this::goOn)).transform((ranks, fault) -> {
            if (fault instanceof Error) {
                return Future.failedFuture(fault);
            }
            if (fault == null) {
                recovered(job, ranks);
            } else {
                cannotGoOn(job, logged.position(), fault);
            }
            return Future.succeededFuture();
        });
    }

    /** Restores a job in the shards; gives the states of its ranks here. */
    private Future<List<RankEntry>> goOn(LoggedJob logged) {
        if (logged.fault() != null) {
            return Future.failedFuture(logged.fault());
        }
        JobOpen opening = logged.opening();
        List<RankEntry> ranks = logged.ranks().stream().map(rank -> entry(opening.job(), rank)).toList();
        relay.log().room().reservations().reserve(opening.job(), "", opening.size() * relay.settings().rankBytes());
        OpenJob job = open.get(opening.job());
        logged.ranks().stream().filter(rank -> rank.incarnation() > 0).forEach(rank -> job.rankCame(rank.rank()));
        expectRanks(job);
        relay.links().expect(others(opening));
        Promise<List<RankEntry>> restored = Promise.promise();
        openShards(opening, relay.log().journal())
                .onSuccess(opened -> relay.shards().restore(opening.job(), logged.ranks(), logged.failures(), fault -> restored.complete(ranks, fault)))
                .onFailure(restored::fail);
        return restored.future();
    }

    /**
     * Marks a job that cannot be recovered. No rank is admitted, and the launcher receives the cause when it connects.
     *
     * <p>If the launcher keeps the job's output in a folder, the job stays in the log until somebody ends it. Another
     * build may then continue it, unless it lacks what ranks at other relays have sent meanwhile. Otherwise the
     * launcher ends the job, or its absence does, because nobody else could.
     */
    private void cannotGoOn(OpenJob job, long position, Throwable fault) {
        String why = CloseReason.LOG_DAMAGED + ": " + job + ", opened at position " + position + " of the log "
                + relay.settings().logFolder().map(Path::toString).orElse("") + ", cannot go on from its records: " + fault + "; "
                + CloseReason.LOG_DAMAGED.advice();
        LOG.error("{}: {}", relay.id(), why, fault);
        relay.shards().close(job.id(), CloseNotice.closing(job.id(), CloseReason.LOG_DAMAGED, why), ranks -> {});
        if (job.opening().keepsOutput()) {
            // Their relays send it again as soon as they are linked, and it counts as handled.
            String lost = job.opening().homes().size() > 1 ? "; what its ranks at other relays have sent here meanwhile is lost to it" : "";
            job.standStill(new JobEvent(job.id(), JobEvent.ABORTED, -1, JobEvent.STANDS, why + lost));
        } else {
            job.tell(new JobEvent(job.id(), JobEvent.ABORTED, -1, 1, why));
        }
        await(job, relay.settings().launcherWait().recoveredMs(job.opening()));
    }

    private void recovered(OpenJob job, List<RankEntry> ranks) {
        Lifecycle.event(relay.id(), job + " of " + job.opening().size() + " ranks is back from the log");
        relay.events().add("JOB_RECOVERED", Job.hexId(job.id()), -1, job.opening().name() + " of " + job.opening().size() + " ranks is back from the log");
        relay.directory().putRanks(ranks);
        if (!job.opening().isJoint()) {
            await(job, launcherWaitMs(job));
        }
    }

    private RankEntry entry(long job, RecoveredRank rank) {
        RankState state = rank.finalized() ? RankState.FINALIZED : rank.incarnation() > 0 ? RankState.AWAY : RankState.WAITING;
        return entry(job, rank.rank(), rank.incarnation(), state);
    }

    private List<LinkedRelay> relaysOf(JobOpen opening) {
        return opening.homes().stream()
                .map(home -> home.relay().equals(relay.id()) ? null : relay.links().other(home.relay()))
                .toList();
    }

    private void check(JobOpen opening, String owner) throws Refusal {
        String job = "job " + Job.hexId(opening.job());
        if (open.containsKey(opening.job())) {
            throw new Refusal(CloseReason.DUPLICATE_JOB, job + " is open already");
        }
        Job.requireHome(relay.id(), opening);
        for (String other : others(opening)) {
            if (!RelayId.isWritten(other)) {
                throw new Refusal(CloseReason.WRONG_SITE, job + " has a home \"" + other + "\", expected SITE or SITE/NAME");
            }
        }
        requireRoom(opening, owner, job);
        int most = relay.settings().launcherWait().keepSecondsMax();
        if (opening.logged() && opening.keepSeconds() > most) {
            throw new Refusal(CloseReason.LIMIT, job + " is to be kept for " + opening.keepSeconds() + " s without its launcher, and relay " + relay.id()
                    + " keeps jobs for " + most + " s at most: give run --launcher-timeout " + most + ", or relay --keep-max " + opening.keepSeconds());
        }
        if (opening.logged() && !relay.log().isOpen()) {
            throw new Refusal(CloseReason.NO_LOG, job + " is to be logged, at relay " + relay.id());
        }
        if (opening.survivesHost() && relay.syncFailure().isPresent()) {
            throw new Refusal(CloseReason.LOG_BROKEN, job + " cannot survive the host of relay " + relay.id() + ": " + relay.syncFailure().get());
        }
        if (opening.logged()) {
            Optional<String> tooMuch = relay.log().room().admit(opening, owner, relay.settings().rankBytes());
            if (tooMuch.isPresent()) {
                throw new Refusal(CloseReason.LIMIT, job + " cannot be logged at relay " + relay.id() + ": " + tooMuch.get());
            }
        }
    }

    private void requireRoom(JobOpen opening, String owner, String job) throws Refusal {
        long more = room(opening);
        long own = open.values().stream().filter(other -> other.owner().equals(owner)).mapToLong(other -> room(other.opening())).sum();
        long has = open.values().stream().mapToLong(other -> room(other.opening())).sum();
        long most = (long) RANKS_PER_CONNECTION * relay.settings().door().connectionsMax();
        if (has + more > most) {
            throw new Refusal(CloseReason.LIMIT,
                    job + " takes the room of " + more + " ranks at relay " + relay.id() + ", where open jobs take that of " + has + " of at most " + most);
        }
        if (own > 0 && own + more > most / 4 * 3) {
            throw new Refusal(CloseReason.LIMIT, job + " takes the room of " + more + " ranks at relay " + relay.id() + ", where other jobs of " + owner
                    + " take that of " + own + ", and the jobs of one owner together " + most / 4 * 3 + " at most, so that others find room");
        }
    }

    /** The memory of a job, as a number of ranks at home here. A process that may come in a rank's place has its own from the start. */
    private long room(JobOpen job) {
        long here = here(job, job.size()).count();
        return RANKS_A_JOB + here + (job.size() - here) / RANKS_ELSEWHERE;
    }

    /** Attaches a launcher to an open job. */
    private Future<OpenJob> attach(JobOpen opening, String owner, LauncherSession launcher) {
        String name = "job " + Job.hexId(opening.job());
        OpenJob job = open.get(opening.job());
        if (job == null && relay.log().isUnended(opening.job())) {
            return Future.failedFuture(new Refusal(CloseReason.LOG_BROKEN, unended(name)));
        }
        if (job == null || job.state() == OpenJob.State.CLOSED) {
            return Future.failedFuture(new Refusal(CloseReason.UNKNOWN_JOB, name + " is not open any more at relay " + relay.id()));
        }
        if (!job.opening().token().matches(opening.token())) {
            return Future.failedFuture(
                    new Refusal(CloseReason.WRONG_TOKEN, "a launcher came to " + name + " with a token that is not the job's"));
        }
        job.attach(launcher);
        job.owner(owner);
        Audit.changed(relay.id(), job + ": its launcher is " + job.owner() + " now");
        if (opening.logged()) {
            relay.log().room().reservations().own(job.id(), owner);
        }
        return Future.succeededFuture(job);
    }

    /** Called when a launcher's connection has ended. Logged jobs wait for their launcher; others end. */
    void abandoned(long id, LauncherSession launcher, CloseNotice why) {
        assert relay.inLoop();
        OpenJob job = open.get(id);
        if (job == null || job.launcher() != launcher || job.state() != OpenJob.State.OPEN) {
            return;
        }
        if (job.opening().logged()) {
            job.orphan();
            await(job, launcherWaitMs(job));
        } else {
            close(id, why);
        }
    }

    private void await(OpenJob job, long ms) {
        if (stopped || job.standsStill()) {
            return;
        }
        CloseNotice why = new CloseNotice(
                job.id(), ExitStatuses.TERMINATED, -1, "its launcher did not come back within " + TimeUnit.MILLISECONDS.toSeconds(ms) + " s");
        job.await(relay.loop().schedule(
                () -> relay.control().submit(() -> close(job.id(), why)), ms, TimeUnit.MILLISECONDS), System.currentTimeMillis() + ms);
    }

    private List<RankEntry> waiting(OpenJob job) {
        return here(job.opening(), job.opening().ranks()).mapToObj(rank -> entry(job.id(), rank, 0, RankState.WAITING)).toList();
    }

    RankEntry entry(long job, int rank, int incarnation, RankState state) {
        return new RankEntry(job, rank, relay.settings().site(), relay.id(), incarnation, ShardStatus.shown(state).name());
    }

    /** Whether any logged job is open. */
    boolean isAnyLogged() {
        assert relay.inLoop();
        return open.values().stream().anyMatch(job -> job.opening().logged());
    }

    /** The first job that stands still, and why; empty if none does. */
    Optional<String> standing() {
        assert relay.inLoop();
        return open.values().stream().map(OpenJob::standing).flatMap(Optional::stream).findFirst();
    }

    /** Fails all jobs with durability {@code host}, because the log can no longer be synced to its disk. */
    void failThatSurviveTheHost(String why) {
        assert relay.inLoop();
        if (stopped) {
            return;
        }
        for (OpenJob job : open.values()) {
            if (job.opening().survivesHost()) {
                Shard shard = relay.shards().of(job.id(), 0);
                shard.strand().submit(() -> shard.core().failJob(job.id(), CloseReason.LOG_BROKEN, why));
            }
        }
    }

    /**
     * Called when the relay is stopping. Jobs that are not logged end. Logged jobs stay in the log, and no longer wait
     * for their launchers here.
     */
    void stop() {
        assert relay.inLoop();
        stopped = true;
        for (OpenJob job : List.copyOf(open.values())) {
            if (job.opening().logged()) {
                job.awaitNobody();
            } else {
                close(job.id(), new CloseNotice(job.id(), 1, -1, "relay " + relay.id() + " is stopping"));
            }
        }
    }

    /**
     * Reports connected ranks as AWAY before the relay leaves the group. The events of their closing connections come
     * later.
     */
    void tellAway() {
        assert relay.inLoop();
        for (OpenJob job : open.values()) {
            relay.directory().putRanks(relay.directory().ranks(job.id()).stream()
                    .filter(rank -> rank.relay().equals(relay.id()) && CONNECTED.contains(rank.state()))
                    .map(rank -> entry(job.id(), rank.rank(), rank.incarnation(), RankState.AWAY))
                    .toList());
        }
    }

    /**
     * Ends a job by an operator's order; the launcher is notified first.
     *
     * @return false if the job is not open, or already closed
     */
    boolean endByOrder(long id) {
        assert relay.inLoop();
        OpenJob job = open.get(id);
        if (job == null || job.state() == OpenJob.State.CLOSED) {
            return false;
        }
        String why = "an operator of relay " + relay.id() + " has ended it (posthouse jobs abort)";
        job.tell(new JobEvent(id, JobEvent.ABORTED, -1, ExitStatuses.TERMINATED, why));
        close(id, new CloseNotice(id, ExitStatuses.TERMINATED, -1, why));
        return true;
    }

    /** Ends a job: closes it for all that are still connected, and discards its state. */
    void close(long id, CloseNotice why) {
        assert relay.inLoop();
        OpenJob job = open.get(id);
        if (job == null || !job.close(why.text())) {
            return;
        }
        Lifecycle.event(relay.id(), job + " ended: status " + why.code() + (why.text().isEmpty() ? "" : ", " + why.text()));
        Audit.changed(relay.id(), job + " of " + job.owner() + " ended: status " + why.code() + " " + why.text());
        String reason = why.text().isEmpty() ? "" : ": " + why.text();
        relay.events().add("JOB_ENDED", Job.hexId(job.id()), -1, job.opening().name() + " has ended with status " + why.code() + reason);
        relay.shards().close(id, why, left -> relay.control().submit(() -> closed(job, why, left)));
    }

    private void closed(OpenJob job, CloseNotice why, Shards.ClosedRanks left) {
        assert relay.inLoop();
        if (open.remove(job.id()) == null) {
            return;
        }
        String unended = "";
        if (job.opening().logged()) {
            unended = relay.log().jobClosed(job.id(), why.code()) ? "" : unended(job.toString());
            relay.log().dismiss(job.id());
        }
        relay.links().forget(job.id());
        try {
            relay.status().onJobClosed(job, left, why.code() == 0);
            relay.directory().removeJob(job.id());
            relay.names().jobEnded(Job.hexId(job.id()));
            relay.joints().closed(job.id(), why.text());
            relay.announce();
            relay.status().refresh();
        } finally {
            job.tell(new JobEvent(job.id(), JobEvent.CLOSED, -1, why.code(), unended)); // Last, because the launcher may query at once.
        }
    }

    private String unended(String job) {
        return job + " has ended at relay " + relay.id() + ", and its log did not take that: until it does, its next start will have the job again";
    }
}
