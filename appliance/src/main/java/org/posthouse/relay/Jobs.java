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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.posthouse.audit.Audit;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.RankState;
import org.posthouse.core.Recovered;
import org.posthouse.core.Refusal;
import org.posthouse.directory.RankEntry;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that launchers have opened at this relay: begins and ends them in the shards, the log and the directory,
 * has those of a relay that died go on, and tells their launchers what happens to their ranks. Confined to the relay's control strand.
 */
final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

    private static final Set<String> CONNECTED = Set.of(RankState.CONNECTED.name(), RankState.REPLAYING.name());

    /** Ranks of all open jobs, for each of the connections that the relay takes: 65,536 as a rule, at 2.3 KB of heap with 2 shards 150 MB, at 5.6 with 16 370 MB. */
    private static final int RANKS_PER_CONNECTION = 16;

    /** What a job takes beside its ranks, in ranks at home here; and ranks at home elsewhere that take as much as one here. Measured with 2 shards and 16: a job 9 and 22 KB, a rank elsewhere 0.2 and 0.4. */
    private static final int RANKS_A_JOB = 4;

    private static final int RANKS_ELSEWHERE = 10;

    private final Relay relay;
    private final Map<Long, OpenJob> open = new LinkedHashMap<>();
    private long divergences;

    /** Whether the relay is about to end: those that are logged stand in the log for its next start. */
    private boolean stopped;

    Jobs(Relay relay) {
        this.relay = relay;
    }

    Collection<OpenJob> all() {
        return open.values();
    }

    /** How many ranks of open jobs are at home here. */
    int ranksHere() {
        assert relay.inLoop();
        return (int) open.values().stream().mapToLong(job -> here(job.opening()).count()).sum();
    }

    private IntStream here(JobOpen job) {
        int self = Job.indexOf(relay.id(), job.homes());
        int[] homeOf = job.homeOf();
        return IntStream.range(0, homeOf.length).filter(rank -> homeOf[rank] == self);
    }

    /** The job with this id, or null. */
    OpenJob job(long id) {
        return open.get(id);
    }

    /**
     * Opens a job, so that its ranks may come and messages for them may wait, or gives one that is open its launcher back.
     * Fails with a {@link Refusal}, or for want of room in the log.
     *
     * @param owner whose job it is: jobs of one owner share what one may have
     */
    Future<OpenJob> open(JobOpen opening, String owner, LauncherSession launcher) {
        assert relay.inLoop();
        try {
            return Future.succeededFuture(opening).compose(asked -> asked.again() ? attach(asked, owner, launcher) : begin(asked, owner, launcher));
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private Future<OpenJob> begin(JobOpen opening, String owner, LauncherSession launcher) {
        Journal journal;
        try {
            check(opening, owner);
            journal = opening.logged() ? relay.journal().forJob(opening) : Journal.NONE;
        } catch (Refusal e) {
            return Future.failedFuture(e);
        } catch (RuntimeException e) {
            relay.journal().dismiss(opening.job());
            return Future.failedFuture(e);
        }
        OpenJob job = new OpenJob(opening, launcher, System.currentTimeMillis());
        job.owner(owner);
        open.put(job.id(), job);
        expectRanks(job);
        expectOthers(opening);
        return inControl(openShards(opening, journal))
                .map(opened -> {
                    LOG.info("{}: {} of {} ranks opened", relay.id(), job, opening.size());
                    Audit.changed(relay.id(), job + " of " + opening.size() + " ranks, durability " + opening.durability() + ", opened by " + job.owner());
                    relay.directory().putRanks(waiting(job));
                    relay.announce();
                    return job;
                })
                .onFailure(fault -> undo(job, fault));
    }

    /** For ranks that do not come no room in the log is kept: it was reserved for what anybody may announce. */
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
            relay.journal().room().reservations().resize(
                    job.id(), job.ranksExpected((int) here(job.opening()).count()) * relay.settings().rankBytes());
        }
    }

    private void rankCame(OpenJob job, int rank) {
        if (!job.rankCame(rank)) {
            return;
        }
        resize(job);
        if (job.ranksThatCame() == 1 && job.launcherAwaitedUntilMs() > 0) {
            job.awaitNobody();
            await(job, launcherWaitMs(job)); // There is something to come back to.
        }
    }

    /** How long it waits for its launcher. If none of its ranks has come there is nothing to come back to. */
    private long launcherWaitMs(OpenJob job) {
        LauncherWait wait = relay.settings().launcherWait();
        long ms = job.state() == OpenJob.State.RECOVERED ? wait.recoveredMs(job.opening()) : wait.orphanedMs(job.opening());
        return job.ranksThatCame() == 0 ? Math.min(ms, wait.ranksComeMs()) : ms;
    }

    /** One that has been in contact may have stopped since. */
    private void expectOthers(JobOpen opening) {
        relay.links().expect(opening.homes().stream().map(HomeRelay::relay).filter(other -> !other.equals(relay.id())).toList());
    }

    /** A job that could not be opened has never been: the relay's next start is not to find it in the log. */
    private void undo(OpenJob job, Throwable fault) {
        open.remove(job.id());
        relay.shards().close(job.id(), new CloseNotice(job.id(), 1, -1, fault.toString()), ranks -> {});
        if (job.opening().logged()) {
            relay.journal().jobClosed(job.id(), 1);
            relay.journal().dismiss(job.id());
        }
        relay.links().forget(job.id());
    }

    /** Ends in some strand. A job that could not be opened may be open in some shards. */
    private Future<Void> openShards(JobOpen opening, Journal journal) {
        return Future.future(opened -> relay.shards().open(opening, relaysOf(opening), this::onRankEvent, journal, fault -> opened.complete(null, fault)));
    }

    /** The same, ended in the control strand. */
    private <T> Future<T> inControl(Future<T> work) {
        Promise<T> ended = Promise.promise();
        work.onComplete((value, fault) -> relay.control().submit(() -> ended.complete(value, fault)));
        return ended.future();
    }

    /**
     * Has the jobs of the relay that has died go on, which may take a while. One that cannot, as far as its own records are to blame, fails for its
     * launcher, and keeps neither the relay nor the others from it.
     */
    Future<Void> recover(List<LoggedJob> jobs) {
        assert relay.inLoop();
        return Future.all(jobs.stream().map(this::recover).toList()).mapEmpty();
    }

    private Future<Void> recover(LoggedJob logged) {
        OpenJob job = new OpenJob(logged.opening(), null, System.currentTimeMillis());
        job.recall(logged.divergences(), logged.divergence());
        divergences += logged.divergences();
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

    /** Gives how its ranks here stand. */
    private Future<List<RankEntry>> goOn(LoggedJob logged) {
        if (logged.fault() != null) {
            return Future.failedFuture(logged.fault());
        }
        JobOpen opening = logged.opening();
        List<RankEntry> ranks = logged.ranks().stream().map(rank -> entry(opening.job(), rank)).toList();
        relay.journal().room().reservations().reserve(opening.job(), "", opening.size() * relay.settings().rankBytes());
        OpenJob job = open.get(opening.job());
        logged.ranks().stream().filter(rank -> rank.incarnation() > 0).forEach(rank -> job.rankCame(rank.rank()));
        expectRanks(job);
        expectOthers(opening);
        Promise<List<RankEntry>> restored = Promise.promise();
        openShards(opening, relay.journal())
                .onSuccess(opened -> relay.shards().restore(opening.job(), logged.ranks(), fault -> restored.complete(ranks, fault)))
                .onFailure(restored::fail);
        return restored.future();
    }

    /**
     * Nobody is let into it, and its launcher hears why when it comes. A launcher with a folder leaves it in the log, where another build may go on with it, unless it misses
     * what ranks at other relays have sent meanwhile, until somebody ends it; one without, or its absence, ends it, as nobody else could.
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
        LOG.info("{}: {} of {} ranks is back from the log", relay.id(), job, job.opening().size());
        relay.directory().putRanks(ranks);
        await(job, launcherWaitMs(job));
    }

    private RankEntry entry(long job, Recovered rank) {
        RankState state = rank.finalized() ? RankState.FINALIZED : rank.incarnation() > 0 ? RankState.AWAY : RankState.WAITING;
        return entry(job, rank.rank(), rank.incarnation(), state);
    }

    private List<OtherRelay> relaysOf(JobOpen opening) {
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
        requireRoom(opening, owner, job);
        int most = relay.settings().launcherWait().keepSecondsMax();
        if (opening.logged() && opening.keepSeconds() > most) {
            throw new Refusal(CloseReason.LIMIT, job + " is to be kept for " + opening.keepSeconds() + " s without its launcher, and relay " + relay.id()
                    + " keeps jobs for " + most + " s at most: give run --launcher-timeout " + most + ", or relay --keep-max " + opening.keepSeconds());
        }
        if (opening.logged() && !relay.journal().isOpen()) {
            throw new Refusal(CloseReason.NO_LOG, job + " is to be logged, at relay " + relay.id());
        }
        if (opening.survivesHost() && relay.syncFailure().isPresent()) {
            throw new Refusal(CloseReason.LOG_BROKEN, job + " cannot survive the host of relay " + relay.id() + ": " + relay.syncFailure().get());
        }
        if (opening.logged()) {
            Optional<String> tooMuch = relay.journal().room().admit(opening, owner, relay.settings().rankBytes());
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

    /** How many ranks at home here take as much. */
    private long room(JobOpen job) {
        long here = here(job).count();
        return RANKS_A_JOB + here + (job.size() - here) / RANKS_ELSEWHERE;
    }

    /** Gives a job its launcher back. It is told how each rank stands, and what it has missed. */
    private Future<OpenJob> attach(JobOpen opening, String owner, LauncherSession launcher) {
        String name = "job " + Job.hexId(opening.job());
        OpenJob job = open.get(opening.job());
        if (job == null && relay.journal().isUnended(opening.job())) {
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
            relay.journal().room().reservations().own(job.id(), owner);
        }
        return Future.succeededFuture(job);
    }

    /** Tells a launcher that has come back how each rank stands, and what it has missed. */
    void tellStandings(OpenJob job) {
        assert relay.inLoop();
        job.tellMissed();
        relay.shards().each(shard -> shard.standings(job.id()).forEach(this::onStanding));
    }

    private void onStanding(JobEvent event) {
        relay.control().submit(() -> onEvent(event, null));
    }

    /** A launcher's connection has ended. Its jobs that are logged wait for it; the others end. */
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
        return here(job.opening()).mapToObj(rank -> entry(job.id(), rank, 0, RankState.WAITING)).toList();
    }

    private RankEntry entry(long job, int rank, int incarnation, RankState state) {
        return new RankEntry(job, rank, relay.settings().site(), relay.id(), incarnation, RelayStatus.shown(state).name());
    }

    /** Whether any that stands in the log is open. */
    boolean isAnyLogged() {
        assert relay.inLoop();
        return open.values().stream().anyMatch(job -> job.opening().logged());
    }

    /** Which job stands still, and why: the first of them; empty if none does. */
    Optional<String> standing() {
        assert relay.inLoop();
        return open.values().stream().map(OpenJob::standing).flatMap(Optional::stream).findFirst();
    }

    /** The log cannot be made safe on its disk any more. */
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

    /** Called inside the rank's shard. */
    private void onRankEvent(JobEvent event, HomedRank rank) {
        RankEntry entry = rank == null ? null : entry(event.job(), rank.rank(), rank.incarnation(), rank.state());
        relay.control().submit(() -> onEvent(event, entry));
    }

    /** Messages of all jobs that ranks which were started again would have sent otherwise than before. */
    long divergences() {
        return divergences;
    }

    private void onEvent(JobEvent event, RankEntry entry) {
        assert relay.inLoop();
        OpenJob job = open.get(event.job());
        if (job != null && job.isTold(event)) {
            return;
        }
        LOG.info("{}: job {} rank {}: event {} {}", relay.id(), Job.hexId(event.job()), event.rank(), event.kind(), event.text());
        divergences += event.kind() == JobEvent.DIVERGED ? 1 : 0;
        if (job == null) {
            return;
        }
        if (entry != null) {
            relay.directory().putRanks(List.of(entry));
            if (entry.incarnation() > 0) {
                rankCame(job, entry.rank());
            }
        }
        if (OpenJob.stands(event)) {
            job.standStill(new JobEvent(event.job(), event.kind(), event.rank(), event.code(), event.text() + held(job)));
            return;
        }
        job.tell(event);
        if (event.kind() == JobEvent.DIVERGED) {
            keepDivergences(job);
        }
    }

    /** Its frames are not acknowledged until this relay is started again, and a link acknowledges in order. */
    private String held(OpenJob job) {
        String others = job.opening().homes().stream().map(HomeRelay::relay).filter(other -> !other.equals(relay.id())).collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : "; until then it holds what comes from " + others + ", of whatever job: past the 64 MiB of a link's window that waits";
    }

    /** The log is told of the first, and whenever their number has doubled: a rank may send millions of messages otherwise than before. */
    private void keepDivergences(OpenJob job) {
        if (job.opening().logged() && Long.bitCount(job.divergences()) == 1) {
            relay.journal().diverged(job.id(), job.divergences(), job.divergence());
        }
    }

    /** The relay is about to end. What is not logged ends with it; what is stays in the log as it is, and waits for nobody here any more. */
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

    /** Says it before the group is left: what comes of their connections comes behind that. */
    void tellAway() {
        assert relay.inLoop();
        for (OpenJob job : open.values()) {
            relay.directory().putRanks(relay.directory().ranks(job.id()).stream()
                    .filter(rank -> rank.relay().equals(relay.id()) && CONNECTED.contains(rank.state()))
                    .map(rank -> entry(job.id(), rank.rank(), rank.incarnation(), RankState.AWAY))
                    .toList());
        }
    }

    /** Ends a job by an operator's word, which its launcher hears first. @return false if it is not open, or not any more */
    boolean endByOrder(long id) {
        assert relay.inLoop();
        OpenJob job = open.get(id);
        if (job == null || job.state() == OpenJob.State.CLOSED) {
            return false;
        }
        String why = "an operator of relay " + relay.id() + " has ended it (posthouse jobs end)";
        job.tell(new JobEvent(id, JobEvent.ABORTED, -1, ExitStatuses.TERMINATED, why));
        close(id, new CloseNotice(id, ExitStatuses.TERMINATED, -1, why));
        return true;
    }

    /** Ends a job: whoever is still connected is told, and everything kept for it is forgotten. */
    void close(long id, CloseNotice why) {
        assert relay.inLoop();
        OpenJob job = open.get(id);
        if (job == null || !job.close(why.text())) {
            return;
        }
        LOG.info("{}: {} closed: status {} {}", relay.id(), job, why.code(), why.text());
        Audit.changed(relay.id(), job + " of " + job.owner() + " ended: status " + why.code() + " " + why.text());
        relay.shards().close(id, why, ranks -> relay.control().submit(() -> closed(job, why, ranks)));
    }

    private void closed(OpenJob job, CloseNotice why, Collection<ShardStatus.Rank> ranks) {
        assert relay.inLoop();
        if (open.remove(job.id()) == null) {
            return;
        }
        String unended = "";
        if (job.opening().logged()) {
            unended = relay.journal().jobClosed(job.id(), why.code()) ? "" : unended(job.toString());
            relay.journal().dismiss(job.id());
        }
        relay.links().forget(job.id());
        try {
            relay.status().onJobClosed(job, ranks, why.code() == 0);
            relay.directory().removeJob(job.id());
            relay.announce();
            relay.status().refresh();
        } finally {
            job.tell(new JobEvent(job.id(), JobEvent.CLOSED, -1, why.code(), unended)); // Last: who hears of it may look at once.
        }
    }

    private String unended(String job) {
        return job + " has ended at relay " + relay.id() + ", and its log did not take that: until it does, its next start will have the job again";
    }
}
