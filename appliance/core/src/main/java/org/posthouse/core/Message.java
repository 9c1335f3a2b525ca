package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * One message on its way through a mailbox: its envelope, its frames that are here, and its progress. Confined to the
 * mailbox's owner.
 */
public final class Message {
    /** Stands for a receive that is no longer known: its rank posts it again. */
    private static final int NO_REQUEST = -1;

    private final int context;
    private final int source;
    private final int destination;
    private final int tag;
    private final long sequence;
    private final long bytes;
    private final int elements;
    private final int datatype;
    private final FrameType form;
    private final boolean storable;
    private final boolean again;

    /** Null for a SEND, which arrives whole and is passed on whole. */
    private final Chunks chunks;

    private Parcel head;
    private Receive receive;
    private long logPosition = -1;
    private long logPlace = -1;
    private Object journalEntry;
    private int storedTick;
    private boolean passedWhole;
    private boolean inLog;
    private boolean ahead;
    private boolean forgiven;

    // Neighbours in the channel's and in the context's list of unexpected messages.
    private Message channelNext;
    private Message channelBefore;
    private Message arrivalNext;
    private Message arrivalBefore;

    private Message(Logged logged) {
        this.context = logged.context;
        this.source = logged.source;
        this.destination = logged.destination;
        this.tag = logged.tag;
        this.sequence = logged.sequence;
        this.bytes = logged.bytes;
        this.elements = logged.elements;
        this.datatype = logged.datatype;
        this.form = logged.form;
        this.storable = logged.storable;
        this.again = true;
        this.logPosition = logged.position;
        this.logPlace = logged.place;
        this.inLog = true;
        this.chunks = form == FrameType.SEND ? null : new Chunks(bytes, 0);
    }

    private Message(FrameView view, Parcel head) {
        this.context = view.context();
        this.source = view.source();
        this.destination = view.destination();
        this.tag = view.tag();
        this.sequence = view.sequence();
        this.bytes = view.messageBytes();
        this.elements = view.elements();
        this.datatype = view.datatype();
        this.form = view.type();
        this.storable = form == FrameType.OFFER && (view.flags() & FrameView.STORABLE) != 0;
        this.again = (view.flags() & FrameView.AGAIN) != 0;
        this.head = head;
        this.chunks = form == FrameType.SEND ? null : new Chunks(bytes, head.payloadBytes());
    }

    /**
     * Restores a message from the log's record of its arrival.
     *
     * @param position its arrival's number in the log
     * @param place where that can be read back
     */
    public record Logged(
            int context,
            int source,
            int destination,
            int tag,
            long sequence,
            long bytes,
            int elements,
            int datatype,
            FrameType form,
            boolean storable,
            long position,
            long place) {}

    /** A message that is only in the log. Of its payload nothing has arrived, or, of a SEND, all. */
    public static Message of(Logged logged) {
        return new Message(logged);
    }

    /**
     * Restores a message that was in transfer when the relay ended. {@link #loggedPiece} then adds each piece behind
     * its head.
     *
     * @param delivered whether a receive has got it
     */
    public static Message recovered(Logged logged, boolean delivered) {
        Message message = new Message(logged);
        if (delivered) {
            message.receive = Receive.of(logged.context, logged.source, logged.tag, NO_REQUEST);
        }
        return message;
    }

    /** Adds the next piece of its payload, which is in the log at {@code place}. */
    public void loggedPiece(int pieceBytes, long place) {
        chunks.keepPlace(place);
        chunks.arrive(pieceBytes);
    }

    /** The message that a SEND, EAGER or OFFER frame begins. */
    static Message of(FrameView view, Parcel head) {
        return new Message(view, head);
    }

    public int context() {
        return context;
    }

    public int source() {
        return source;
    }

    public int destination() {
        return destination;
    }

    public int tag() {
        return tag;
    }

    public long sequence() {
        return sequence;
    }

    /** Payload bytes of the whole message. */
    public long bytes() {
        return bytes;
    }

    public int elements() {
        return elements;
    }

    public int datatype() {
        return datatype;
    }

    /** SEND (whole in one frame), EAGER (chunks follow) or OFFER (chunks follow when cleared). */
    public FrameType form() {
        return form;
    }

    /** Payload bytes that have arrived, [0, {@link #bytes}]. */
    public long arrived() {
        return chunks == null ? bytes : chunks.arrived();
    }

    public boolean isComplete() {
        return arrived() == bytes;
    }

    /** The receive it was matched to, or null while it is unexpected. */
    public Receive receive() {
        return receive;
    }

    /** Whether it is pushed to its rank without a receive. */
    boolean isPushed() {
        return receive == Receive.PUSHED;
    }

    /** Whether nobody will receive it, so that its payload is dropped. */
    boolean isDiscarded() {
        return receive == Receive.DISCARDED;
    }

    /** The number of its arrival in the log, or -1 without a log. */
    public long logPosition() {
        return logPosition;
    }

    /** Where its arrival's record can be read back. Only the journal can interpret a place. */
    public long logPlace() {
        return logPlace;
    }

    /** Called by the journal when it has the arrival: its number in the log, and its place. */
    public void logged(long position, long place) {
        logPosition = position;
        logPlace = place;
    }

    /** What a journal in memory has of it; null in other jobs. Only that journal can interpret it. */
    public Object journalEntry() {
        return journalEntry;
    }

    /** Called by a journal in memory. */
    public void journalEntry(Object entry) {
        journalEntry = entry;
    }

