package org.posthouse.core;

import java.util.List;
import java.util.Optional;
import org.posthouse.wire.JobEvent;

/**
 * One rank at its home relay: the life of its connection, and its send side, receive side, checkpoints and counters.
 * Confined to the relay core.
 */
public final class HomedRank {
    private final Job job;
    private final int rank;
    private final SendSide sendSide;
    private final ReceiveSide receiveSide;
    private final RankCheckpoints checkpoints = new RankCheckpoints(this);
    private final RankCounters counters = new RankCounters();

    private RankState state = RankState.WAITING;
    private Replay replay;
    private int replays;
    private int readings;

    /** Null unless a process has ever followed. */
    private RankFollowers followers;

    /** The number that its process had as a follower; 0 if it never followed. */
    private int followedAs;

    /** The incarnation of its last process that has ended according to its launcher; 0 if there is none. */
    private int endedIncarnation;

    private RankPort port;
    private int incarnation;
    private boolean givenUp;
    private boolean moveAsked;
    private boolean finalizing;
    private int moves;

    HomedRank(Job job, int rank) {
        this.job = job;
        this.rank = rank;
        this.sendSide = new SendSide(this);
        this.receiveSide = new ReceiveSide(job.size());
    }

    public Job job() {
        return job;
    }

    public int rank() {
        return rank;
    }

    /** The rank's sends, with the credit and the answers for them. */
    public SendSide sends() {
        return sendSide;
    }

    /** The messages to the rank. */
    public ReceiveSide receives() {
        return receiveSide;
    }

    /** Its checkpoints, complete and in transfer. */
    public RankCheckpoints checkpoints() {
        return checkpoints;
    }

    public RankCounters counters() {
        return counters;
    }

    public Mailbox mailbox() {
        return receiveSide.mailbox();
    }

    ReceiveState incoming() {
        return receiveSide.state();
    }

    SendState outgoing() {
        return sendSide.state();
    }

    /** Tracks which of its sent frames are stable; null unless the job is logged. */
    StabilityTracker safety() {
        return sendSide.stability();
    }

    /** The frames that its next incarnation may send again, or not at all. */
    SuppressedSends repeats() {
        return sendSide.suppressed();
    }

    /** Deliveries sent to the rank: its counter of the handshake. */
    long deliveriesSent() {
        long delivered = counters.messagesDelivered();
        return port instanceof BufferingPort held ? delivered - held.deliveries() : delivered;
    }

    public RankState state() {
        return state;
    }

    public int incarnation() {
        return incarnation;
    }

    /** Its port; null unless connected. During replay a port to which nothing is delivered. */
    RankPort port() {
        return port;
    }

    void connect(RankPort port, int incarnation) {
        transition(RankState.CONNECTED);
        this.port = port;
        this.incarnation = incarnation;
        followedAs = 0;
    }

    /** Its process has ended before it connected. */
    void neverCame(int incarnation) {
        transition(RankState.LOST);
        this.incarnation = incarnation;
    }

    /** As above, but a follower leads next. */
    void neverCameAndIsFollowed(int incarnation) {
        transition(RankState.AWAY);
        this.incarnation = incarnation;
    }

    /** Its launcher knows that this process has ended. */
    void ended(int incarnation) {
        endedIncarnation = incarnation;
    }

    /** Whether its launcher knows that its process has ended, and no other has come. */
    boolean hasEnded() {
        return endedIncarnation > 0 && (endedIncarnation == incarnation || state == RankState.WAITING);
    }

    /** Its launcher knows that this process has ended, and starts no other: it is dead when its connection has ended. */
    void giveUp() {
        givenUp = true;
    }

    boolean isGivenUp() {
        return givenUp;
    }

    /** The log says that it is dead. */
    void restoreDead(int ofIncarnation) {
        state = RankState.LOST;
        incarnation = Math.max(incarnation, ofIncarnation);
    }

    /** A process has connected that has not read everything that the rank was sent: begins its replay. */
    void beginReplay(RankPort real, int incarnation, ResumePoint resumePoint, HistorySource historySource, long nanos) {
        transition(RankState.REPLAYING);
        followedAs = incarnation == this.incarnation ? followedAs : 0;
        this.incarnation = incarnation;
        replay = new Replay(this, real, resumePoint, historySource, ++readings, nanos);
        replays++;
        port = replay.senderOnly();
    }

    /** A follower leads: the rest of its history is the rank's replay. */
    void promote(RankFollower follower, int next) {
        transition(RankState.REPLAYING);
        this.incarnation = next;
        followedAs = follower.incarnation();
        replay = follower.replay();
        replay.lead();
        replays++;
        port = replay.senderOnly();
    }

    /** The processes that follow the rank's leader; null if none ever did. */
    RankFollowers followers() {
        return followers;
    }

    /** The number that its process had as a follower; 0 if it never followed. */
    int followedAs() {
        return followedAs;
    }

    /** The processes that follow it now. */
    public List<FollowerState> followerStates() {
        return followers == null ? List.of() : followers.all().stream().map(follower -> follower.state(counters)).toList();
    }

