package org.posthouse.mpj.data;

import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Content;

/**
 * Primitive elements of a program's array or buffer as a message, read when they are sent. May be sent several times.
 */
final class ArrayContent implements Content {
    private final Base base;
    private final Layout layout;
    private final Object store;
    private final int offset;
    private final long from;
    private final int count;

    /** The data elements [{@code from}, {@code from} + {@code count}) of elements from index {@code offset} on. */
    ArrayContent(Base base, Layout layout, Object store, int offset, long from, int count) {
        this.base = base;
        this.layout = layout;
        this.store = store;
        this.offset = offset;
        this.from = from;
        this.count = count;
    }

    @Override
    public long bytes() {
        return (long) count * base.bytes();
    }

    @Override
    public int elements() {
        return count;
    }

    @Override
    public int datatype() {
        return base.code();
    }

    @Override
    public void write(long at, ByteBuffer out) {
        int elements = out.remaining() / base.bytes();
        layout.walk(offset, from + at / base.bytes(), elements, (index, run) -> base.put(store, index, run, out));
    }

    @Override
    public ByteBuffer inPlace(long at, int bytes) {
        return Buffers.inPlace(base, layout, store, offset + (int) (from + at / base.bytes()), bytes);
    }
}
