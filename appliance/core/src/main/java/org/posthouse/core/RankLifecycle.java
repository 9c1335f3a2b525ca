package org.posthouse.core;

import java.util.List;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * Handles the life of ranks: they connect, move to other connections, and leave, by Finalize, by a lost connection, or
 * with their job. {@link RankAdmission} decides who may connect. Part of {@link RelayCore}.
 */
final class RankLifecycle {
    private final Deliveries deliveries;
    private final Checkpoints checkpoints;
    private final CollectiveMismatchDetector collectiveMismatchDetector;
    private final FailureFrames failureFrames;
    private final RankAdmission rankAdmission;
    private final Followers followers;

    RankLifecycle(
            String relay,
            CoreConfig config,
            Deliveries deliveries,
            Checkpoints checkpoints,
            CollectiveMismatchDetector collectiveMismatchDetector,
            FailureFrames failureFrames,
            HistorySource historySource) {
        this.deliveries = deliveries;
        this.checkpoints = checkpoints;
        this.collectiveMismatchDetector = collectiveMismatchDetector;
        this.failureFrames = failureFrames;
        this.rankAdmission = new RankAdmission(relay, config, historySource, rank -> leave(rank, RankState.AWAY));
        this.followers = new Followers(rankAdmission, historySource, deliveries.times(), deliveries.grants()::release);
    }

    /** The processes that follow ranks. */
    Followers followers() {
        return followers;
    }

    // ---- coming

    /** A client that claims to be this rank does not know its token: tells the job's launcher. */
    static Refusal unproven(Job job, int rank) {
        Refusal refusal = new Refusal(
                CloseReason.WRONG_TOKEN, "rank " + rank + " of job " + job.hexId() + " came with a token that is not this rank's");
        tellRefused(job, rank, refusal);
        return refusal;
    }

    /** Admits the rank that sent {@code hello}. */
    HomedRank connect(Job job, Hello hello, List<StatePage.Entry> state, RankPort port) throws Refusal {
        try {
            return rankAdmission.admit(job, hello, state, port, deliveries.times().now());
        } catch (JournalFailure e) {
            job.fail(e); // Whoever was the rank has been closed, and nobody can be let in.
            throw new Refusal(e.reason(), e.getMessage());
        } catch (Refusal refusal) {
            if (!isKnownToLauncher(job, hello, refusal)) {
                tellRefused(job, hello.rank(), refusal);
            }
            throw refusal;
        }
    }

    /**
     * The client takes this relay for its own and retries; or the answer to its HELLO was lost, and it repeats the
     * HELLO and ends.
     */
    private static boolean isKnownToLauncher(Job job, Hello hello, Refusal refusal) {
        return switch (refusal.reason()) {
            case WRONG_RANK -> hello.rank() >= 0 && hello.rank() < job.size();
            case FENCED -> {
                HomedRank rank = job.homed(hello.rank());
                boolean isCutOff = rank.state() == RankState.AWAY || rank.state() == RankState.LOST;
                yield isCutOff && hello.incarnation() == rank.incarnation();
            }
            default -> false;
        };
    }

    private static void tellRefused(Job job, int rank, Refusal refusal) {
        job.report(JobEvent.REFUSED, rank, refusal.reason().code(), refusal.getMessage());
    }

    /** Lets a process follow; see {@link RelayCore#follow}. If the leader is known to be dead, or this is it, it leads at once. */
    void follow(Job job, Hello hello, List<StatePage.Entry> state, FollowerPort port) throws Refusal {
        HomedRank rank = followers.connect(job, hello, state, port);
        if (rank.hasEnded()) {
            replaceEnded(rank);
        } else if (hello.incarnation() == rank.followedAs()) {
            followers.promote(rank); // It led already, and has not read that.
        }
    }

    /** The answer to a rank that was admitted. */
    Welcome welcome(HomedRank rank) {
        return rankAdmission.welcome(rank);
    }

    // ---- moving

    /**
     * Asks a connected rank to reconnect.
     *
     * @return whether it is asked now, was asked before, or will be asked
     */
    static boolean askMove(HomedRank rank) {
        boolean there = rank.state() == RankState.CONNECTED || rank.state() == RankState.REPLAYING;
        if (there && !rank.isMoveAsked()) {
            rank.askMove();
        }
        return there;
    }

