package org.posthouse.core;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;

/** One rank at its home relay: its mailbox, its way out, and what it has under way. Confined to the relay core. */
public final class HomedRank {
    /** Most unmatched offers of a rank: about 400 bytes each at the relays of their destinations, 25 MiB a rank. */
    static final int OFFERS_MAX = 64 * 1024;

    private final Job job;
    private final int rank;
    private final Mailbox mailbox;
    private final Incoming incoming = new Incoming();
    private final Outgoing outgoing = new Outgoing();
    private final Repeats repeats = new Repeats();
    private Checkpoints.Save save;
    private int saves;
    private final OutputNotes outputNotes = new OutputNotes(this);
    private final UsedCredit credit = new UsedCredit();
    private final Safety safety;

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

    /** Of these, what the log knew of when this relay began. */
    private long deliveredBefore;

    private long bytesDelivered;

    HomedRank(Job job, int rank) {
        this.job = job;
        this.rank = rank;
        this.mailbox = new Mailbox(job.size());
        this.safety = job.logged() ? new Safety(this) : null;
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

    /** Messages delivered, those included that wait for a rank between two connections. */
    public long messagesDelivered() {
        return messagesDelivered;
    }

    /** Those of this relay, as all else that it counts. */
    public long deliveredHere() {
        return messagesDelivered - deliveredBefore;
    }

    /** Deliveries that have left for the rank: its counter of the handshake. */
    long deliveriesSent() {
        return port instanceof HeldPort held ? messagesDelivered - held.deliveries() : messagesDelivered;
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

    /** What of what it has sent is safe; null unless the job is logged. */
    Safety safety() {
        return safety;
    }

    /** Whether other cores have so much of what it has sent to handle that it is not to send more; only of a logged job's. */
    public boolean isHeavy() {
        return job.logged() && safety.isHeavy();
    }

    /** Calls back, inside of the core, when they have handled most of it. */
    public void whenLighter(Runnable goOn) {
        safety.whenLighter(goOn);
    }

    /** Null unless connected; while the rank is replayed, one to which nothing is delivered. */
    RankPort port() {
        return port;
    }

    Incoming incoming() {
        return incoming;
    }

    Outgoing outgoing() {
        return outgoing;
    }

    /** Tells of each message from {@code source} that is here in part, or offered and unmatched. */
    void forEachOpen(int source, Consumer<Message> visitor) {
        incoming.arriving().stream().filter(message -> message.source() == source).forEach(visitor);
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

    /** A process has come that has not read all that the rank was sent: it is brought to where the rank is. */
    void beginReplay(RankPort real, int incarnation, Headway headway, Historian historian, long nanos) {
        transition(RankState.REPLAYING);
        this.incarnation = incarnation;
        replay = new Replay(this, real, headway, historian, ++replays, nanos);
        port = replay.senderOnly();
    }

    /** It is where it was. */
    void endReplay() {
        transition(RankState.CONNECTED);
        port = replay.port();
        replay = null;
        if (moveAsked) {
            port.move();
        }
    }

    /** Null unless it is {@link RankState#REPLAYING}. */
    Replay replay() {
        return replay;
    }

    /** How often a process, or a connection, began to be brought to where the rank is. */
    int replays() {
        return replays;
    }

    /** What its next incarnation may send again, or not at all. */
    Repeats repeats() {
        return repeats;
    }

    /** Events of its history so far. */
    public long events() {
        return events;
    }

    void countEvents(int count) {
        events += count;
    }

    /**
     * Whether it takes more of what it was given a part of. In a replay it does once its history was handed out: a host that has lost the end of its log may
     * have lost pieces that what the rank observed next depends on, and without them it never becomes live.
     */
    boolean takesPieces() {
        return reads() && (replay == null || replay.isHandedOut());
    }

    /** Whether its process reads, replayed or not. */
    boolean reads() {
        return replay == null ? port.writable() : replay.port().writable();
    }

    /** Whether the launcher is to hear of a send that nobody will receive: it hears of the first. */
    boolean tellsUnreceived() {
        boolean tells = !toldUnreceived;
        toldUnreceived = true;
        return tells;
    }

    /** The point that it has told and that is not in the log yet; null if there is none. */
    Checkpoints.Save save() {
        return save;
    }

    void save(Checkpoints.Save next) {
        save = next;
    }

    /** What its launcher is asked before its image counts; empty if it is not. */
    public Optional<JobEvent> asking() {
        return Checkpoints.asking(this);
    }

    /** What its launcher has to know to start it again. */
    OutputNotes outputNotes() {
        return outputNotes;
    }

    /** What a launcher that comes has to know to start it again. */
    public List<JobEvent> outputNotesTold() {
        return outputNotes.all();
    }

    /** A number for its next image, which names it as long as it is on its way. */
    int nextSave() {
        return ++saves;
    }

    /** It has stopped writing and will connect again: until then all that it is sent is held. */
    void beginMove() {
        transition(RankState.MOVING);
        moveAsked = false;
        moves++;
        port = new HeldPort();
    }

    /** It is there again: gets what was held. */
    void endMove(RankPort next) {
        HeldPort held = (HeldPort) port;
        transition(RankState.CONNECTED);
        port = next;
        held.release(next);
    }

    /** Whether it is asked to connect again and has not answered. */
    boolean isMoveAsked() {
        return moveAsked && state == RankState.CONNECTED;
    }

    /** How often it has left a connection to come on another. */
    public int moves() {
        return moves;
    }

    /** At once, or at the end of its replay. */
    void askMove() {
        moveAsked = true;
        if (state == RankState.CONNECTED) {
            port.move();
        }
    }

    void disconnect(RankState next) {
        if (port instanceof HeldPort held) {
            held.drop();
        }
        if (replay != null) {
            replay.stop();
            replay = null;
        }
        moveAsked = false;
        finalizing = false;
        repeats.forgetAwaited();
        transition(next);
        port = null;
        mailbox.forgetReceives();
    }

    /** What the log says of it, before it or anybody else has come: where its life goes on here, which is no step of it. */
    void restore(Recovered recovered) {
        state = recovered.incarnation() == 0
                ? RankState.WAITING
                : recovered.finalized() ? RankState.FINALIZED : RankState.AWAY;
        incarnation = recovered.incarnation();
        messagesDelivered = recovered.deliveries();
        deliveredBefore = messagesDelivered;
        events = recovered.events();
        failedPolls = recovered.failedPolls();
        recovered.marks().forEach(outputNotes::checkpoint);
        if (recovered.limited()) {
            outputNotes.limited("it did what cannot be replayed before its relay was started again");
        }
    }

    /** It has said goodbye, and is answered when all that it has sent is safe. */
    void beginFinalize() {
        finalizing = true;
    }

    /** Whether it has said goodbye and was not answered. */
    boolean isFinalizing() {
        return finalizing;
    }

    /** Whether the rank waits for nothing but what it has sent to be safe, and all is. */
    boolean mayFinalize() {
        return finalizing && safety.isAllSafe();
    }

    /** The message from {@code source} if it is here in part, or offered and unmatched; else null. */
    Message openMessage(int context, int source, long sequence) {
        Message message = incoming.arriving(new Transfer(context, source, sequence));
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
    void returnCredit(long bytes, int messages, Crossing crossing) {
        credit.comesBack(bytes, messages, crossing);
        if (port != null) {
            port.credit(bytes, messages);
        }
    }

    /** An offer of its was matched, or may go on; a process that does not know of it yet hears when it does. */
    void cleared(int context, int destination, long sequence, long upTo) {
        boolean noted = repeats.isAwaiting() && repeats.noteCleared(new Transfer(context, destination, sequence), upTo);
        if (port != null && !noted) {
            port.clear(context, destination, sequence, upTo);
        }
    }

    /** An offer that it says again was taken back before, which was forgotten here: it hears that when it asks. */
    void wasTakenBack(Transfer transfer) {
        freeOfferPlace();
        tookBack(transfer);
    }

    /** Each process that comes after this one is told of it; now and then it is looked whether it still can be. */
    private void tookBack(Transfer transfer) {
        repeats.tookBack(transfer);
        if (repeats.gone().size() % StatePage.ENTRIES_MAX == 0) {
            OpenChannels.tellIfFull(this);
        }
    }

    /** It hears whether a process before had taken back what it has sent whole. */
    void answer(Transfer transfer, boolean gone) {
        if (gone) {
            tookBack(transfer);
        }
        port.withdrawn(transfer.context(), transfer.peer(), transfer.sequence(), gone);
    }

    /** An offer of its was taken back, or it was too late for that. */
    void withdrawn(int context, int destination, long sequence, boolean gone) {
        Transfer transfer = new Transfer(context, destination, sequence);
        boolean asked = !repeats.takeUnasked(transfer) && port != null;
        if (gone) {
            freeOfferPlace();
            if (job.logged()) {
                tookBack(transfer);
            }
        }
        if (asked) {
            port.withdrawn(context, destination, sequence, gone);
        }
    }

    /** Takes a place among the rank's unmatched offers; false if there is none free. */
    boolean takeOfferPlace() {
        if (offers == OFFERS_MAX) {
            return false;
        }
        offers++;
        return true;
    }

    /** One of its offers was matched or withdrawn. */
    void freeOfferPlace() {
        offers--;
    }

    /** Offers of this rank that nothing has matched. */
    int offers() {
        return offers;
    }

    /** Messages for it that are undelivered, and whose senders have had their credit back. */
    int ahead() {
        return ahead;
    }

    /** What they take of memory; 0 where the log has them. */
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

    /** The number of this delivery, from 1. */
    long countDelivered(Message message) {
        bytesDelivered += message.bytes();
        return ++messagesDelivered;
    }

    /** Counts an answer that is sent to a rank that is slow to read; how many there are since it last was not. */
    int countUnreadAnswer() {
        return ++unreadAnswers;
    }

    void clearUnreadAnswers() {
        unreadAnswers = 0;
    }

    /** Its failed polls since its start, as far as they were told. */
    long failedPolls() {
        return failedPolls;
    }

    /**
     * It tells the low 32 bits of them. One that is replayed says again what it had said, however long ago, and nothing that it has not counted in its HELLO.
     *
     * @return whether there are more than was known
     */
    boolean learnFailedPolls(int told) {
        long most = replay == null ? failedPolls + Integer.MAX_VALUE : Math.max(failedPolls, replay.headway().failedPolls());
        long all = most - Integer.toUnsignedLong((int) most - told);
        boolean more = all > failedPolls;
        failedPolls = Math.max(failedPolls, all);
        return more;
    }

    /** The job ends. What arrives and is matched is on its way, and what a journal has held back finds nothing that arrives. */
    void release() {
        mailbox.drain(Message::release);
        incoming.forget();
    }

    @Override
    public String toString() {
        return "job " + job.hexId() + " rank " + rank;
    }
}
