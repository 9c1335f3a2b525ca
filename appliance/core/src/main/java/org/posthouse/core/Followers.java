package org.posthouse.core;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongUnaryOperator;
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
    /**
     * Seconds after which a follower leads if its leader is away for another reason than that its connection ended while the rank
     * was followed: after a restart of the relay, each process has the time to come again.
     */
    static final long AWAY_SECONDS_MAX = 2;

    private static final String LIMITED = "cannot follow any more: its leader did what cannot be replayed";

    private final RankAdmission rankAdmission;
    private final HistorySource historySource;
    private final MatchTimes times;

    /** The ranks that are followed. */
    private final Set<HomedRank> followed = new LinkedHashSet<>();

    /** Of these, the ranks that have no process, and since when. */
    private final Map<HomedRank, Long> away = new HashMap<>();

    /** Those for which senders of their jobs wait. */
    private final Map<RankFollower, Job> lagging = new HashMap<>();

    private final Runnable released;

    /** The log position up to which all records are on the disk itself. */
    private long synced;

    /** @param released is called when senders of a job wait for its followers no more */
    Followers(RankAdmission rankAdmission, HistorySource historySource, MatchTimes times, Runnable released) {
        this.rankAdmission = rankAdmission;
        this.historySource = historySource;
        this.times = times;
        this.released = released;
    }

    // ---- coming and going

    /** Lets a process follow; see {@link RelayCore#follow}. */
    HomedRank connect(Job job, Hello hello, List<StatePage.Entry> state, FollowerPort port) throws Refusal {
        RankFollower follower = admit(job, hello, state, port);
        HomedRank rank = job.homed(hello.rank());
        followed.add(rank);
        port.welcome(rank, rankAdmission.welcomeFollower(rank, hello.incarnation()), List.of());
        job.report(JobEvent.FOLLOWS, rank.rank(), hello.incarnation(), "");
        reading(rank, follower, () -> follower.replay().logSafe(safe(job)));
        return rank;
    }

    private RankFollower admit(Job job, Hello hello, List<StatePage.Entry> state, FollowerPort port) throws Refusal {
        HomedRank rank = job.homed(hello.rank());
        RankFollower before = rank == null || rank.followers() == null ? null : rank.followers().numbered(hello.incarnation());
        try {
            RankFollower follower = rankAdmission.follow(job, hello, state, port, times.now());
            release(before);
            return follower;
        } catch (Refusal refusal) {
            if (rank != null) {
                reportLost(rank, hello.incarnation(), refusal.reason().code(), refusal.getMessage());
            }
            throw refusal;
        }
    }

    /** The connection of {@code port} ended. Does nothing if no follower has it. */
    void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        RankFollower follower = on(rank, port);
        if (follower != null) {
            remove(rank, follower);
            reportLost(rank, follower.incarnation(), why.code(), why.text());
        }
    }

    private static RankFollower on(HomedRank rank, RankPort port) {
        return rank.followers() == null ? null : rank.followers().on(port);
    }

    private void remove(HomedRank rank, RankFollower follower) {
        follower.replay().stop();
        rank.followers().remove(follower);
        forgetIfNone(rank);
        release(follower);
    }

    private void release(RankFollower follower) {
        Job job = lagging.remove(follower);
        if (job != null) {
            job.countLagging(-1);
            released.run();
        }
    }

    /** Lets senders of the job wait for this follower, or no more. */
    private void holdSenders(HomedRank rank, RankFollower follower) {
        if (!follower.lag().holds()) {
            release(follower);
        } else if (on(rank, follower.port()) == follower && lagging.putIfAbsent(follower, rank.job()) == null) {
            rank.job().countLagging(1);
        }
    }

    private void forgetIfNone(HomedRank rank) {
        if (rank.followers().all().isEmpty()) {
            followed.remove(rank);
            away.remove(rank);
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
        return runs && !rank.job().isUnloggable() && isFollowed(rank) && !rank.checkpoints().outputNotes().isLimited();
    }

    /** Whether a process follows it. */
    static boolean isFollowed(HomedRank rank) {
        return rank.followers() != null && rank.followers().best() != null;
    }

    /** The rank is away: the follower that is furthest in its history leads. Does nothing if there is none. */
    void promote(HomedRank rank) {
        if (rank.state() == RankState.AWAY && canLead(rank)) {
            rank.job().guarded(() -> promote(rank, rank.followers().best()));
        }
    }

    private void promote(HomedRank rank, RankFollower follower) {
        try {
            rankAdmission.promote(rank, follower);
        } catch (Refusal refusal) {
            follower.port().close(CloseNotice.closing(rank.job().id(), refusal.reason(), refusal.getMessage()));
            reportLost(rank, follower.incarnation(), refusal.reason().code(), refusal.getMessage());
            return;
        } finally {
            forgetIfNone(rank);
            release(follower);
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
        if (followed.isEmpty()) {
            return;
        }
        for (HomedRank rank : List.copyOf(followed)) {
            long lastRecord = rank.followers().lastRecord(rank.job().journal().position());
            feed(rank, lastRecord);
            if (!lagging.isEmpty()) {
                rank.followers().all().forEach(follower -> caughtUp(rank, follower, lastRecord));
            }
        }
    }

    /** Gives the rank's followers what is safe, if they have not reached this log position. Others have nothing to read. */
    private void feed(HomedRank rank, long lastRecord) {
        boolean isLimited = rank.checkpoints().outputNotes().isLimited();
        for (RankFollower follower : rank.followers().all()) {
            if (isLimited) {
                drop(rank, follower, CloseReason.CANNOT_RESUME, LIMITED);
            } else if (rank.job().isInMemory() || follower.replay().reachedPosition() < lastRecord) {
                feed(rank, follower);
            }
        }
    }

    private void caughtUp(HomedRank rank, RankFollower follower, long lastRecord) {
        follower.lag().look(Math.min(lastRecord, safe(rank.job())));
        holdSenders(rank, follower);
    }

    private void feed(HomedRank rank, RankFollower follower) {
        reading(rank, follower, () -> follower.replay().logSafe(safe(rank.job())));
        dropIf(rank, follower, rank.job().journal().tooFarBehind(rank, follower.replay().number()));
    }

    private void dropIf(HomedRank rank, RankFollower follower, String lag) {
        if (!lag.isEmpty()) {
            drop(rank, follower, CloseReason.LAGGED, lag);
        }
    }

    /** Whether any rank is followed. */
    boolean any() {
        return !followed.isEmpty();
    }

    /** Whether a follower of a job that survives its host may know less than was logged: a sync of the log would help it. */
    boolean waitsForSync() {
        return followed.stream().anyMatch(rank -> rank.job().survivesHost() && rank.followers().lastRecord(rank.job().journal().position()) > synced);
    }

    /**
     * Drops followers that are too far behind, and lets others lead where the leader has been away for {@link #AWAY_SECONDS_MAX}. Call
     * it about once a second.
     *
     * @param bytesFrom bytes that the log has from a position on
     */
    void look(LongUnaryOperator bytesFrom) {
        long now = times.now();
        for (HomedRank rank : List.copyOf(followed)) {
            feed(rank, Long.MAX_VALUE); // So that the log need not keep records of others for them.
            for (RankFollower follower : rank.followers().all()) {
                dropIf(rank, follower, lag(rank, follower, now, bytesFrom));
                holdSenders(rank, follower);
            }
            if (rank.state() != RankState.AWAY || !followed.contains(rank)) {
                away.remove(rank);
            } else if (now - away.computeIfAbsent(rank, any -> now) >= AWAY_SECONDS_MAX * 1_000_000_000) {
                promote(rank);
            }
        }
    }

    private String lag(HomedRank rank, RankFollower follower, long now, LongUnaryOperator bytesFrom) {
        Journal journal = rank.job().journal();
        String lag = follower.lag().look(now, safe(rank.job()), rank.job().isInMemory() ? from -> 0 : bytesFrom);
        boolean isHeld = follower.lag().holds() || journal.isHeldFor(rank, follower.replay().number());
        return lag.isEmpty() && isHeld ? follower.lag().lookHeld(now, rank.port() != null && rank.port().writable()) : lag;
    }

    /** The follower reads again. */
    void writable(HomedRank rank, FollowerPort port) {
        RankFollower follower = on(rank, port);
        if (follower != null) {
            reading(rank, follower, follower.replay()::goOn);
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
        if (view.job() != rank.job().id()) {
            throw new WireException(
                    CloseReason.UNKNOWN_JOB, view.type() + " for job " + Job.hexId(view.job()) + " from follower " + follower.incarnation() + " of " + rank);
        }
        switch (view.type()) {
            case RESENT -> claimed(rank, follower, frame);
            case FINALIZE -> {
                follower.beginFinalize();
                answerFinalize(rank, follower);
            }
            case ABORT -> drop(rank, follower, CloseReason.JOB_ABORTED, "ended itself: " + CloseNotice.decode(frame.copy()).text());
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
        if ((view.flags() & FrameView.ACK_NOW) != 0) {
            follower.awaits(claim.id());
        }
        drop(rank, rank.followers().claimed(follower, claim, () -> askLog(rank, frame, claim)));
        rank.followers().safer();
    }

    /** Has a claim compared with the log of the message's destination. */
    private void askLog(HomedRank rank, Frame frame, ResendClaim claim) {
        if (rank.job().homed(claim.destination()) == null) {
            if (!rank.sends().isHeavy()) { // The leader is not held up for a comparison.
                RankFrames.forward(rank.job(), claim.destination(), frame, true);
                rank.safety().passed(frame.view(), rank.job().crossing(claim.destination()));
            }
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

    /**
     * The rank's leader has sent a chunk that completed no message that was summed. If it completed one that began before anybody
     * followed, a follower's claim is compared with the log; with that of another relay it is not, as the claim's frame is gone.
     */
    void sentUnsummed(HomedRank rank, FrameView chunk) {
        if (rank.followers() == null) {
            return;
        }
        ResendClaim claim = rank.followers().acceptedUnsummed(TransferId.outgoing(chunk));
        if (claim != null) {
            if (rank.job().homed(claim.destination()) != null) {
                historySource.resent(rank.job().id(), rank.rank(), claim);
            }
            rank.followers().safer();
        }
    }

    /** The leader's word counts: a follower that differs is told, and dropped. */
    private void drop(HomedRank rank, List<RankFollowers.Divergence> diverged) {
        for (RankFollowers.Divergence one : diverged) {
            TransferId message = one.message();
            drop(rank, one.follower(), CloseReason.DIVERGED,
                    "has diverged: message " + message.sequence() + " to rank " + message.peer() + " in context " + message.context()
                            + " has " + one.difference());
        }
    }

    private void drop(HomedRank rank, RankFollower follower, CloseReason reason, String why) {
        remove(rank, follower);
        follower.port().close(CloseNotice.closing(rank.job().id(), reason, "follower " + follower.incarnation() + " " + why));
        reportLost(rank, follower.incarnation(), reason.code(), why);
    }

    private static void reportLost(HomedRank rank, int incarnation, int reason, String why) {
        Job job = rank.job();
        job.report(new JobEvent(job.id(), JobEvent.FOLLOWER_LOST, rank.rank(), incarnation, reason, 0, why));
    }

    /**
     * The launcher knows that this process has ended.
     *
     * @return whether it followed
     */
    boolean ended(HomedRank rank, int incarnation) {
        RankFollower follower = rank.followers() == null ? null : rank.followers().numbered(incarnation);
        if (follower != null) {
            drop(rank, follower, CloseReason.FENCED, "has ended, as its launcher knows");
        }
        return follower != null;
    }

    /** The next steps of a follower's history were read. */
    void read(HomedRank rank, RankFollower follower, List<HistoryStep> steps) {
        reading(rank, follower, () -> follower.replay().past(steps));
    }

    /** Sends a follower more of its history. What the log does not give back drops this follower, not the job. */
    private void reading(HomedRank rank, RankFollower follower, Runnable step) {
        try {
            step.run();
        } catch (JournalFailure e) {
            unreadable(rank, follower, e.getMessage());
        }
    }

    /** A follower's history cannot be read. Its rank goes on. */
    void unreadable(HomedRank rank, RankFollower follower, String why) {
        drop(rank, follower, CloseReason.CANNOT_RESUME, "cannot be sent the history of " + rank + ": " + why);
    }

    // ---- their end

    /** The rank has finalized: so have its followers that wait for that. */
    void finalized(HomedRank rank) {
        if (rank.followers() != null) {
            rank.followers().finalized();
            rank.followers().all().stream().filter(RankFollower::isFinalizing).forEach(follower -> answerFinalize(rank, follower));
        }
    }

    private void answerFinalize(HomedRank rank, RankFollower follower) {
        if (rank.state() != RankState.FINALIZED) {
            return;
        }
        TransferId message = follower.early().keySet().stream().filter(early -> !rank.followers().mayHaveForgotten(early)).findFirst().orElse(null);
        if (message == null) {
            remove(rank, follower);
            follower.port().finalized();
        } else {
            drop(rank, follower, CloseReason.DIVERGED, "has diverged: it has sent message " + message.sequence() + " to rank " + message.peer() + " in context "
                    + message.context() + ", and its leader finalized without");
        }
    }
}
