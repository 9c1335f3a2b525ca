package org.posthouse.launch.supervise;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.wire.ExitStatuses;

/**
 * Starts the first process of each rank and those that follow, each when it is due. It counts and times the restarts.
 * Confined to the job's thread. It has no clock: times are those of {@link System#nanoTime}, passed in.
 */
final class RankStarter {
    private final boolean rebuilds;
    private final RankTable ranks;
    private final RankHost host;
    private final JobTimers jobTimers;
    private final JobVerdict verdict;
    private final JobNotices notices;
    private final Restarts restarts;
    private final RestartTimings restartTimings;
    /** Hears of each process that is started. Set before any is. */
    private Replication replication;

    /** The time of the last start of a process, for each rank. */
    private final long[] startedNs;

    /**
     * @param maxRestarts most restarts of each rank
     * @param rebuilds whether the program is told of a death, and the next process has a new number at the relays
     */
    RankStarter(int size, int maxRestarts, boolean rebuilds, RankTable ranks, RankHost host, JobTimers jobTimers, JobVerdict verdict, JobNotices notices) {
        this.rebuilds = rebuilds;
        this.ranks = ranks;
        this.host = host;
        this.jobTimers = jobTimers;
        this.verdict = verdict;
        this.notices = notices;
        this.restarts = new Restarts(size, maxRestarts);
        this.restartTimings = new RestartTimings(size);
        this.startedNs = new long[size];
    }

    void replication(Replication of) {
        replication = of;
    }

    /** The number of another process of the rank, which follows it. */
    int nextNumber(int rank) {
        return restarts.nextNumber(rank);
    }

    /**
     * A process of the rank that has followed leads, and has this number now. The rank is not started again, if it was to be.
     *
     * @param followers how many processes are to follow the rank
     * @return false if too many have led one after another without progress, so that the job ends
     */
    boolean promoted(int rank, int number, int followers, long atNs) {
        restarts.promoted(rank, number, atNs);
        cancelRestart(rank);
        int restartsMax = restarts.maxPerRank() == 0 ? RestartPolicy.DEFAULT.maxRestarts() : restarts.maxPerRank(); // Without a log there are none.
        int most = restartsMax + followers;
        if (restarts.promotions(rank) > most) {
            verdict.failRank(rank, ranks.hasExited(rank) ? ranks.status(rank) : 1,
                    "rank " + rank + " gets no further: " + most + " followers have led it, one after another, and none went on for "
                            + Restarts.SOUND_MS / 1_000 + " s from where the one before it ended (--max-restarts " + restartsMax + ")");
        }
        return restarts.promotions(rank) <= most;
    }

    /** The rank is not started again, though it was to be. */
    void cancelRestart(int rank) {
        jobTimers.cancelRestart(rank);
        restartTimings.end(rank);
    }

    /** The rank's process, which has followed, has another number now. */
    void renumbered(int rank, int number) {
        restarts.renumbered(rank, number);
    }

    /** Starts the first process of a rank. */
    void start(int rank, long nowNs) throws JobFailure {
        startedNs[rank] = nowNs;
        replication.leads(rank, 1);
        if (!host.start(rank, 1)) {
            ranks.exited(rank, ExitStatuses.TERMINATED);
        }
    }

    /**
     * Other launchers have started processes of the rank, which have ended. The next one has this number, and is due.
     */
    void resume(int rank, int incarnation, long nowNs) {
        ranks.exited(rank, ExitStatuses.TERMINATED);
        restarts.goOn(rank, incarnation);
        jobTimers.restart(rank, nowNs);
        restartTimings.begin(rank, incarnation, Restart.LAUNCHER_LOST, nowNs, nowNs);
    }

    /** Continues with a process that another launcher has started, if one may live. @return whether one may */
    boolean adopt(int rank, int incarnation, long nowNs) {
        boolean isThere = host.adopt(rank, incarnation);
        if (isThere) {
            startedNs[rank] = nowNs;
            restarts.goOn(rank, incarnation);
            replication.leads(rank, incarnation);
        }
        return isThere;
    }

    /**
     * Plans another process of a rank, whose process has ended.
     *
     * @return whether it may have one
     */
    boolean restart(int rank, long endedNs, long nowNs) {
        restarts.ended(rank, endedNs);
        boolean isAllowed = restarts.isAllowed(rank);
        if (isAllowed) {
            if (ranks.couldNotStart(rank)) {
                restarts.unstarted(rank);
            }
            plan(rank, ranks.howEnded(rank), ranks.endNotice(rank), endedNs, nowNs);
        }
        return isAllowed;
    }

    /** Why the rank may not be started again, as the rest of a sentence. */
    String refusal(int rank) {
        return restarts.refusal(rank) + replication.refusal(rank);
    }

    private void plan(int rank, String cause, String what, long endedNs, long nowNs) {
        long dueNs = restarts.next(rank, ranks.status(rank), startedNs[rank], endedNs);
        jobTimers.restart(rank, dueNs);
        restartTimings.begin(rank, restarts.incarnation(rank), cause, endedNs, nowNs);
        long waitMs = TimeUnit.NANOSECONDS.toMillis(dueNs - endedNs);
        String done = rebuilds ? "the program is told, and a new process started" : "restarted";
        String when = waitMs == 0 ? done : String.format(Locale.ROOT, "%s after %.2f s", done, waitMs / 1e3);
        notices.print(what + ": " + when + " (" + restarts.used(rank) + " of " + restarts.maxPerRank() + ")");
    }

    /** Starts the processes that are due. */
    void startDue(long nowNs) throws JobFailure {
        for (int rank = nextDue(nowNs); rank != JobTimers.NOBODY; rank = nextDue(nowNs)) {
            restart(rank, nowNs);
        }
    }

    private int nextDue(long nowNs) {
        return verdict.isOpen() ? jobTimers.takeDue(nowNs) : JobTimers.NOBODY;
    }

    private void restart(int rank, long nowNs) throws JobFailure {
        startedNs[rank] = nowNs;
        replication.leads(rank, restarts.incarnation(rank));
        try {
            if (host.start(rank, restarts.incarnation(rank))) {
                ranks.restarted(rank);
                restartTimings.started(rank, nowNs);
            } else {
                verdict.fail(ranks.status(rank), ranks.deathNotice(rank));
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
        plan(rank, "could not be started", why.getMessage(), nowNs, nowNs);
    }

    /** The relay has lost the rank's connection. */
    void away(int rank, long atNs) {
        restartTimings.away(rank, atNs);
    }

    /** The relay has heard of the rank again. */
    void heard(int rank, long atNs) {
        restartTimings.heard(rank, atNs);
    }

    /** The rank has reached its earlier state. */
    void caughtUp(int rank, long atNs, long deliveries) {
        if (!rebuilds) {
            restarts.there(rank, atNs); // Each process has a number of its own, of which there are no more than restarts.
        }
        Restart restart = restartTimings.caughtUp(rank, atNs, deliveries);
        if (restart != null) {
            notices.print(rebuilds ? restart.newProcessWords() : restart.words());
            host.caughtUp(restart);
        }
    }

    /** Whether the rank's process has ended and none has taken its place yet. */
    boolean isRestarting(int rank) {
        return restartTimings.isOpen(rank);
    }

    /** The number of the rank's present process, or of the next one if that is planned. */
    int incarnation(int rank) {
        return restarts.incarnation(rank);
    }

    /** The restarts until now. */
    List<Restart> restartsSoFar() {
        return restartTimings.soFar();
    }

    /** All restarts. The job is over. */
    List<Restart> allRestarts() {
        return restartTimings.all();
    }
}