    /** The rank has stopped writing, as it was asked to. */
    static void beginMove(HomedRank rank) throws WireException {
        if (!rank.isMoveAsked() || rank.isFinalizing()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "MOVE from " + rank + ", which " + (rank.isFinalizing() ? "has said FINALIZE" : "was not asked to"));
        }
        RankPort port = rank.port();
        rank.beginMove();
        port.close(CloseNotice.closing(rank.job().id(), CloseReason.MOVED, "connect again"));
    }

    /**
     * The owner's verdict is that the rank's process is dead or too slow: fences it, if the rank has a follower, which
     * leads from here on.
     *
     * @return whether there was one
     */
    boolean depose(HomedRank rank, CloseNotice why) {
        if (!followers.canLead(rank)) {
            return false;
        }
        RankPort port = rank.port();
        if (port != null) {
            port.close(CloseNotice.closing(rank.job().id(), CloseReason.FENCED, why.text()));
            lose(rank, why);
        } else {
            followers.promote(rank);
        }
        return true;
    }

    /** The rank has not reconnected in time. Does nothing if its {@code move}-th move is over. */
    void moveFailed(HomedRank rank, int move, CloseNotice why) {
        if (rank.state() == RankState.MOVING && rank.moves() == move) {
            lose(rank, why);
        }
    }

    // ---- going

    /** The connection of {@code port} ended. */
    void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        boolean replayed = rank.replay() != null && rank.replay().port() == port;
        if (replayed || rank.state() == RankState.CONNECTED && rank.port() == port) {
            lose(rank, why);
        } else {
            followers.disconnected(rank, port, why);
        }
    }

    /**
     * The rank's connection ended without a goodbye: the rank has gone for ever, or until its next incarnation
     * connects, or a follower leads.
     */
    private void lose(HomedRank rank, CloseNotice why) {
        boolean awaited = (rank.job().isInLog() || rank.job().followersOf(rank.rank()) > 0) && !rank.isGivenUp();
        leave(rank, awaited ? RankState.AWAY : RankState.LOST);
        if (rank.job().tellsFailures() && !awaited) {
            failureFrames.declareDead(rank);
        }
        rank.job().report(awaited ? JobEvent.AWAY : JobEvent.LOST, rank.rank(), why.code(), why.text());
        if (why.reason() != CloseReason.RELAY_STOPPING) {
            followers.promote(rank); // All connections end with the relay; its next process awaits the leader.
        }
    }

    /**
     * The rank's launcher knows that a process of it has ended, or that its node is gone. Does nothing if the rank is lost already or has
     * another process. In a job without a log, a connected rank is not dead before its connection has ended, since what it has sent may not have
     * been read yet.
     *
     * @return whether its connection's end is awaited, and {@link #fence} is to follow if that takes too long
     */
    boolean ended(HomedRank rank, int incarnation) {
        if (!rank.job().logged()) {
            return endedForGood(rank, incarnation);
        }
        if (rank.job().tellsFailures()) {
            return giveUp(rank, incarnation);
        }
        endedOfSeveral(rank, incarnation);
        return false;
    }

    /** Its launcher starts no other process of the rank. */
    private boolean giveUp(HomedRank rank, int incarnation) {
        if (rank.state() == RankState.FINALIZED || rank.state() == RankState.LOST || incarnation < rank.incarnation()) {
            return false;
        }
        rank.giveUp();
        if (isThere(rank)) {
            return true;
        }
        if (rank.state() == RankState.WAITING) {
            rank.neverCame(incarnation);
        } else {
            leave(rank, RankState.LOST);
        }
        failureFrames.declareDead(rank);
        rank.job().report(JobEvent.LOST, rank.rank(), CloseReason.FENCED.code(), "its launcher starts no other process of it");
        return false;
    }

    private static boolean isThere(HomedRank rank) {
        return rank.state() == RankState.CONNECTED || rank.state() == RankState.REPLAYING;
    }

    /**
     * A rank that is not followed awaits its next process, as its launcher knows. One of which this relay's host has lost all records awaits its
     * first one: that has ended if a process has that was promoted, which has an odd number.
     */
    private void endedOfSeveral(HomedRank rank, int incarnation) {
        boolean first = rank.state() == RankState.WAITING && (incarnation & 1) == 1;
        if (!followers.ended(rank, incarnation) && (first || incarnation == rank.incarnation())) {
            rank.ended(incarnation);
            replaceEnded(rank);
        }
    }

    /** A process that followed leads, and the history that it has to observe cannot be read. Another one may begin at an image. */
    void unreadable(HomedRank rank, String why) {
        RankPort port = rank.port();
        CloseNotice notice = CloseNotice.closing(rank.job().id(), CloseReason.CANNOT_RESUME, "restart: the history of " + rank + ": " + why);
        lose(rank, notice);
        port.close(notice);
    }

    /**
     * The rank's process ends the job. One that has followed and is not live has had no effects yet: if it has diverged, it ends alone, and
     * another follower leads, or its launcher starts it again.
     */
    void aborted(HomedRank rank, CloseNotice closeNotice) {
        boolean hasOnlyFollowed = rank.replay() != null && rank.replay().wasFollowing();
        if (hasOnlyFollowed && closeNotice.code() == ExitStatuses.DIVERGED) {
            String why = "has lost follower " + rank.followedAs() + ", which was to lead and has diverged: " + closeNotice.text();
            rank.job().report(JobEvent.DIVERGED, rank.rank(), 0, why);
            RankPort port = rank.replay().port();
            CloseNotice notice = CloseNotice.closing(rank.job().id(), CloseReason.DIVERGED, rank + " " + why);
            lose(rank, notice);
            port.close(notice);
        } else {
            rank.job().report(JobEvent.ABORTED, rank.rank(), closeNotice.code(), closeNotice.text());
        }
    }

    private void replaceEnded(HomedRank rank) {
        if (rank.state() == RankState.WAITING && Followers.isFollowed(rank)) {
            rank.neverCameAndIsFollowed(1);
        }
        depose(rank, CloseNotice.closing(rank.job().id(), CloseReason.FENCED, "its process has ended, as its launcher knows"));
    }

    private boolean endedForGood(HomedRank rank, int incarnation) {
        if (!rank.job().tellsFailures()) {
            return false;
        }
        if (rank.state() == RankState.MOVING) {
            fence(rank, incarnation);
        } else if (rank.state() == RankState.WAITING) {
            rank.neverCame(incarnation);
            failureFrames.declareDead(rank);
        }
        return isConnected(rank, incarnation);
    }

    private static boolean isConnected(HomedRank rank, int incarnation) {
        return isThere(rank) && rank.incarnation() == incarnation;
    }

    /** The process that {@link #ended} tells of is dead, and its connection has not ended: closes it. Does nothing if it has ended by now. */
    void fence(HomedRank rank, int incarnation) {
        if (isConnected(rank, incarnation) || rank.state() == RankState.MOVING && rank.incarnation() == incarnation) {
            RankPort port = rank.port();
            lose(rank, CloseNotice.closing(rank.job().id(), CloseReason.FENCED, "its launcher has given up its process"));
            port.close(CloseNotice.closing(rank.job().id(), CloseReason.FENCED, "its launcher has given up this process"));
        }
    }

    private void leave(HomedRank rank, RankState next) {
        checkpoints.drop(rank);
        rank.disconnect(next);
        deliveries.left(rank);
    }

    /**
     * The rank called Finalize. It is answered at once, or, in a logged job, when all its sent frames are {@link #safer
     * safe}.
     */
    void beginFinalize(HomedRank rank, FrameView view) throws WireException {
        if (rank.state() == RankState.REPLAYING && rank.replay().wasFollowing()) {
            return; // Sent before it read that it leads; it calls Finalize again when it is live.
        }
        if (rank.state() == RankState.REPLAYING) {
            throw new WireException(CloseReason.NOT_EXPECTED, "FINALIZE from " + rank + " before it was live");
        }
        RankFrames.logPolls(rank, view.finalizeFailedPolls());
        if (rank.job().logged()) {
            rank.beginFinalize();
        }
        if (!rank.job().logged() || rank.mayFinalize()) {
            endFinalize(rank);
        }
    }

    /** More of the rank's sent frames are stable. */
    void safer(HomedRank rank) {
        if (rank.followers() != null) {
            rank.followers().safer();
        }
        if (rank.port() == null) {
            return;
        }
        if (rank.mayFinalize()) {
            rank.job().guarded(() -> endFinalize(rank));
        } else if (rank.safety().isDue()) {
            rank.safety().tell(rank.port());
        }
    }

    private void endFinalize(HomedRank rank) {
        RankPort port = rank.port();
        rank.job().journal().finalized(rank.job().id(), rank.rank(), rank.incarnation());
        leave(rank, RankState.FINALIZED);
        port.finalized();
        collectiveMismatchDetector.finalized(rank);
        deliveries.finalized(rank);
        rank.job().report(JobEvent.FINALIZED, rank.rank(), 0, "");
        followers.finalized(rank);
        if (rank.job().rebuilds()) {
            failureFrames.finalized(rank);
        }
    }

    /**
     * No process of the rank follows. If it has not called Finalize, as far as the log of a host that lost its power
     * shows, nothing is discarded.
     */
    static void done(HomedRank rank) {
        if (rank.state() == RankState.FINALIZED) {
            rank.job().journal().done(rank.job().id(), rank.rank(), rank.incarnation());
        }
    }

    /** The rank's job has ended: tells it if it is connected, and discards its state. */
    void end(HomedRank rank, CloseNotice why) {
        checkpoints.drop(rank);
        RankPort port = rank.port();
        if (port != null) {
            rank.disconnect(RankState.LOST);
            rank.job().report(JobEvent.LOST, rank.rank(), why.code(), "the job was closed");
            port.aborted(why);
        }
        followers.end(rank, why);
        deliveries.forget(rank);
        rank.release();
    }
}
