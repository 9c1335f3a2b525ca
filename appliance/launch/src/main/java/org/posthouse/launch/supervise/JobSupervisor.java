package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.posthouse.launch.job.ExitStatus;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.job.Restart;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;

/**
 * Decides what the events of a job mean: which exits of processes are good, which call for a restart, and which end the
 * job. Confined to the job's thread. It has no clock: times are those of {@link System#nanoTime}, passed in.
 */
public final class JobSupervisor {
    /** Its actions on processes. */
    public interface Processes {
        /**
         * Starts a process of the rank, whose last one has ended.
         *
         * @return false if no more are to be started
         */
        public boolean start(int rank, int incarnation) throws JobFailure;

        /** The system's number (pid) of the rank's present process. */
        long pid(int rank);

        /**
         * No other process follows: shows the output that was held back.
         *
         * @param well whether it ended as it should. {@link JobSignal.Kept} of process 0 follows when a launcher that may
         *     come after this one knows that.
         */
        void finishOutput(int rank, boolean well);

        /**
         * A checkpoint was taken; image 0 is the end of the prologue. The bytes are what the rank had printed to its
         * streams by then.
         *
         * @return whether that is news
         */
        boolean checkpointed(int rank, int image, long outBytes, long errBytes);

        /**
         * The rank saves: {@link JobSignal.Kept} follows when the output that its process had printed by then is kept.
         */
        void saves(int rank, int incarnation, long outBytes, long errBytes);

        /** The rank made a call that cannot be replayed. */
        void limited(int rank, String why);

        /** The kept output of the rank has a mark, which another launcher may need. */
        void placed(JobSignal.Placed place);

        /** Makes all marks so far survive the failure that the job is to survive. */
        void keepPlaces();
    }

    private final JobSpec spec;
    private final long job;
    private final boolean mayBeLeft;
    private final RankTable ranks;
    private final Restarts restarts;
    private final RestartTimings restartTimings;
    private final RelayLosses losses = new RelayLosses();
    private final DeadlockDetector deadlockDetector;
    private final SendDeadlock sendDeadlock = new SendDeadlock();
    private final LingeringProcesses lingeringProcesses;
    private final int[] homeOf;
    private final JobTimers jobTimers;
    private final JobThread thread = new JobThread();
    private final Processes processes;
    private final IntConsumer redial;
    private final Consumer<JobKept> kept;
    private final Consumer<String> tell;
    private final List<String> divergences = new ArrayList<>();
    private final List<String> printedOther = new ArrayList<>();

    /** The time of the last start of a process, for each rank. */
    private final long[] startedNs;

    private String toldOfRoom = "";

    /** Reasons why ranks cannot be restarted; each is reported once. */
    private final Set<String> limitsTold = new HashSet<>();

    /** Relays that have not confirmed to this launcher yet that they have the job. */
    private final Set<Integer> unheard = new HashSet<>();

    /** Relays that no longer had the job because it was over. */
    private final Set<Integer> unknownAt = new HashSet<>();

    /** Relays that were reported as not answering. */
    private final Set<Integer> unresponsive = new HashSet<>();

    /** The end of the job that another launcher has decided, perhaps without telling all relays; null if none has. */
    private JobStatusReport.End decided;

    /** Whether only the relays remain to be told of the end. */
    private boolean allDone;

    /** Ranks that have not yet reached the state in which other launchers left them. */
    private final Set<Integer> behind = new HashSet<>();

    /** The first rank that other launchers have left and that cannot be restarted; or NOBODY. */
    private int lostForEver = JobTimers.NOBODY;

    private CloseNotice failure;
    /** The reason why the job is left for another launcher; null unless it is. */
    private String left;

    private int leftStatus = ExitStatuses.LEFT;

    private boolean closing;

