package org.posthouse.mpj.data;

import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/** Room for primitive elements in a program's array or buffer, filled as the bytes arrive. Good for one message. */
final class ArraySink implements Sink {
    private final Base base;
    private final Layout layout;
    private final Object store;
    private final int offset;
    private final long from;
    private final long capacity;
    private final boolean exact;

    /**
     * The data elements [{@code from}, {@code from} + {@code capacity}) of elements from index {@code offset} on.
     *
     * @param exact whether the message must fill the room
     */
    ArraySink(Base base, Layout layout, Object store, int offset, long from, long capacity, boolean exact) {
        this.base = base;
        this.layout = layout;
        this.store = store;
        this.offset = offset;
        this.from = from;
        this.capacity = capacity;
        this.exact = exact;
    }

    @Override
    public void begin(Envelope envelope) throws ReceiveException {
        checkFit(envelope, base, capacity, exact);
        checkRoom(envelope, base, layout, length(), offset, from);
        long expected = envelope.datatype() == base.code() ? envelope.elements() : base.elements(envelope);
        if (envelope.bytes() != expected * base.bytes()) {
            throw new ReceiveException(
                    ReceiveException.Kind.TYPE,
                    "message of " + envelope.bytes() + " bytes, expected " + base.bytes() + " for each of its " + expected
                            + " " + base + " elements");
        }
    }

    /**
     * The two rules for every receive: same datatype, and no longer than the count. An exact receive must also be no
     * shorter.
     */
    static void checkFit(Envelope envelope, Base base, long capacity, boolean exact) throws ReceiveException {
        // An empty message may come from a rank that has no array of any type.
        if (!base.fits(envelope.datatype()) && envelope.elements() > 0) {
            throw new ReceiveException(
                    ReceiveException.Kind.TYPE,
                    "message of " + envelope.elements() + " " + Base.nameOf(envelope.datatype())
                            + " elements, expected " + base);
        }
        long elements = base.elements(envelope);
        if (elements > capacity) {
            throw new ReceiveException(
                    ReceiveException.Kind.TRUNCATE,
                    "message of " + elements + " " + base + " elements, expected at most " + capacity);
        }
        if (exact && elements < capacity) {
            throw new ReceiveException(
                    ReceiveException.Kind.COUNT,
                    "message of " + elements + " " + base + " elements, expected " + capacity
                            + ": do all ranks call the same collective with the same count?");
        }
    }

    /**
     * The third rule: the message fits into the array. The count may be longer than that: only the arrived elements
     * need room.
     */
    static void checkRoom(Envelope envelope, Base base, Layout layout, int length, int offset, long from) throws ReceiveException {
        long elements = base.elements(envelope);
        long beyond = layout.beyond(offset, from, elements, length);
        if (beyond != Layout.WITHIN) {
            throw new ReceiveException(
                    ReceiveException.Kind.TRUNCATE,
                    "message of " + elements + " " + base + " elements, which goes on to index " + beyond
                            + " of the receive buffer, expected within its length "
                            + length);
        }
    }

    @Override
    public ByteBuffer inPlace(Envelope envelope) {
        boolean fits = envelope.datatype() == base.code()
                && envelope.bytes() == (long) envelope.elements() * base.bytes()
                && (exact ? envelope.elements() == capacity : envelope.elements() <= capacity)
                && layout.beyond(offset, from, envelope.elements(), length()) == Layout.WITHIN;
        ByteBuffer memory = fits ? Buffers.inPlace(base, layout, store, offset + (int) from, (int) envelope.bytes()) : null;
        return memory == null || memory.isReadOnly() ? null : memory;
    }

    /** Elements that the store has room for; a receive of nothing may have none, or one of another kind. */
    private int length() {
        return store == null || layout.size() == 0 ? 0 : base.length(store);
    }

    @Override
    public void read(long at, ByteBuffer in) {
        int elements = in.remaining() / base.bytes();
        layout.walk(offset, from + at / base.bytes(), elements, (index, run) -> base.take(store, index, run, in));
    }

    @Override
    public void end() {
        // Nothing is left to do: every element was stored when its bytes came.
    }
}