    /** The event that tells a launcher which process leads the rank; empty if nobody has ever followed it. */
    public Optional<JobEvent> leader() {
        return followers == null && followedAs == 0
                ? Optional.empty()
                : Optional.of(new JobEvent(job.id(), JobEvent.LEADS, rank, incarnation, followedAs, 0, ""));
    }

    /** A process follows the rank's leader. */
    RankFollower follow(FollowerPort real, int followerIncarnation, boolean isAgain, ResumePoint resumePoint, HistorySource historySource, long nanos) {
        if (followers == null) {
            followers = new RankFollowers(this);
        }
        Replay history = Replay.following(this, real, resumePoint, historySource, ++readings, nanos);
        RankFollower follower = new RankFollower(real, history, followerIncarnation, isAgain);
        followers.add(follower);
        return follower;
    }

    /** Ends the replay: the process has reached the rank's state. */
    void endReplay() {
        transition(RankState.CONNECTED);
        port = replay.port();
        replay = null;
        if (moveAsked) {
            port.move();
        }
    }

    /** Its replay; null unless it is {@link RankState#REPLAYING}. */
    Replay replay() {
        return replay;
    }

    /** The rank reports the low 32 bits of the number of its failed polls. Returns whether there are more than were known. */
    boolean learnFailedPolls(int told) {
        return counters.learnFailedPolls(told, replay == null ? -1 : replay.headway().failedPolls());
    }

    /** Ends a push window, and tells the rank. */
    void endPush(PushWindow window, PushWindow.End why) {
        window.end();
        port.ended(window.context(), (int) window.number(), why, window.pushed());
    }

    /** Number of replays begun, for a new process or a new connection. */
    int replays() {
        return replays;
    }

    /**
     * Whether it takes more pieces of a message of which it has a part. In a replay it does once its history was handed
     * out. A host that has lost the end of its log may have lost pieces that the rank's next observation depends on.
     * Without them the rank never becomes live.
     */
    boolean takesPieces() {
        return reads() && (replay == null || replay.isHandedOut());
    }

    /** Whether its process reads, in replay or not. */
    boolean reads() {
        return replay == null ? port.writable() : replay.port().writable();
    }

    /** The standstill event for a launcher that connects, if this rank's standstill was reported. */
    public Optional<JobEvent> standstill() {
        return StallReporter.told(this);
    }

    /** The rank has stopped writing and will reconnect: all frames for it are held until then. */
    void beginMove() {
        transition(RankState.MOVING);
        moveAsked = false;
        moves++;
        port = new BufferingPort();
    }

    /** The rank has reconnected: sends it the held frames. */
    void endMove(RankPort next) {
        BufferingPort held = (BufferingPort) port;
        transition(RankState.CONNECTED);
        port = next;
        held.release(next);
    }

    /** Whether it is asked to reconnect and has not answered. */
    boolean isMoveAsked() {
        return moveAsked && state == RankState.CONNECTED;
    }

    /** Number of times it has left a connection in order to reconnect on another. */
    public int moves() {
        return moves;
    }

    /** Asks it to reconnect, at once or at the end of its replay. */
    void askMove() {
        moveAsked = true;
        if (state == RankState.CONNECTED) {
            port.move();
        }
    }

    void disconnect(RankState next) {
        if (port instanceof BufferingPort held) {
            held.drop();
        }
        if (replay != null) {
            replay.stop();
            replay = null;
        }
        moveAsked = false;
        finalizing = false;
        repeats().forgetAwaited();
        transition(next);
        port = null;
        mailbox().forgetReceives();
    }

    /** Restores its state from the log before anybody connects. Its life continues here; this is no step of it. */
    void restore(RecoveredRank recoveredRank) {
        state = recoveredRank.incarnation() == 0
                ? RankState.WAITING
                : recoveredRank.finalized() ? RankState.FINALIZED : RankState.AWAY;
        incarnation = recoveredRank.incarnation();
        followedAs = recoveredRank.followedAs();
        counters.restore(recoveredRank);
        checkpoints.restore(recoveredRank);
    }

    /** The rank called Finalize. It is answered when all its sent frames are stable. */
    void beginFinalize() {
        finalizing = true;
    }

    /** Whether the rank waits only for its sent frames to be stable, and all are. */
    boolean mayFinalize() {
        return finalizing && safety().isAllSafe();
    }

    /** Whether it called Finalize and was not answered. */
    boolean isFinalizing() {
        return finalizing;
    }

    private void transition(RankState next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("rank " + rank + " of job " + job.hexId() + " cannot go from " + state + " to " + next);
        }
        state = next;
        if (next != RankState.CONNECTED && next != RankState.MOVING) {
            job.blocked().forget(rank);
            job.stalls().forget(rank);
        }
    }

    /**
     * Releases everything as the job ends. Matched arrivals are on their way, and what a journal held back finds no
     * arrivals.
     */
    void release() {
        receiveSide.release();
    }

    @Override
    public String toString() {
        return "job " + job.hexId() + " rank " + rank;
    }
}
