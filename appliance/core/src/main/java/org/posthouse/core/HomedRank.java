package org.posthouse.core;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;

/** One rank at its home relay: its mailbox, its port, and its operations in progress. Confined to the relay core. */
public final class HomedRank {
    /** Limit of a rank's unmatched offers: about 400 bytes each at the relays of their destinations, 25 MiB a rank. */
    static final int OFFERS_MAX = 64 * 1024;

    private final Job job;
    private final int rank;
    private final Mailbox mailbox;
    private final ReceiveState receiveState = new ReceiveState();
    private final SendState sendState = new SendState();
    private final SuppressedSends suppressedSends = new SuppressedSends();
    private Checkpoints.Save save;
    private int saves;
    private final OutputPositions outputPositions = new OutputPositions(this);
    private final UsedCredit credit = new UsedCredit();
    private final StabilityTracker stabilityTracker;

    private RankState state = RankState.WAITING;
    private Replay replay;
    private int replays;
    private RankPort port;
    private int incarnation;
    private boolean moveAsked;
    private boolean finalizing;
    private int moves;
    private long failedPolls;
    private long events;
    private boolean toldUnreceived;
    private int unreadAnswers;
    private int offers;
    private int ahead;
    private long aheadBytes;
    private long messagesSent;
    private long bytesSent;
    private long messagesDelivered;

    /** The part of these that the log knew when this relay began. */
    private long deliveredBefore;

    private long bytesDelivered;

    HomedRank(Job job, int rank) {
        this.job = job;
        this.rank = rank;
        this.mailbox = new Mailbox(job.size());
        this.stabilityTracker = job.logged() ? new StabilityTracker(this) : null;
    }

    public Job job() {
        return job;
    }

    public int rank() {
        return rank;
    }

    public Mailbox mailbox() {
        return mailbox;
    }

    public RankState state() {
        return state;
    }

    public int incarnation() {
        return incarnation;
    }

    public long messagesSent() {
        return messagesSent;
    }

    public long bytesSent() {
        return bytesSent;
    }

    /** Messages delivered, including those that wait while the rank is between two connections. */
    public long messagesDelivered() {
        return messagesDelivered;
    }

    /** Messages delivered by this relay process, like all its other counters. */
    public long deliveredHere() {
        return messagesDelivered - deliveredBefore;
    }

    /** Deliveries sent to the rank: its counter of the handshake. */
    long deliveriesSent() {
        return port instanceof BufferingPort held ? messagesDelivered - held.deliveries() : messagesDelivered;
    }

    public long bytesDelivered() {
        return bytesDelivered;
    }

    public long creditBytesUsed() {
        return credit.bytes();
    }

    public int creditMessagesUsed() {
        return credit.messages();
    }

    UsedCredit credit() {
        return credit;
    }

    /** Tracks which of its sent frames are stable; null unless the job is logged. */
    StabilityTracker safety() {
        return stabilityTracker;
    }

    /** Whether other cores have so many of its frames to handle that it must not send more; only in a logged job. */
    public boolean isHeavy() {
        return job.logged() && stabilityTracker.isHeavy();
    }

    /** Calls back, inside the core, when other cores have handled most of them. */
    public void whenLighter(Runnable goOn) {
        stabilityTracker.whenLighter(goOn);
    }

    /** Its port; null unless connected. During replay a port to which nothing is delivered. */
    RankPort port() {
        return port;
    }

    ReceiveState incoming() {
        return receiveState;
    }

    SendState outgoing() {
        return sendState;
    }

    /** Visits each message from {@code source} that is here in part, or offered and unmatched. */
    void forEachOpen(int source, Consumer<Message> visitor) {
        receiveState.arriving().stream().filter(message -> message.source() == source).forEach(visitor);
        mailbox.forEachOffer(source, message -> {
            if (message.isComplete() && !message.isAhead()) {
                visitor.accept(message);
            }
        });
    }

