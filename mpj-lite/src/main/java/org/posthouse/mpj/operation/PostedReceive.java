package org.posthouse.mpj.operation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.wire.Wire;

/**
 * A posted receive and the progress of its message. An exception of its sink is the failure of this receive only.
 * Guarded by its endpoint's lock.
 */
public final class PostedReceive extends Operation {
    /** The context of the message. */
    public final int context;

    /** The world rank of the sender, or {@link Wire#ANY}. */
    public final int source;

    /** The tag, or {@link Wire#ANY}. */
    public final int tag;
    private final Sink sink;
    private int request;
    private long ordinal;
    private Envelope envelope;
    private ReceiveException failure;
    private long arrived;
    private boolean passedOver;

    /** Number of the rank's delivery that brought its message. */
    private long delivery;

    /** Creates a receive that is not posted. */
    public PostedReceive(int context, int source, int tag, Sink sink) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.sink = sink;
    }

    /** Its number on the wire, once it was posted. */
    public int request() {
        return request;
    }

    /** Its number in its context, once it was called. */
    public long ordinal() {
        return ordinal;
    }

    /** Sets its number in its context. */
    public void called(long ordinal) {
        this.ordinal = ordinal;
    }

    /** @param other the low 32 bits of another receive's ordinal, of the same context */
    public boolean isCalledBefore(int other) {
        return (int) ordinal - other < 0;
    }

    /** Whether {@code other} would also match the message of this receive. */
    public boolean isMatchFor(PostedReceive other) {
        return (other.source == Wire.ANY || other.source == envelope.source())
                && (other.tag == Wire.ANY || other.tag == envelope.tag());
    }

    /** Sets its number on the wire. */
    public void posted(int request) {
        this.request = request;
    }

    /** Bytes of its message that have arrived. */
    public long arrived() {
        return arrived;
    }

    /** Number of the rank's delivery that brought its message; 0 until it is matched. */
    public long delivery() {
        return delivery;
    }

    /** Whether a message was matched with it. */
    public boolean isMatched() {
        return envelope != null;
    }

    /**
     * Matches the receive, as the rank's {@code delivery}-th delivery. A message that does not fit is read and
     * discarded.
     */
    public void begin(Envelope envelope, long delivery) {
        this.envelope = envelope;
        this.delivery = delivery;
        if (failure != null) {
            return;
        }
        try {
            sink.begin(envelope);
        } catch (ReceiveException e) {
            failure = e;
        } catch (RuntimeException | OutOfMemoryError e) {
            failure = ReceiveException.of(e, envelope);
        }
    }

    /**
     * Memory for the whole message as on the wire, see {@link Sink#inPlace}; null if the bytes must be read instead.
     *
     * @param envelope of the message, whether it was matched already or not
     */
    public ByteBuffer place(Envelope envelope) {
        return failure == null ? sink.inPlace(envelope) : null;
    }

    /**
     * The same for the rest of a matched message.
     *
     * @param next bytes that are to come next
     */
    public ByteBuffer placeOfRest(int next) {
        ByteBuffer whole = next <= envelope.bytes() - arrived ? place(envelope) : null;
        return whole == null ? null : whole.position(whole.position() + (int) arrived);
    }

    /**
     * Marks the message's next bytes as placed in {@link #place}; completes the receive with the last. True if these
     * were the last.
     */
    public boolean placed(long bytes) {
        arrived += bytes;
        return endIfWhole();
    }

    /** Takes the message's next bytes, and completes the receive with the last. True if these were the last. */
    public boolean read(ByteBuffer bytes) {
        take(bytes);
        return endIfWhole();
    }

    /**
     * Continues in place of the keeper: the receive was matched before it was called. True if the message is complete.
     */
    public boolean goOn(PostedReceive keeper, Iterable<byte[]> pieces) {
        begin(keeper.envelope, keeper.delivery);
        if (failure == null) {
            failure = keeper.failure; // There was no room to keep it.
        }
        for (byte[] piece : pieces) {
            take(ByteBuffer.wrap(piece).order(ByteOrder.LITTLE_ENDIAN));
        }
        arrived = keeper.arrived;
        return endIfWhole();
    }

    private void take(ByteBuffer bytes) {
        int count = bytes.remaining();
        if (failure == null) {
            try {
                sink.read(arrived, bytes);
            } catch (RuntimeException | OutOfMemoryError e) {
                failure = ReceiveException.of(e, envelope);
            }
        }
        arrived += count;
    }

    private boolean endIfWhole() {
        if (arrived < envelope.bytes()) {
            return false;
        }
        if (failure == null) {
            arrived(envelope, sink);
        } else if (!isDone()) {
            complete(envelope, failure);
        }
        return true;
    }

    /** Ends the receive by a cancel that was in time. */
    public void takenBack() {
        if (failing() == null) {
            cancelled();
        } else {
            abandon(failing());
        }
    }

    /**
     * Marks a receive that the earlier process had cancelled: no message comes for it, and this process cancels it too.
     */
    public void passedOver() {
        passedOver = true;
    }

    @Override
    public String arguments() {
        return source(context, source, tag);
    }

    @Override
    public int awaited() {
        return source == Wire.ANY ? -1 : source;
    }

    @Override
    public boolean isPassedOver() {
        return passedOver;
    }

    /** Ends the receive before its message is complete; later bytes of it are discarded. */
    public void abandon(ReceiveException why) {
        if (!isDone()) {
            failure = why;
            complete(null, why);
        }
    }
}
