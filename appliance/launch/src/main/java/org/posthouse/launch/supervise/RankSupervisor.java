package org.posthouse.launch.supervise;

import java.util.HashSet;
import java.util.Set;
import org.posthouse.launch.job.ExitStatus;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.JobEvent;

/**
 * Decides what the exits of ranks' processes and the relays' events about ranks mean: a rank has finished, is started
 * again, or ends the job. Confined to the job's thread. It has no clock: times are those of {@link System#nanoTime},
 * passed in.
 */
final class RankSupervisor {
    private final boolean isRestartable;
    private final SurvivedDeaths survivedDeaths;
    private final RankTable ranks;
    private final RankStarter starter;
    private final Replication replication;
    private final RelaySupervisor relays;
    private final JobTimers jobTimers;
    private final RankHost host;
    private final RankRecords records;
    private final JobVerdict verdict;
    private final JobNotices notices;

    /** Ranks that have not yet reached the state in which other launchers left them. */
    private final Set<Integer> behind = new HashSet<>();

    /** The first rank that other launchers have left and that cannot be restarted; or NOBODY. */
    private int lostForEver = JobTimers.NOBODY;

    /** @param isRestartable whether ranks of the job are started again, or followers take over */
    RankSupervisor(
            boolean isRestartable,
            SurvivedDeaths survivedDeaths,
            RankTable ranks,
            RankStarter starter,
            Replication replication,
            RelaySupervisor relays,
            JobTimers jobTimers,
            RankHost host,
            RankRecords records,
            JobVerdict verdict,
            JobNotices notices) {
        this.isRestartable = isRestartable;
        this.survivedDeaths = survivedDeaths;
        this.ranks = ranks;
        this.starter = starter;
        this.replication = replication;
        this.relays = relays;
        this.jobTimers = jobTimers;
        this.host = host;
        this.records = records;
        this.verdict = verdict;
        this.notices = notices;
    }

    /**
     * Continues a rank of a job that other launchers have left. The rank's process has ended, unless it is on a node.
     *
     * @param isDone whether the rank needs no other process
     */
    void resume(int rank, RankNotes notes, boolean isDone, long nowNs) {
        if (isDone) {
            ranks.told(rank, RankConnectionState.FINALIZED);
            ranks.exited(rank, 0);
        } else if (notes.incarnation(rank) > 0 && starter.adopt(rank, notes.incarnation(rank), nowNs)) {
            if (notes.limit(rank) != null) {
                ranks.limited(rank, notes.limit(rank));
            }
        } else if (notes.limit(rank) != null) {
            ranks.limited(rank, notes.limit(rank));
            ranks.exited(rank, ExitStatuses.TERMINATED);
            lostForEver(rank);
        } else {
            starter.resume(rank, notes.incarnation(rank) + 1, nowNs);
            behind.add(rank);
        }
    }

    private void lostForEver(int rank) {
        lostForEver = lostForEver == JobTimers.NOBODY ? rank : lostForEver;
    }

    /** Fails a job with a rank that cannot be restarted, once every relay is connected and can be informed. */
    void endIfLostForEver() {
        if (relays.haveAllConfirmed() && lostForEver != JobTimers.NOBODY) {
            verdict.fail(
                    ExitStatuses.TERMINATED,
                    "rank " + lostForEver + " lost its launcher, and cannot be started again: " + ranks.limit(lostForEver));
        }
    }

    /** Number of ranks that have not yet reached the state in which other launchers left them. */
    int behind() {
        return behind.size();
    }

    void onExited(JobSignal.Exited exited, long nowNs) {
        if (!replication.isLeader(exited.rank(), exited.process())) {
            boolean hasFailed = exited.status() != 0 && !ExitStatus.isAccident(exited.status());
            if (replication.hasLed(exited.rank(), exited.process()) && hasFailed) {
                verdict.failRank(exited.rank(), exited.status(), "rank " + exited.rank() + " " + ExitStatus.words(exited.status()));
                return; // Its followers would do the same.
            }
            replication.followerEnded(exited);
            judge(exited.rank(), exited.endedNs(), nowNs);
            return;
        }
        ranks.exited(exited.rank(), replication.statusOf(exited));
        replication.leaderEnded(exited.rank());
        if (ranks.isConnected(exited.rank()) || exited.status() != 0 && !ranks.isFinalized(exited.rank())) {
            survivedDeaths.processEnded(exited.rank(), exited.process());
        }
        judge(exited.rank(), exited.endedNs(), nowNs);
    }