    /**
     * @param mayBeLeft whether another launcher could continue the job
     * @param homeOf for each rank, the index of its relay
     * @param redial dials a lost relay again, which ends with a signal
     * @param kept tells the rank's relay
     * @param tell tells people a line
     */
    public JobSupervisor(
            JobSpec spec,
            long job,
            boolean mayBeLeft,
            int[] homeOf,
            Processes processes,
            IntConsumer redial,
            Consumer<JobKept> kept,
            Consumer<String> tell) {
        this.spec = spec;
        this.job = job;
        this.mayBeLeft = mayBeLeft;
        this.ranks = new RankTable(spec.ranks(), spec.isRestartable());
        this.restarts = new Restarts(spec.ranks(), spec.patience().maxRestarts());
        this.restartTimings = new RestartTimings(spec.ranks());
        this.deadlockDetector = new DeadlockDetector(spec.ranks());
        this.lingeringProcesses = new LingeringProcesses(ranks, processes::pid);
        this.homeOf = homeOf.clone();
        this.jobTimers = new JobTimers(ranks, homeOf);
        this.processes = processes;
        this.redial = redial;
        this.kept = kept;
        this.tell = tell;
        this.startedNs = new long[spec.ranks()];
    }

    /** Starts the first process of a rank. */
    public void start(int rank, long nowNs) throws JobFailure {
        assert thread.isCurrent();
        startedNs[rank] = nowNs;
        if (!processes.start(rank, 1)) {
            ranks.exited(rank, ExitStatuses.TERMINATED);
        }
    }

    /**
     * Continues a job that other launchers have left: every rank's process has ended, and every relay must be dialled.
     */
    public void goOn(RankNotes notes, long nowNs) {
        assert thread.isCurrent();
        decided = notes.ending().orElse(null);
        allDone = decided != null || IntStream.range(0, spec.ranks()).allMatch(notes::isDone);
        for (int rank = 0; rank < spec.ranks(); rank++) {
            if (allDone || notes.isDone(rank)) {
                ranks.told(rank, RankConnectionState.FINALIZED);
                ranks.exited(rank, 0);
            } else if (notes.limit(rank) != null) {
                ranks.limited(rank, notes.limit(rank));
                ranks.exited(rank, ExitStatuses.TERMINATED);
                lostForEver = lostForEver == JobTimers.NOBODY ? rank : lostForEver;
            } else {
                int next = notes.incarnation(rank) + 1;
                ranks.exited(rank, ExitStatuses.TERMINATED);
                restarts.goOn(rank, next);
                jobTimers.restart(rank, nowNs);
                behind.add(rank);
                restartTimings.begin(rank, next, Restart.LAUNCHER_LOST, nowNs, nowNs);
            }
        }
        for (int relay : IntStream.of(homeOf).distinct().toArray()) {
            unheard.add(relay);
            jobTimers.relayLost(relay, nowNs);
            redial.accept(relay);
        }
    }

    /** Whether every process has ended and none is to follow, or the job has failed. */
    public boolean isOver() {
        return failure != null || left != null
                || (unheard.isEmpty() && ranks.allExited() && !jobTimers.isRestarting() && ranks.firstUnsettled(rank -> true) < 0);
    }

    /** Whether the job is not over, but left for another launcher. */
    public boolean isLeft() {
        return left != null;
    }

    /** Whether the job has failed. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Whether all processes of ranks have exited. */
    public boolean haveAllExited() {
        return ranks.allExited();
    }

    /** Whether all ranks have connected. */
    public boolean haveAllConnected() {
        return ranks.haveAllConnected();
    }

    /** Whether the rank has no connection over which it would be told of the job's end. */
    public boolean isAwaited(int rank) {
        return ranks.isAwaited(rank);
    }

    /** Time until the next deadline, if no event comes before; {@link JobTimers#FOR_EVER} if there is none. */
    public long quietNs(long nowNs) {
        return Math.min(jobTimers.quietNs(nowNs), lingeringProcesses.quietNs(nowNs));
    }

