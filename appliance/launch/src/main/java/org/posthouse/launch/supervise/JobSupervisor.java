package org.posthouse.launch.supervise;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.RankFailed;

/**
 * Supervises a job: passes each signal to the part that decides what it means, and says when the job is over. {@link
 * RankSupervisor} decides about ranks, {@link RelaySupervisor} about relays, and {@link JobVerdict} holds the end.
 * Confined to the job's thread. It has no clock: times are those of {@link System#nanoTime}, passed in.
 */
public final class JobSupervisor {
    private final JobThread thread = new JobThread();
    private final int size;
    private final long job;
    private final RankHost host;
    private final RankRecords records;
    private final Consumer<JobKept> kept;
    private final JobVerdict verdict;
    private final JobNotices notices;
    private final RankTable ranks;
    private final JobTimers jobTimers;
    private final DeadlockReporter deadlockReporter;
    private final LingeringProcesses lingeringProcesses;
    private final RelaySupervisor relaySupervisor;
    private final RankStarter starter;
    private final SurvivedDeaths survivedDeaths;
    private final Replication replication;
    private final RankSupervisor rankSupervisor;

    /**
     * @param mayBeLeft whether another launcher could continue the job
     * @param homeOf for each rank, the index of its relay
     * @param redial dials a lost relay again, which ends with a signal
     * @param kept informs the rank's relay
     * @param failed informs the relay of a rank whose process has ended
     * @param printer prints a line for people
     */
    public JobSupervisor(
            JobSpec spec,
            long job,
            boolean mayBeLeft,
            int[] homeOf,
            RankHost host,
            RankRecords records,
            IntConsumer redial,
            Consumer<JobKept> kept,
            Consumer<RankFailed> failed,
            Consumer<String> printer) {
        this.size = spec.ranks();
        this.job = job;
        this.host = host;
        this.records = records;
        this.kept = kept;
        this.verdict = new JobVerdict(job, mayBeLeft);
        this.notices = new JobNotices(printer);
        this.ranks = new RankTable(size, spec.goesOn(), spec.rebuilds(), host::where);
        this.jobTimers = new JobTimers(ranks, homeOf);
        this.deadlockReporter = new DeadlockReporter(size, ranks, verdict, notices);
        this.lingeringProcesses = new LingeringProcesses(ranks, host::pid);
        long relayTimeoutMs = spec.isRestartable() ? spec.patience().relayTimeoutMs() : 0;
        this.relaySupervisor = new RelaySupervisor(relayTimeoutMs, homeOf, ranks, jobTimers, deadlockReporter, verdict, notices, redial);
        int restarts = spec.isRestartable() || spec.rebuilds() ? spec.patience().maxRestarts() : 0;
        this.starter = new RankStarter(size, restarts, spec.rebuilds(), ranks, host, jobTimers, verdict, notices);
        this.survivedDeaths = new SurvivedDeaths(spec.tellsProgram(), spec.rebuilds(), spec.logged(), homeOf, job, failed, notices);
        this.replication = new Replication(
                spec.replicas().degrees(size), spec.remembers(), spec.patience().silenceSeconds(), job, homeOf, ranks, starter, host, jobTimers, failed,
                notices);
        starter.replication(replication);
        this.rankSupervisor = new RankSupervisor(
                spec.goesOn(), survivedDeaths, ranks, starter, replication, relaySupervisor, jobTimers, host, records, verdict, notices);
    }

    /** Starts the first process of a rank. */
    public void start(int rank, long nowNs) throws JobFailure {
        assert thread.isCurrent();
        starter.start(rank, nowNs);
    }

    /**
     * Continues a job that other launchers have left: every rank's process has ended, and every relay must be dialled.
     */
    public void goOn(RankNotes notes, long nowNs) {
        assert thread.isCurrent();
        notes.ending().ifPresent(verdict::decided);
        boolean allDone = verdict.isDecided() || IntStream.range(0, size).allMatch(notes::isDone);
        for (int rank = 0; rank < size; rank++) {
            rankSupervisor.resume(rank, notes, allDone || notes.isDone(rank), nowNs);
        }
        relaySupervisor.resume(allDone, nowNs);
    }