    /** A later launcher finds the output kept so far and continues from there. */
    void onUnkept(int rank, String why) {
        ranks.unkept(rank, why);
        notices.limited(rank, verdict.mayBeLeft() ? "the job stands still if it dies, for another launcher" : "the job ends if it dies", why);
    }

    /** Handles a relay's event about the rank. {@link #judge} follows. */
    void onEvent(int rank, JobEvent event, long atNs) {
        switch (event.kind()) {
            case JobEvent.CONNECTED -> {
                starter.heard(rank, atNs);
                back(rank, atNs, 0);
            }
            case JobEvent.FINALIZED -> {
                ranks.told(rank, RankConnectionState.FINALIZED);
                settled(rank, atNs);
            }
            case JobEvent.LOST -> onLost(rank, event.text());
            case JobEvent.AWAY -> {
                ranks.told(rank, RankConnectionState.AWAY);
                starter.away(rank, atNs);
            }
            case JobEvent.REPLAYING -> {
                ranks.told(rank, RankConnectionState.REPLAYING);
                starter.heard(rank, atNs);
            }
            case JobEvent.CAUGHT_UP -> back(rank, atNs, event.a());
            case JobEvent.DIVERGED -> notices.diverged("rank " + rank + " " + event.text());
            case JobEvent.LIMITED -> limited(rank, event.text());
            case JobEvent.CHECKPOINTED -> {
                boolean isNew = records.checkpointed(rank, event.code(), event.a(), event.b());
                if (isNew && event.code() > 0) {
                    ranks.checkpointed(rank);
                }
            }
            case JobEvent.SAVES -> records.saves(rank, event.code(), event.a(), event.b());
            case JobEvent.UNRECEIVED -> notices.print("rank " + rank + " " + event.text());
            case JobEvent.BLOCKED, JobEvent.SENDS_BEHIND -> {}
            case JobEvent.FOLLOWS, JobEvent.FOLLOWER_LOST, JobEvent.PROMOTED, JobEvent.LEADS -> replication.onEvent(rank, event, atNs);
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
        records.limited(rank, why);
        if (behind.contains(rank)) {
            lostForEver(rank);
            endIfLostForEver();
        } else if (starter.isRestarting(rank)) {
            verdict.fail(ranks.status(rank), ranks.deathNotice(rank) + ", and cannot be started again: " + why);
        } else if (isRestartable) {
            notices.limited(rank, "the job ends if it dies", why);
        }
    }

    /** The rank has reached its earlier state. */
    private void back(int rank, long atNs, long deliveries) {
        ranks.told(rank, RankConnectionState.CONNECTED);
        replication.isLive(rank);
        starter.caughtUp(rank, atNs, deliveries);
        settled(rank, atNs);
    }

    /** The relay reports that the rank continues, or has ended. */
    private void settled(int rank, long atNs) {
        behind.remove(rank);
        relays.rankSettled(rank, atNs);
    }

    /** The relay has given the rank up, which a restart cannot change. */
    private void onLost(int rank, String why) {
        ranks.lost(rank, why);
        if (starter.isRestarting(rank) && !survivedDeaths.areReplaced() && !survivedDeaths.isDead(rank)) {
            verdict.fail(ranks.status(rank), ranks.deathNotice(rank) + ", and its relay does not wait for another: " + why);
        }
    }

    /** Decides what a rank's end means, once it has ended and all reports that matter have come. */
    void judge(int rank, long endedNs, long nowNs) {
        if (!verdict.isRunning() || jobTimers.isRestarting(rank) || survivedDeaths.isDead(rank)) {
            return;
        }
        switch (ranks.verdict(rank)) {
            case WAIT -> {}
            case DONE -> done(rank);
            case RESTART -> endedByAccident(rank, endedNs, nowNs);
            case FAIL -> failed(rank);
        }
    }

    private void endedByAccident(int rank, long endedNs, long nowNs) {
        if (survivedDeaths.areReplaced() && ranks.finalized() > 0) {
            survivedDeaths.notReplaced(rank, starter.incarnation(rank), ranks);
            return;
        }
        if (survivedDeaths.areReplaced()) {
            survivedDeaths.replaced(rank, ranks);
        } else if (replication.hasFinished(rank)) {
            notices.print(ranks.endNotice(rank) + " after MPI.Finalize: a follower has ended in its place");
            ranks.endedWell(rank);
            done(rank);
            return;
        } else if (replication.awaitsLeader(rank, nowNs)) {
            return;
        }
        if (!starter.restart(rank, endedNs, nowNs)) {
            notRestarted(rank);
        }
    }

    private void done(int rank) {
        host.finishOutput(rank, true);
        records.done(rank);
        replication.rankEnded(rank);
    }

    /** Gives up the new processes that were to take the places of the dead, once a rank has called Finalize. */
    void judgePlanned() {
        if (!verdict.isOpen() || !survivedDeaths.areReplaced() || ranks.finalized() == 0) {
            return;
        }
        for (int rank = jobTimers.firstRestarting(); rank != JobTimers.NOBODY; rank = jobTimers.firstRestarting()) {
            int ended = starter.incarnation(rank) - 1;
            starter.cancelRestart(rank);
            survivedDeaths.notReplaced(rank, ended, ranks);
        }
    }

    /** The rank was restarted as often as it may be. The program is told, or the job ends or is left. */
    private void notRestarted(int rank) {
        if (survivedDeaths.areAllowed() && !survivedDeaths.areReplaced()) {
            survivedDeaths.died(rank, starter.incarnation(rank), ranks, starter.refusal(rank));
        } else {
            verdict.leaveOrFail(Math.max(1, ranks.status(rank)), ranks.deathNotice(rank) + starter.refusal(rank));
        }
    }

    private void failed(int rank) {
        if (survivedDeaths.areAllowed()) {
            String limit = isRestartable && ExitStatus.isAccident(ranks.status(rank)) ? ranks.limit(rank) : null;
            survivedDeaths.died(rank, starter.incarnation(rank), ranks, limit == null ? "" : ", and cannot be started again: " + limit);
            return;
        }
        int status = ranks.status(rank);
        if (status == 0) {
            verdict.fail(1, "rank " + rank + " exited without calling MPI.Finalize");
            return;
        }
        boolean accident = ExitStatus.isAccident(status) || ranks.couldNotStart(rank);
        String limit = isRestartable && accident ? ranks.limit(rank) : null;
        if (limit != null && verdict.mayBeLeft() && ranks.isOnlyUnkept(rank)) {
            verdict.leave(ranks.deathNotice(rank) + ", and this launcher cannot start it again: " + limit);
            return;
        }
        verdict.failRank(rank, status, ranks.deathNotice(rank) + (limit == null ? "" : ", and cannot be started again: " + limit));
    }

    /** Starts followers that are due, and ranks again that no follower leads. */
    void judgeFollowers(long nowNs) {
        if (!verdict.isOpen()) {
            return;
        }
        replication.startDue(nowNs);
        for (int rank = replication.overdue(nowNs); rank != JobTimers.NOBODY; rank = replication.overdue(nowNs)) {
            judge(rank, nowNs, nowNs);
        }
    }

    /** Ends the job for a rank of whose end only its process or only its relay has reported for too long. */
    void judgeOverdue(long nowNs) {
        int rank = jobTimers.overdue(nowNs);
        if (!verdict.isOpen() || rank == JobTimers.NOBODY) {
            return;
        }
        if (survivedDeaths.areAllowed() && !ranks.hasExited(rank)) {
            ranks.struck(rank);
            host.strike(rank); // Its relay has given it up, and refuses it.
        } else if (ranks.neverConnected(rank)) {
            verdict.fail(1, "rank " + rank + " exited without calling MPI.Init, which other ranks did");
        } else if (ranks.hasExited(rank) && ranks.isAway(rank)) {
            failed(rank);
        } else if (ranks.hasExited(rank)) {
            verdict.fail(1, "rank " + rank + " exited with status " + ranks.status(rank) + ", and its relay does not notice");
        } else {
            verdict.fail(1, "rank " + rank + " lost its connection to the relay and goes on without it: " + ranks.lostWhy(rank));
        }
    }
}