    /** Handles the deadlines that have passed. */
    public void onTime(long nowNs) throws JobFailure {
        assert thread.isCurrent();
        int rank = goesOn() ? jobTimers.takeDue(nowNs) : JobTimers.NOBODY;
        while (rank != JobTimers.NOBODY) {
            restart(rank, nowNs);
            rank = goesOn() ? jobTimers.takeDue(nowNs) : JobTimers.NOBODY;
        }
        int overdue = jobTimers.overdue(nowNs);
        if (goesOn() && overdue != JobTimers.NOBODY) {
            judgeUnsettled(overdue);
        }
        String news = goesOn() ? lingeringProcesses.news(nowNs) : null;
        if (news != null) {
            tell.accept(news);
        }
    }

    private boolean goesOn() {
        return failure == null && left == null;
    }

    /** Handles a signal. Times are of {@link System#nanoTime}. */
    public void on(JobSignal jobSignal, long nowNs) {
        assert thread.isCurrent();
        switch (jobSignal) {
            case JobSignal.Exited exited -> onExited(exited, nowNs);
            case JobSignal.Event event -> onEvent(event.event(), event.atNs(), nowNs);
            case JobSignal.PrintsDiffer other -> printsDiffer("rank " + other.rank() + " " + other.what());
            case JobSignal.LastWords last -> ranks.lastWords(last.rank(), last.words());
            case JobSignal.OutputLost lost -> tell.accept("rank " + lost.rank() + " " + lost.what());
            case JobSignal.Kept is -> onKept(is);
            case JobSignal.Placed placed -> processes.placed(placed);
            case JobSignal.Unkept unkept -> onUnkept(unkept.rank(), unkept.why());
            case JobSignal.RelayLost lost -> onRelayLost(lost, nowNs);
            case JobSignal.RelayBack back -> onRelayBack(back, nowNs);
            case JobSignal.Unresponsive still -> onUnresponsive(still);
            case JobSignal.Responsive again -> onResponsive(again);
            case JobSignal.JobUnknown unknown -> onJobUnknown(unknown, nowNs);
            case JobSignal.JobLost lost -> onJobLost(lost, nowNs);
            case JobSignal.NotYet not -> tell.accept(not.why() + "; it is dialled again");
            case JobSignal.Leave leave -> leave(leave.why());
            case JobSignal.Stop stop -> fail(stop.status(), stop.why());
        }
    }

    private void onKept(JobSignal.Kept is) {
        if (is.incarnation() > 0) {
            processes.keepPlaces();
        }
        kept.accept(new JobKept(job, is.rank(), is.incarnation(), is.outBytes(), is.errBytes()));
    }

    /** A later launcher finds the output kept so far and continues from there. */
    private void onUnkept(int rank, String why) {
        ranks.unkept(rank, why);
        if (limitsTold.add(why)) {
            String then = mayBeLeft ? "the job stands still if it dies, for another launcher: " : "the job ends if it dies: ";
            tell.accept("rank " + rank + " cannot be started again from here on, and " + then + why + " (of other ranks the same is not told)");
        }
    }

    private void onRelayLost(JobSignal.RelayLost lost, long nowNs) {
        if (unknownAt.contains(lost.relay())) {
            return;
        }
        long timeoutMs = spec.isRestartable() ? spec.patience().relayTimeoutMs() : 0;
        boolean isGone = lost.isFinal() || timeoutMs == 0;
        if (isGone && mayBeLeft) {
            leave(lost.why());
        } else if (isGone) {
            fail(1, lost.why());
        } else if (!closing) {
            jobTimers.relayLost(lost.relay(), nowNs);
            losses.lost(lost.relay());
            ranksAt(lost.relay()).forEach(ranks::cutOff);
            ranksAt(lost.relay()).forEach(deadlockDetector::goesOn);
            tell.accept(lost.why() + ": dialled again for " + TimeUnit.MILLISECONDS.toSeconds(timeoutMs) + " s");
            redial.accept(lost.relay());
        }
    }

    /** Only the relay's log has what its ranks received: without it no launcher can continue the job. */
    private void onJobLost(JobSignal.JobLost lost, long nowNs) {
        if (mayBeLeft && !unknownAt.contains(lost.relay())) {
            String whose = ranksAt(lost.relay()).mapToObj(Integer::toString).collect(Collectors.joining(", "));
            leave(lost.why() + ": what its log had is missing, all that rank" + (whose.contains(",") ? "s " : " ") + whose
                    + " had received and saved; only its data folder of then, or a copy of that, brings it back");
            leftStatus = ExitStatuses.LOST;
        } else {
            onRelayLost(new JobSignal.RelayLost(lost.relay(), lost.why(), true), nowNs);
        }
    }