    void connect(RankPort port, int incarnation) {
        transition(RankState.CONNECTED);
        this.port = port;
        this.incarnation = incarnation;
    }

    /** A process has connected that has not read everything that the rank was sent: begins its replay. */
    void beginReplay(RankPort real, int incarnation, ResumePoint resumePoint, HistorySource historySource, long nanos) {
        transition(RankState.REPLAYING);
        this.incarnation = incarnation;
        replay = new Replay(this, real, resumePoint, historySource, ++replays, nanos);
        port = replay.senderOnly();
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

    /** Number of replays begun, for a new process or a new connection. */
    int replays() {
        return replays;
    }

    /** The frames that its next incarnation may send again, or not at all. */
    SuppressedSends repeats() {
        return suppressedSends;
    }

    /** Number of events in its history so far. */
    public long events() {
        return events;
    }

    void countEvents(int count) {
        events += count;
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

    /** Whether the launcher must be told of a send that no rank will receive; it is told of the first only. */
    boolean tellsUnreceived() {
        boolean tells = !toldUnreceived;
        toldUnreceived = true;
        return tells;
    }

    /** The checkpoint that it has announced and that is not in the log yet; null if there is none. */
    Checkpoints.Save save() {
        return save;
    }

    void save(Checkpoints.Save next) {
        save = next;
    }

    /** The question to its launcher that must be answered before its image counts; empty if there is none. */
    public Optional<JobEvent> asking() {
        return Checkpoints.asking(this);
    }

    /** The standstill event for a launcher that connects, if it would have been told that this rank stands still. */
    public Optional<JobEvent> standstill() {
        return StallReporter.told(this);
    }

    /** The notes about its output that its launcher needs to restart it. */
    OutputPositions outputNotes() {
        return outputPositions;
    }

    /** The notes that a launcher that connects needs to restart it. */
    public List<JobEvent> outputNotesTold() {
        return outputPositions.all();
    }

    /** A number for its next image, which identifies the image while it is transferred. */
    int nextSave() {
        return ++saves;
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
        suppressedSends.forgetAwaited();
        transition(next);
        port = null;
        mailbox.forgetReceives();
    }

    /** Restores its state from the log before anybody connects. Its life continues here; this is no step of it. */
    void restore(RecoveredRank recoveredRank) {
        state = recoveredRank.incarnation() == 0
                ? RankState.WAITING
                : recoveredRank.finalized() ? RankState.FINALIZED : RankState.AWAY;
        incarnation = recoveredRank.incarnation();
        messagesDelivered = recoveredRank.deliveries();
        deliveredBefore = messagesDelivered;
        events = recoveredRank.events();
        failedPolls = recoveredRank.failedPolls();
        recoveredRank.marks().forEach(outputPositions::checkpoint);
        if (recoveredRank.limited()) {
            outputPositions.limited("it did what cannot be replayed before its relay was started again");
        }
    }

    /** The rank called Finalize. It is answered when all its sent frames are stable. */
    void beginFinalize() {
        finalizing = true;
    }

    /** Whether it called Finalize and was not answered. */
    boolean isFinalizing() {
        return finalizing;
    }

    /** Whether the rank waits only for its sent frames to be stable, and all are. */
    boolean mayFinalize() {
        return finalizing && stabilityTracker.isAllSafe();
    }

    /** The message from {@code source} if it is here in part, or offered and unmatched; else null. */
    Message openMessage(int context, int source, long sequence) {
        Message message = receiveState.arriving(new TransferId(context, source, sequence));
        return message == null ? mailbox.offer(context, source, sequence) : message;
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

    /** @param crossing where it comes from; null if that does not matter */
    void returnCredit(long bytes, int messages, ForwardCount forwardCount) {
        credit.comesBack(bytes, messages, forwardCount);
        if (port != null) {
            port.credit(bytes, messages);
        }
    }

    /**
     * An offer of the rank was matched, or may go on. A process that does not know the offer yet is told when it does.
     */
    void cleared(int context, int destination, long sequence, long upTo) {
        boolean noted = suppressedSends.isAwaiting() && suppressedSends.noteCleared(new TransferId(context, destination, sequence), upTo);
        if (port != null && !noted) {
            port.clear(context, destination, sequence, upTo);
        }
    }

    /** The rank repeats an offer that was withdrawn before and was discarded here. It is told so when it asks. */
    void wasTakenBack(TransferId transferId) {
        freeOfferPlace();
        tookBack(transferId);
    }

    /**
     * Records a withdrawn transfer, of which each later process is told. From time to time checks whether it still can
     * be.
     */
    private void tookBack(TransferId transferId) {
        suppressedSends.tookBack(transferId);
        if (suppressedSends.gone().size() % StatePage.ENTRIES_MAX == 0) {
            OpenChannels.tellIfFull(this);
        }
    }

    /** Tells the rank whether an earlier process had withdrawn a message that it has sent whole. */
    void answer(TransferId transferId, boolean gone) {
        if (gone) {
            tookBack(transferId);
        }
        port.withdrawn(transferId.context(), transferId.peer(), transferId.sequence(), gone);
    }

    /** An offer of the rank was withdrawn, or it was too late for that. */
    void withdrawn(int context, int destination, long sequence, boolean gone) {
        TransferId transferId = new TransferId(context, destination, sequence);
        boolean asked = !suppressedSends.takeUnasked(transferId) && port != null;
        if (gone) {
            freeOfferPlace();
            if (job.logged()) {
                tookBack(transferId);
            }
        }
        if (asked) {
            port.withdrawn(context, destination, sequence, gone);
        }
    }

    /** Takes a place among the rank's unmatched offers; false if none is free. */
    boolean takeOfferPlace() {
        if (offers == OFFERS_MAX) {
            return false;
        }
        offers++;
        return true;
    }

    /** Frees a place: one of its offers was matched or withdrawn. */
    void freeOfferPlace() {
        offers--;
    }

    /** Number of unmatched offers of this rank. */
    int offers() {
        return offers;
    }

    /** Undelivered messages for it whose senders have their credit back. */
    int ahead() {
        return ahead;
    }

    /** Memory that they take in bytes; 0 if the log holds them. */
    long aheadBytes() {
        return aheadBytes;
    }

    void countAhead(int change, long bytes) {
        ahead += change;
        aheadBytes += bytes;
    }

    void countSent(long messageBytes) {
        messagesSent++;
        bytesSent += messageBytes;
    }

    /** Counts a delivery and returns its number, from 1. */
    long countDelivered(Message message) {
        bytesDelivered += message.bytes();
        return ++messagesDelivered;
    }

    /** Counts an answer to a rank that is slow to read. Returns how many there are since it last was not. */
    int countUnreadAnswer() {
        return ++unreadAnswers;
    }

    void clearUnreadAnswers() {
        unreadAnswers = 0;
    }

    /** Its failed polls since its start, as far as reported. */
    long failedPolls() {
        return failedPolls;
    }

    /**
     * The rank reports the low 32 bits of their number. In replay it repeats earlier reports, however old, and reports
     * nothing that its HELLO has not counted.
     *
     * @return whether there are more than were known
     */
    boolean learnFailedPolls(int told) {
        long most = replay == null ? failedPolls + Integer.MAX_VALUE : Math.max(failedPolls, replay.headway().failedPolls());
        long all = most - Integer.toUnsignedLong((int) most - told);
        boolean more = all > failedPolls;
        failedPolls = Math.max(failedPolls, all);
        return more;
    }

    /**
     * Releases everything as the job ends. Matched arrivals are on their way, and what a journal held back finds no
     * arrivals.
     */
    void release() {
        mailbox.drain(Message::release);
        receiveState.forget();
    }

    @Override
    public String toString() {
        return "job " + job.hexId() + " rank " + rank;
    }
}
