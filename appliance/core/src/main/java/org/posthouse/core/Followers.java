package org.posthouse.core;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/**
 * Handles the processes that follow ranks of this core: they connect, get the history as it becomes safe, claim what
 * they would send, and one of them leads when the leader is gone (docs/recovery.md, followers). Part of {@link
 * RelayCore}.
 */
final class Followers {
    private final RankAdmission rankAdmission;
    private final HistorySource historySource;
    private final MatchTimes times;

    /** The ranks that are followed. */
    private final Set<HomedRank> followed = new LinkedHashSet<>();

    /** The log position up to which all records are on the disk itself. */
    private long synced;

    Followers(RankAdmission rankAdmission, HistorySource historySource, MatchTimes times) {
        this.rankAdmission = rankAdmission;
        this.historySource = historySource;
        this.times = times;
    }

    // ---- coming and going

    /** Lets a process follow; see {@link RelayCore#follow}. */
    void connect(Job job, Hello hello, List<StatePage.Entry> state, FollowerPort port) throws Refusal {
        RankFollower follower = rankAdmission.follow(job, hello, state, port, times.now());
        HomedRank rank = job.homed(hello.rank());
        followed.add(rank);
        port.welcome(rank, rankAdmission.welcomeFollower(rank, hello.incarnation()), List.of());
        job.report(JobEvent.FOLLOWS, rank.rank(), hello.incarnation(), "");
        job.guarded(() -> follower.replay().logSafe(safe(job)));
    }