    /**
     * Frames under way to a stopped relay are lost only if it ends. A job without a log therefore waits for it without
     * a limit.
     */
    private void onUnresponsive(JobSignal.Unresponsive still) {
        long patience = spec.isRestartable() ? TimeUnit.MILLISECONDS.toSeconds(spec.patience().relayTimeoutMs()) : 0;
        String what = still.who() + " has not answered for " + still.seconds() + " s, though its connection stands: its process is stopped (kill -CONT), or"
                + " its host is too busy";
        if (patience > 0 && still.seconds() >= patience) {
            String why = what + "; " + patience + " s are its --relay-timeout";
            if (mayBeLeft) {
                leave(why);
            } else {
                fail(1, why);
            }
        } else if (!closing && unresponsive.add(still.relay())) {
            String then = mayBeLeft ? " and the job is left after " : " and the job ends after ";
            tell.accept(what + "; its ranks wait" + (patience > 0 ? "," + then + patience + " s (--relay-timeout)" : ""));
        }
    }

    private void onResponsive(JobSignal.Responsive again) {
        if (unresponsive.remove(again.relay())) {
            tell.accept(again.who() + " answers again after " + again.seconds() + " s");
        }
    }

    private void onRelayBack(JobSignal.RelayBack back, long nowNs) {
        if (unknownAt.contains(back.relay())) {
            return; // It was started on its log after all, and is told of the end as all.
        }
        long downNs = jobTimers.relayBack(back.relay(), nowNs);
        if (unheard.remove(back.relay())) {
            tell.accept("relay " + back.id() + " has the job");
            endIfLostForEver();
            return;
        }
        Set<Integer> missing = ranksAt(back.relay()).filter(ranks::isMissing).boxed().collect(Collectors.toSet());
        losses.back(back.relay(), back.id(), downNs, nowNs, missing);
        tell.accept(String.format(Locale.ROOT, "relay %s is back after %.2f s", back.id(), downNs / 1e9));
    }

    /** Fails a job with a rank that cannot be restarted, once every relay is connected and can be told. */
    private void endIfLostForEver() {
        if (unheard.isEmpty() && lostForEver != JobTimers.NOBODY) {
            fail(ExitStatuses.TERMINATED, "rank " + lostForEver + " lost its launcher, and cannot be started again: " + ranks.limit(lostForEver));
        }
    }

    /** An earlier launcher may have ended the job there and died before it wrote that down. */
    private void onJobUnknown(JobSignal.JobUnknown unknown, long nowNs) {
        if (unheard.contains(unknown.relay()) && allDone) {
            unheard.remove(unknown.relay());
            unknownAt.add(unknown.relay());
            jobTimers.relayBack(unknown.relay(), nowNs);
        } else {
            tell.accept(unknown.why() + "; the relay is asked again: if it was started with another --data than before, start it with that");
        }
    }

    private IntStream ranksAt(int relay) {
        return IntStream.range(0, homeOf.length).filter(rank -> homeOf[rank] == relay);
    }

    /** The relay says that the rank goes on, or has ended. */
    private void settled(int rank, long atNs) {
        behind.remove(rank);
        String told = losses.settled(rank, atNs);
        if (told != null) {
            tell.accept(told);
        }
    }

    private void onExited(JobSignal.Exited exited, long nowNs) {
        ranks.exited(exited.rank(), exited.status());
        judge(exited.rank(), exited.endedNs(), nowNs);
    }

