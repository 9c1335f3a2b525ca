package org.posthouse.mpj.data;

import java.nio.ByteBuffer;
import org.posthouse.mpj.Envelope;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.Sink;

/** Room for primitive elements in a program's array, filled as the bytes arrive. Good for one message. */
final class ArraySink implements Sink {
    private final Base base;
    private final Object array;
    private final int first;
    private final int capacity;

    ArraySink(Base base, Object array, int first, int capacity) {
        this.base = base;
        this.array = array;
        this.first = first;
        this.capacity = capacity;
    }

    @Override
    public void begin(Envelope envelope) throws ReceiveException {
        checkFit(envelope, base, capacity);
        if (envelope.bytes() != (long) envelope.elements() * base.bytes()) {
            throw new ReceiveException(
                    ReceiveException.Kind.TYPE,
                    "message of " + envelope.bytes() + " bytes, expected " + base.bytes() + " for each of its "
                            + envelope.elements() + " " + base + " elements");
        }
    }

    /** The two rules for every receive: same datatype, and no longer than the room for it. */
    static void checkFit(Envelope envelope, Base base, int capacity) throws ReceiveException {
        // An empty message may come from a rank that has no array of any type.
        if (envelope.datatype() != base.code() && envelope.elements() > 0) {
            throw new ReceiveException(
                    ReceiveException.Kind.TYPE,
                    "message of " + envelope.elements() + " " + Base.nameOf(envelope.datatype())
                            + " elements, expected " + base);
        }
        if (envelope.elements() > capacity) {
            throw new ReceiveException(
                    ReceiveException.Kind.TRUNCATE,
                    "message of " + envelope.elements() + " " + base + " elements, expected at most " + capacity);
        }
    }

    @Override
    public void read(long at, ByteBuffer in) {
        if (in.hasRemaining()) {
            base.take.take(array, first + (int) (at / base.bytes()), in.remaining() / base.bytes(), in);
        }
    }

    @Override
    public void end() {
        // Nothing is left to do: every element was stored when its bytes came.
    }
}
