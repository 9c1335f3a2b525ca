package org.posthouse.mpj.data;

import java.nio.ByteBuffer;
import org.posthouse.mpj.Content;

/** Primitive elements of a program's array as a message, read from the array when asked. May be sent several times. */
final class ArrayContent implements Content {
    private final Base base;
    private final Object array;
    private final int first;
    private final int count;

    ArrayContent(Base base, Object array, int first, int count) {
        this.base = base;
        this.array = array;
        this.first = first;
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
    public void write(long from, ByteBuffer out) {
        if (out.hasRemaining()) {
            base.put.put(array, first + (int) (from / base.bytes()), out.remaining() / base.bytes(), out);
        }
    }
}