    /** Whether every process has ended and none is to follow, or the job has failed. */
    public boolean isOver() {
        return !verdict.isOpen()
                || (relaySupervisor.haveAllConfirmed() && ranks.allExited() && !jobTimers.isRestarting() && !replication.isAwaiting()
                        && ranks.firstUnsettled(rank -> true) < 0);
    }

    /** Whether the job is not over, but left for another launcher. */
    public boolean isLeft() {
        return verdict.isLeft();
    }

    /** Whether the job has failed. */
    public boolean hasFailed() {
        return verdict.hasFailed();
    }

    /** Whether all processes of ranks have exited. */
    public boolean haveAllExited() {
        return ranks.allExited();
    }

    /** Whether all ranks have connected. */
    public boolean haveAllConnected() {
        return ranks.haveAllConnected();
    }

    /** Whether the rank has no connection over which it would receive the job's end. */
    public boolean isAwaited(int rank) {
        return ranks.isAwaited(rank);
    }

    /** Time until the next deadline, if no event comes before; {@link JobTimers#FOR_EVER} if there is none. */
    public long quietNs(long nowNs) {
        return Math.min(replication.quietNs(nowNs), Math.min(jobTimers.quietNs(nowNs), lingeringProcesses.quietNs(nowNs)));
    }

    /** Handles the deadlines that have passed. */
    public void onTime(long nowNs) throws JobFailure {
        assert thread.isCurrent();
        rankSupervisor.judgeFollowers(nowNs);
        rankSupervisor.judgePlanned();
        starter.startDue(nowNs);
        rankSupervisor.judgeOverdue(nowNs);
        String news = verdict.isOpen() ? lingeringProcesses.news(nowNs) : null;
        if (news != null) {
            notices.print(news);
        }
    }

    /** Handles a signal. Times are of {@link System#nanoTime}. */
    public void on(JobSignal jobSignal, long nowNs) {
        assert thread.isCurrent();
        switch (jobSignal) {
            case JobSignal.Exited exited -> rankSupervisor.onExited(exited, nowNs);
            case JobSignal.Event event -> onEvent(event.event(), event.atNs(), nowNs);
            case JobSignal.PrintsDiffer other -> notices.printsDiffer("rank " + other.rank() + " " + other.what());
            case JobSignal.LastWords last -> ranks.lastWords(last.rank(), last.words());
            case JobSignal.OutputLost lost -> notices.print("rank " + lost.rank() + " " + lost.what());
            case JobSignal.OutputKept kept -> onOutputKept(kept);
            case JobSignal.Kept is -> onKept(is);
            case JobSignal.Placed placed -> records.placed(placed);
            case JobSignal.Unkept unkept -> rankSupervisor.onUnkept(unkept.rank(), unkept.why());
            case JobSignal.RelayLost lost -> relaySupervisor.onLost(lost, nowNs);
            case JobSignal.RelayBack back -> onRelayBack(back, nowNs);
            case JobSignal.Unresponsive still -> relaySupervisor.onUnresponsive(still);
            case JobSignal.Responsive again -> relaySupervisor.onResponsive(again);
            case JobSignal.JobUnknown unknown -> relaySupervisor.onJobUnknown(unknown, nowNs);
            case JobSignal.JobLost lost -> relaySupervisor.onJobLost(lost, nowNs);
            case JobSignal.NotYet not -> notices.print(not.why() + "; it is dialled again");
            case JobSignal.Leave leave -> verdict.leave(leave.why());
            case JobSignal.Stop stop -> verdict.fail(stop.status(), stop.why());
        }
    }

    private void onOutputKept(JobSignal.OutputKept kept) {
        records.outputKept(kept);
        host.kept(kept);
    }

    private void onKept(JobSignal.Kept is) {
        if (is.incarnation() > 0) {
            records.keepPlaces();
        }
        kept.accept(new JobKept(job, is.rank(), is.incarnation(), is.outBytes(), is.errBytes()));
    }

    private void onRelayBack(JobSignal.RelayBack back, long nowNs) {
        relaySupervisor.onBack(back, nowNs);
        replication.relayBack(back.relay(), nowNs);
        survivedDeaths.relayBack(back.relay());
        rankSupervisor.endIfLostForEver();
    }