    private void onEvent(JobEvent event, long atNs, long nowNs) {
        int rank = event.rank();
        if (decided != null) {
            return;
        }
        if (event.kind() == JobEvent.REFUSED) {
            tell.accept("somebody who claimed to be rank " + rank + " was refused: " + event.text());
        } else if (event.kind() == JobEvent.ABORTED && rank < 0 && event.code() == JobEvent.STANDS) {
            leave(event.text());
        } else if (event.kind() == JobEvent.ABORTED) {
            fail(event.code(), rank < 0 ? event.text() : "rank " + rank + " " + event.text());
        } else if (event.kind() == JobEvent.LOG_STATE) {
            tellOfRoom((event.code() == 1 ? "the job waits for room in a log: " : "the log has room again: ") + event.text());
        } else if (event.kind() == JobEvent.LINK_STATE) {
            tell.accept(event.text());
        } else if (rank < 0 || rank >= spec.ranks()) {
            fail(1, "a relay told of rank " + rank + " of a job of " + spec.ranks() + " ranks");
        } else {
            onRank(rank, event, atNs);
            tellStandstill(rank, event);
            tellRing(rank, event);
            judge(rank, nowNs, nowNs);
        }
    }

    /** Ranks that wait for each other are reported at once. */
    private void tellRing(int rank, JobEvent event) {
        if (event.kind() == JobEvent.SENDS_BEHIND) {
            List<Integer> ring = sendDeadlock.waits(rank, (int) event.a(), event.code(), (int) event.b(), event.text());
            if (!ring.isEmpty() && !closing && goesOn()) {
                tell.accept(sendDeadlock.words(ring));
            }
        } else if (!ranks.isConnected(rank)) {
            sendDeadlock.forget(rank);
        }
    }

    private void tellStandstill(int rank, JobEvent event) {
        if (event.kind() == JobEvent.BLOCKED && event.code() > 0) {
            deadlockDetector.blocked(rank, event.text(), event.code());
        } else if (event.kind() == JobEvent.BLOCKED || !ranks.isConnected(rank)) {
            deadlockDetector.goesOn(rank);
        }
        String news = closing || !goesOn() ? null : deadlockDetector.news(ranks::finalized);
        if (news != null) {
            tell.accept(news);
        }
    }

    /** A relay reports this once for each of its cores that has ranks of the job. */
    private void tellOfRoom(String text) {
        if (!text.equals(toldOfRoom)) {
            tell.accept(text);
        }
        toldOfRoom = text;
    }

    private void onRank(int rank, JobEvent event, long atNs) {
        switch (event.kind()) {
            case JobEvent.CONNECTED -> {
                restartTimings.heard(rank, atNs);
                back(rank, atNs, 0);
            }
            case JobEvent.FINALIZED -> {
                ranks.told(rank, RankConnectionState.FINALIZED);
                settled(rank, atNs);
            }
            case JobEvent.LOST -> onLost(rank, event.text());
            case JobEvent.AWAY -> {
                ranks.told(rank, RankConnectionState.AWAY);
                restartTimings.away(rank, atNs);
            }
            case JobEvent.REPLAYING -> {
                ranks.told(rank, RankConnectionState.REPLAYING);
                restartTimings.heard(rank, atNs);
            }
            case JobEvent.CAUGHT_UP -> back(rank, atNs, event.a());
            case JobEvent.DIVERGED -> diverged("rank " + rank + " " + event.text());
            case JobEvent.LIMITED -> limited(rank, event.text());
            case JobEvent.CHECKPOINTED -> {
                boolean isNew = processes.checkpointed(rank, event.code(), event.a(), event.b());
                if (isNew && event.code() > 0) {
                    ranks.checkpointed(rank);
                }
            }
            case JobEvent.SAVES -> processes.saves(rank, event.code(), event.a(), event.b());
            case JobEvent.UNRECEIVED -> tell.accept("rank " + rank + " " + event.text());
            case JobEvent.BLOCKED, JobEvent.SENDS_BEHIND -> {}
            default -> throw new IllegalStateException("unknown event " + event);
        }
    }