    /** Where the chunk that began at {@code offset} and waits in the log can be read back. */
    public long chunkPlace(long offset) {
        return chunks.place(offset);
    }

    /** Notes the log's place of the chunk that arrives next. The core keeps nothing else of that chunk. */
    void keepChunkInLog(long place) {
        chunks.keepPlace(place);
    }

    /** Releases its first frame, which the log has. */
    void leaveMemory() {
        inLog = true;
        takeHead().release();
    }

    /** Whether its first frame has to be read back from the log. */
    boolean isInLog() {
        return inLog;
    }

    /** Whether it was offered only for want of credit. */
    public boolean isStorable() {
        return storable;
    }

    /**
     * Whether it was begun before this core. The relay's host may then have lost the end of the log, and with it how
     * far the sender was cleared.
     */
    boolean isAgain() {
        return again;
    }

    /** Whether its sender is done with it before its delivery: its credit is back, or its offer was cleared. */
    boolean isAhead() {
        return ahead;
    }

    void runsAhead(boolean yes) {
        ahead = yes;
    }

    /**
     * Marks that its credit cannot be returned: its source's relay no longer knows that the source paid for it, or this
     * relay no longer knows whether it returned the credit.
     */
    void forgive() {
        forgiven = true;
    }

    /** Whether its sender gets no credit for it. */
    boolean isForgiven() {
        return forgiven;
    }

    /** When it began to wait for a receive, in the time of {@link MatchTimes}; 0 if it did not wait. */
    int storedTick() {
        return storedTick;
    }

    void storedTick(int tick) {
        storedTick = tick;
    }

    /** Bytes of its sender's credit that it uses. An offer uses none, since none of its payload is sent unasked. */
    long cost() {
        return form == FrameType.OFFER ? 0 : Wire.cost(bytes);
    }

    /** Whether it is in one frame, so that it may be pushed. */
    boolean isWhole() {
        return form == FrameType.SEND;
    }

    Parcel takeHead() {
        Parcel taken = head;
        head = null;
        return taken;
    }

    void match(Receive receive) {
        assert this.receive == null;
        this.receive = receive;
    }

    void chunkArrived(int chunkBytes) {
        chunks.arrive(chunkBytes);
    }

    /** Payload bytes handed to the receiver's connection, [0, {@link #arrived}]. */
    public long passed() {
        if (chunks != null) {
            return chunks.passed();
        }
        return passedWhole ? bytes : 0;
    }

    /** So many more bytes were handed to the receiver's connection. */
    public void pass(long payloadBytes) {
        if (chunks != null) {
            chunks.pass(payloadBytes);
        } else if (payloadBytes > 0) {
            assert payloadBytes == bytes && !passedWhole : this;
            passedWhole = true;
        }
    }

    /** Whether some of its arrived payload was not handed to the receiver yet. */
    boolean isBehind() {
        return passed() < arrived();
    }

    void keepChunk(Parcel chunk) {
        chunks.keep(chunk);
    }

    /** The next chunk that waited for a receive, or null. */
    Parcel nextWaitingChunk() {
        return chunks == null ? null : chunks.nextWaiting();
    }

    /** The offset up to which an offered message may be sent, exclusive. */
    long granted() {
        return chunks.granted();
    }

    /** The offset up to which its sender was cleared, or {@link SuppressedSends#NOT_CLEARED}. */
    long clearedUpTo() {
        return form == FrameType.OFFER && (granted() > 0 || ahead) ? granted() : SuppressedSends.NOT_CLEARED;
    }

    void grant(long upTo) {
        chunks.grant(upTo);
    }

    /** Bytes that may have been under way when more was last granted. */
    long span() {
        return chunks.span();
    }

    /** Bytes of an offer that its sender was cleared to send and that have not arrived. */
    long underWay() {
        return chunks == null ? 0 : chunks.underWay();
    }

    /** Whether no bytes of it count as under way: what still comes is dropped. */
    boolean isExempt() {
        return chunks.isExempt();
    }

    void exempt() {
        chunks.exempt();
    }

    void tell(long upTo) {
        if (chunks != null) {
            chunks.tell(upTo);
        }
    }

    /** Whether its sender must be cleared further when there is room for the payload. */
    boolean wordWaits() {
        return chunks.wordWaits();
    }

    void wordWaits(boolean waits) {
        chunks.wordWaits(waits);
    }

    void release() {
        if (head != null) {
            takeHead().release();
        }
        for (Parcel chunk = nextWaitingChunk(); chunk != null; chunk = nextWaitingChunk()) {
            chunk.release();
        }
    }

    Message next(MessageList.Order order) {
        return order == MessageList.Order.CHANNEL ? channelNext : arrivalNext;
    }

    Message before(MessageList.Order order) {
        return order == MessageList.Order.CHANNEL ? channelBefore : arrivalBefore;
    }

    void next(MessageList.Order order, Message message) {
        if (order == MessageList.Order.CHANNEL) {
            channelNext = message;
        } else {
            arrivalNext = message;
        }
    }

    void before(MessageList.Order order, Message message) {
        if (order == MessageList.Order.CHANNEL) {
            channelBefore = message;
        } else {
            arrivalBefore = message;
        }
    }

    @Override
    public String toString() {
        return "message " + source + "->" + destination + " context " + context + " tag " + Wire.tag(tag) + " sequence " + sequence
                + " (" + bytes + " bytes)";
    }
}