    /** The connection of {@code port} ended. Does nothing if no follower has it. */
    void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        RankFollower follower = on(rank, port);
        if (follower != null) {
            remove(rank, follower);
            rank.job().report(JobEvent.FOLLOWER_LOST, rank.rank(), follower.incarnation(), why.text());
        }
    }

    private static RankFollower on(HomedRank rank, RankPort port) {
        return rank.followers() == null ? null : rank.followers().on(port);
    }

    private void remove(HomedRank rank, RankFollower follower) {
        follower.replay().stop();
        rank.followers().remove(follower);
        forgetIfNone(rank);
    }

    private void forgetIfNone(HomedRank rank) {
        if (rank.followers().all().isEmpty()) {
            followed.remove(rank);
        }
    }

    /** The rank's job has ended. */
    void end(HomedRank rank, CloseNotice why) {
        if (rank.followers() != null) {
            for (RankFollower follower : rank.followers().all()) {
                remove(rank, follower);
                follower.port().aborted(why);
            }
        }
    }

    // ---- leading

    /** Whether a follower would lead if the rank's process were gone. */
    boolean canLead(HomedRank rank) {
        boolean runs = rank.state() != RankState.FINALIZED && rank.state() != RankState.LOST && rank.state() != RankState.WAITING;
        return runs && rank.followers() != null && rank.followers().best() != null;
    }

    /** The rank is away: the follower that is furthest in its history leads. Does nothing if there is none. */
    void promote(HomedRank rank) {
        if (rank.state() == RankState.AWAY && canLead(rank)) {
            rank.job().guarded(() -> promote(rank, rank.followers().best()));
        }
    }

    private void promote(HomedRank rank, RankFollower follower) {
        rank.followers().remove(follower);
        forgetIfNone(rank);
        try {
            rankAdmission.promote(rank, follower);
        } catch (Refusal refusal) {
            follower.port().close(CloseNotice.closing(rank.job().id(), refusal.reason(), refusal.getMessage()));
            return;
        }
        Replay replay = rank.replay();
        follower.port().promoted(rankAdmission.welcome(rank), OpenChannels.state(rank));
        long deliveries = rank.counters().messagesDelivered() + rank.counters().events() - replay.reached();
        rank.job().report(new JobEvent(
                rank.job().id(), JobEvent.PROMOTED, rank.rank(), follower.incarnation(), rank.incarnation(), deliveries, ""));
        replay.resume();
    }

    // ---- the history

    private long safe(Job job) {
        return job.survivesHost() ? synced : job.journal().position();
    }

    /** More of the log is safe; see {@link RelayCore#logSafe}. */
    void logSafe(long syncedPosition) {
        synced = syncedPosition;
        for (HomedRank rank : List.copyOf(followed)) {
            rank.job().guarded(() -> rank.followers().all().forEach(follower -> follower.replay().logSafe(safe(rank.job()))));
        }
    }

    /** The follower reads again. */
    void writable(HomedRank rank, FollowerPort port) {
        RankFollower follower = on(rank, port);
        if (follower != null) {
            rank.job().guarded(follower.replay()::goOn);
        }
    }

    // ---- what followers say

    /** A follower's frame; see {@link RelayCore#fromFollower}. */
    void take(HomedRank rank, FollowerPort port, Frame frame) throws WireException {
        FrameView view = frame.view();
        RankFollower follower = on(rank, port);
        if (follower == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from a process that does not follow " + rank);
        }
        switch (view.type()) {
            case RESENT -> claimed(rank, follower, frame);
            case FINALIZE -> {
                follower.beginFinalize();
                answerFinalize(rank, follower);
            }
            case ABORT -> drop(rank, follower, "ended itself: " + CloseNotice.decode(frame.copy()).text());
            case BLOCKED -> {} // The leader reports where the rank waits.
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from follower " + follower.incarnation() + " of " + rank);
        }
    }

    private void claimed(HomedRank rank, RankFollower follower, Frame frame) throws WireException {
        FrameView view = frame.view();
        RankFrames.checkOwn(rank, view);
        ResendClaim claim = ResendClaim.of(view);
        String who = "follower " + follower.incarnation() + " of " + rank;
        if (!follower.claims(claim.id())) {
            throw new WireException(CloseReason.SEQUENCE_GAP, who + " has skipped messages before " + claim.id());
        }
        if (follower.unconfirmed() >= RankFollower.UNCONFIRMED_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, who + " has " + follower.unconfirmed() + " unconfirmed messages, at most " + RankFollower.UNCONFIRMED_MAX + " may be");
        }
        drop(rank, rank.followers().claimed(follower, claim, () -> askLog(rank, frame, claim)));
        rank.followers().safer();
    }

    /** Has a claim compared with the log of the message's destination. */
    private void askLog(HomedRank rank, Frame frame, ResendClaim claim) {
        if (rank.job().homed(claim.destination()) == null) {
            RankFrames.forward(rank.job(), claim.destination(), frame, true);
        } else {
            historySource.resent(rank.job().id(), rank.rank(), claim);
        }
    }

    /** The rank's leader has sent a message whole; null if the frame completed none, or nobody has followed. */
    void sent(HomedRank rank, ResendClaim whole) {
        if (whole != null) {
            drop(rank, rank.followers().accepted(whole));
            rank.followers().safer();
        }
    }

    /** The leader's word counts: a follower that differs is told, and dropped. */
    private void drop(HomedRank rank, List<RankFollowers.Divergence> diverged) {
        for (RankFollowers.Divergence one : diverged) {
            TransferId message = one.message();
            drop(rank, one.follower(), "has diverged: message " + message.sequence() + " to rank " + message.peer() + " in context " + message.context()
                    + " has " + one.difference());
        }
    }

    private void drop(HomedRank rank, RankFollower follower, String why) {
        remove(rank, follower);
        follower.port().close(CloseNotice.closing(rank.job().id(), CloseReason.CANNOT_RESUME, "follower " + follower.incarnation() + " " + why));
        rank.job().report(JobEvent.FOLLOWER_LOST, rank.rank(), follower.incarnation(), why);
    }

    // ---- their end

    /** The rank has finalized: so have its followers that wait for that. */
    void finalized(HomedRank rank) {
        if (rank.followers() != null) {
            rank.followers().all().stream().filter(RankFollower::isFinalizing).forEach(follower -> answerFinalize(rank, follower));
        }
    }

    private void answerFinalize(HomedRank rank, RankFollower follower) {
        if (rank.state() != RankState.FINALIZED) {
            return;
        }
        if (follower.early().isEmpty()) {
            remove(rank, follower);
            follower.port().finalized();
        } else {
            TransferId message = follower.early().keySet().iterator().next();
            drop(rank, follower, "has diverged: it has sent message " + message.sequence() + " to rank " + message.peer() + " in context "
                    + message.context() + ", and its leader finalized without");
        }
    }
}