    /**
     * Reports a limit before a death shows it, unless the notice was lost. It may hold for all ranks: the first is
     * named.
     */
    private void limited(int rank, String why) {
        if (!ranks.limited(rank, why)) {
            return;
        }
        processes.limited(rank, why);
        if (behind.contains(rank)) {
            lostForEver = lostForEver == JobTimers.NOBODY ? rank : lostForEver;
            endIfLostForEver();
        } else if (restartTimings.isOpen(rank)) {
            fail(ranks.status(rank), died(rank) + ", and cannot be started again: " + why);
        } else if (spec.isRestartable() && limitsTold.add(why)) {
            tell.accept(
                    "rank " + rank + " cannot be started again from here on, and the job ends if it dies: " + why + " (of other ranks the same is not told)");
        }
    }

    /** The rank has reached its earlier state. */
    private void back(int rank, long atNs, long deliveries) {
        ranks.told(rank, RankConnectionState.CONNECTED);
        restarts.there(rank, atNs);
        Restart restart = restartTimings.caughtUp(rank, atNs, deliveries);
        if (restart != null) {
            tell.accept(restart.words());
        }
        settled(rank, atNs);
    }

    /** The relay has given the rank up, which a restart cannot change. */
    private void onLost(int rank, String why) {
        ranks.lost(rank, why);
        if (restartTimings.isOpen(rank)) {
            fail(ranks.status(rank), died(rank) + ", and its relay does not wait for another: " + why);
        }
    }

    /** A restarted rank sent something else than before. */
    private void diverged(String what) {
        divergences.add(what);
        tell.accept("DIVERGED: " + what);
    }

    /**
     * A restarted rank printed something else than before, which says nothing about its sends. The launcher compares
     * the output, the relay the sends.
     */
    private void printsDiffer(String what) {
        printedOther.add(what);
        tell.accept("PRINTS DIFFER: " + what);
    }

    /** Decides what a rank's end means, once it has ended and all reports that matter have come. */
    private void judge(int rank, long endedNs, long nowNs) {
        if (closing || !goesOn() || jobTimers.isRestarting(rank)) {
            return;
        }
        switch (ranks.verdict(rank)) {
            case WAIT -> {}
            case DONE -> processes.finishOutput(rank, true);
            case RESTART -> decide(rank, endedNs, nowNs);
            case FAIL -> failed(rank);
        }
    }

    private void failed(int rank) {
        int status = ranks.status(rank);
        if (status == 0) {
            fail(1, "rank " + rank + " exited without calling MPI.Finalize");
            return;
        }
        boolean accident = ExitStatus.isAccident(status) || ranks.couldNotStart(rank);
        String limit = spec.isRestartable() && accident ? ranks.limit(rank) : null;
        if (limit != null && mayBeLeft && ranks.isOnlyUnkept(rank)) {
            leave(died(rank) + ", and this launcher cannot start it again: " + limit);
            return;
        }
        fail(status, died(rank) + (limit == null ? "" : ", and cannot be started again: " + limit));
    }

    private String died(int rank) {
        String why = ranks.lastWords(rank);
        return "rank " + rank + " " + howEnded(rank) + (why == null ? "" : ": " + why);
    }

    private String howEnded(int rank) {
        return ExitStatus.words(ranks.status(rank)) + (ranks.couldNotStart(rank) ? " before its relay heard of it" : "");
    }

    /** Starts another process of the rank, if it may have one. */
    private void decide(int rank, long endedNs, long nowNs) {
        restarts.ended(rank, endedNs);
        if (restarts.isAllowed(rank)) {
            if (ranks.couldNotStart(rank)) {
                restarts.unstarted(rank);
            }
            again(rank, howEnded(rank), "rank " + rank + " " + howEnded(rank), endedNs, nowNs);
        } else if (mayBeLeft) {
            leave(died(rank) + restarts.refusal(rank));
        } else {
            fail(ranks.status(rank), died(rank) + restarts.refusal(rank));
        }
    }

