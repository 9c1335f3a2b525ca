package org.posthouse.core;

import java.util.ArrayDeque;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * One message on its way through a mailbox: its envelope, the frames that are here, and how far it got. Confined to
 * the mailbox's owner.
 */
public final class Message {
    private final int context;
    private final int source;
    private final int destination;
    private final int tag;
    private final long sequence;
    private final long bytes;
    private final int elements;
    private final int datatype;
    private final FrameType form;

    private Parcel head;
    private ArrayDeque<Parcel> waitingChunks;
    private long arrived;
    private long granted;
    private Receive receive;
    private long logPosition = -1;

    // Neighbours in the channel's and in the context's list of unexpected messages.
    private Message channelNext;
    private Message channelBefore;
    private Message arrivalNext;
    private Message arrivalBefore;

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
        this.head = head;
        this.arrived = head.payloadBytes();
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
        return arrived;
    }

    public boolean isComplete() {
        return arrived == bytes;
    }

    /** The receive it was matched to, or null while it is unexpected. */
    public Receive receive() {
        return receive;
    }

    /** Where its arrival stands in the log, or -1 without a log. */
    public long logPosition() {
        return logPosition;
    }

    void logged(long position) {
        logPosition = position;
    }

    /** What it takes of its sender's byte credit. An offer takes none: nothing of it is here unasked. */
    long cost() {
        return form == FrameType.OFFER ? 0 : Wire.cost(bytes);
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
        arrived += chunkBytes;
    }

    void keepChunk(Parcel chunk) {
        if (waitingChunks == null) {
            waitingChunks = new ArrayDeque<>();
        }
        waitingChunks.add(chunk);
    }

    /** The next chunk that waited for a receive, or null. */
    Parcel nextWaitingChunk() {
        return waitingChunks == null ? null : waitingChunks.poll();
    }

    /** Up to where an offered message may be sent, exclusive. */
    long granted() {
        return granted;
    }

    void grant(long upTo) {
        assert upTo > granted && upTo <= bytes;
        granted = upTo;
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
        return "message " + source + "->" + destination + " context " + context + " tag " + tag + " sequence " + sequence
                + " (" + bytes + " bytes)";
    }
}