    private void onEvent(JobEvent told, long atNs, long nowNs) {
        JobEvent event = survivedDeaths.areReplaced() ? ofRank(told) : told;
        int rank = event.rank();
        if (verdict.isDecided() || survivedDeaths.areReplaced() && isOfEarlier(told)) {
            return;
        }
        if (event.kind() == JobEvent.REFUSED) {
            notices.print("somebody who claimed to be rank " + rank + " was refused: " + event.text());
        } else if (event.kind() == JobEvent.ABORTED && rank < 0 && event.code() == JobEvent.STANDS) {
            verdict.leave(event.text());
        } else if (event.kind() == JobEvent.ABORTED) {
            verdict.fail(event.code(), rank < 0 ? event.text() : "rank " + rank + " " + event.text());
        } else if (event.kind() == JobEvent.LOG_STATE) {
            notices.logState((event.code() == 1 ? "the job waits for room in a log: " : "the log has room again: ") + event.text());
        } else if (event.kind() == JobEvent.LINK_STATE) {
            notices.print(event.text());
        } else if (rank < 0 || rank >= size) {
            verdict.fail(1, "a relay told of rank " + rank + " of a job of " + size + " ranks");
        } else {
            rankSupervisor.onEvent(rank, event, atNs);
            deadlockReporter.onEvent(rank, event);
            rankSupervisor.judge(rank, nowNs, nowNs);
        }
    }

    /** Relays know each process of a rank by a number of its own. */
    private JobEvent ofRank(JobEvent event) {
        int rank = event.rank() < 0 ? event.rank() : event.rank() % size;
        int code = event.kind() == JobEvent.SENDS_BEHIND ? event.code() % size : event.code();
        return new JobEvent(event.job(), event.kind(), rank, code, event.a(), event.b(), event.text());
    }

    /** Whether an event says how a process goes on, or has ended, after which another one was planned. */
    private boolean isOfEarlier(JobEvent event) {
        boolean isOfJob = event.rank() < 0 || event.kind() == JobEvent.ABORTED || event.kind() == JobEvent.REFUSED;
        return !isOfJob && event.rank() / size + 1 != starter.incarnation(event.rank() % size);
    }

    /**
     * Starts no more processes.
     *
     * @return the reason of the job's end for the relays
     */
    public CloseNotice close() {
        assert thread.isCurrent();
        if (survivedDeaths.areAllowed()) {
            survivedDeaths.judgeEnd(ranks, verdict);
            return verdict.close();
        }
        ranks.failed().filter(rank -> !jobTimers.isRestarting(rank) && ranks.verdict(rank) != ExitClassifier.RESTART).findFirst()
                .ifPresent(rank -> verdict.lowestFailed(rank, ranks.status(rank), ranks.endNotice(rank)));
        return verdict.close();
    }

    /** The reason of the job's end for the relays. A failure with status 0 must not look like success. */
    public static CloseNotice told(long job, JobStatusReport.End end) {
        return JobVerdict.notice(job, end);
    }

    /** The outcome of the job, unless it is left. */
    public JobStatusReport.End end() {
        return verdict.end();
    }

    /**
     * The standing of the job.
     *
     * @param end null before it has ended for this launcher
     */
    public JobStatusReport standing(List<JobStatusReport.RankRun> present, JobStatusReport.End end) {
        assert thread.isCurrent();
        return new JobStatusReport(
                present, ranks.haveAllConnected(), relaySupervisor.haveAllConfirmed(), rankSupervisor.behind(), starter.restartsSoFar(),
                relaySupervisor.lossesSoFar(), notices.divergences(), notices.printDifferences(), end);
    }

    /** The outcome of the job, once all is reported and nothing of it is left. */
    public JobOutcome outcome(double seconds) {
        assert thread.isCurrent();
        for (int rank = 0; rank < size && !verdict.isLeft(); rank++) {
            host.finishOutput(rank, false);
        }
        JobStatusReport.End end = verdict.endHere();
        return new JobOutcome(
                end.status(), end.cause(), end.left(), seconds, starter.allRestarts(), relaySupervisor.allLosses(), notices.divergences(),
                notices.printDifferences(), replication.promotions(), replication.losses());
    }
}