    private void again(int rank, String cause, String what, long endedNs, long nowNs) {
        long dueNs = restarts.next(rank, ranks.status(rank), startedNs[rank], endedNs);
        jobTimers.restart(rank, dueNs);
        restartTimings.begin(rank, restarts.incarnation(rank), cause, endedNs, nowNs);
        long waitMs = TimeUnit.NANOSECONDS.toMillis(dueNs - endedNs);
        String when = waitMs == 0 ? "restarted" : String.format(Locale.ROOT, "restarted after %.2f s", waitMs / 1e3);
        tell.accept(what + ": " + when + " (" + restarts.used(rank) + " of " + restarts.maxPerRank() + ")");
    }

    private void restart(int rank, long nowNs) throws JobFailure {
        startedNs[rank] = nowNs;
        try {
            if (processes.start(rank, restarts.incarnation(rank))) {
                ranks.restarted(rank);
                restartTimings.started(rank, nowNs);
            } else {
                fail(ranks.status(rank), died(rank));
            }
        } catch (JobFailure e) {
            notStarted(rank, e, nowNs);
        }
    }

    /** Treats a failed start as a process that dies at once: the host may be short of memory, or of processes. */
    private void notStarted(int rank, JobFailure why, long nowNs) throws JobFailure {
        if (!restarts.isAllowed(rank)) {
            throw why;
        }
        restarts.unstarted(rank);
        again(rank, "could not be started", why.getMessage(), nowNs, nowNs);
    }

    private void judgeUnsettled(int rank) {
        if (ranks.neverConnected(rank)) {
            fail(1, "rank " + rank + " exited without calling MPI.Init, which other ranks did");
        } else if (ranks.hasExited(rank) && ranks.isAway(rank)) {
            failed(rank);
        } else if (ranks.hasExited(rank)) {
            fail(1, "rank " + rank + " exited with status " + ranks.status(rank) + ", and its relay does not notice");
        } else {
            fail(1, "rank " + rank + " lost its connection to the relay and goes on without it: " + ranks.lostWhy(rank));
        }
    }

    private void leave(String why) {
        if (goesOn()) {
            left = decided == null ? why : "it is over, and not all its relays know: " + why;
        }
    }

    private void fail(int status, String cause) {
        if (goesOn()) {
            failure = new CloseNotice(job, status, JobTimers.NOBODY, cause);
        }
    }

    /**
     * Starts no more processes.
     *
     * @return the reason of the job's end for the relays
     */
    public CloseNotice close() {
        assert thread.isCurrent();
        closing = true;
        return told(job, end());
    }

    /** The reason of the job's end for the relays. A failure with status 0 must not look like success. */
    public static CloseNotice told(long job, JobStatusReport.End end) {
        boolean finished = end.status() == 0 && end.cause().isEmpty();
        int status = end.status() == 0 && !finished ? 1 : end.status();
        return new CloseNotice(job, status, JobTimers.NOBODY, finished ? "finished" : end.cause());
    }

    /** The outcome of the job, unless it is left. */
    public JobStatusReport.End end() {
        if (failure != null) {
            return new JobStatusReport.End(failure.code(), failure.text(), false);
        }
        return decided != null ? decided : new JobStatusReport.End(0, "", false);
    }

    /**
     * The standing of the job.
     *
     * @param end null before it has ended for this launcher
     */
    public JobStatusReport standing(List<JobStatusReport.RankRun> present, JobStatusReport.End end) {
        assert thread.isCurrent();
        return new JobStatusReport(
                present, ranks.haveAllConnected(), unheard.isEmpty(), behind.size(), restartTimings.soFar(), losses.soFar(), List.copyOf(divergences),
                List.copyOf(printedOther), end);
    }

    /** The outcome of the job, once all is reported and nothing of it is left. */
    public JobOutcome outcome(double seconds) {
        assert thread.isCurrent();
        if (isLeft()) {
            return new JobOutcome(leftStatus, left, true, seconds, restartTimings.all(), losses.all(), List.copyOf(divergences), List.copyOf(printedOther));
        }
        for (int rank = 0; rank < spec.ranks(); rank++) {
            processes.finishOutput(rank, false);
        }
        return new JobOutcome(end().status(), end().cause(), false, seconds, restartTimings.all(), losses.all(), List.copyOf(divergences),
                List.copyOf(printedOther));
    }
}
