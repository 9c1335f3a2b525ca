package org.posthouse.mpj.data;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * A program's NIO buffer with elements of another type than the datatype's, used as plain memory, as Open MPI's
 * programs use a direct buffer. Positions count bytes from the buffer's first element; its position and limit are
 * neither used nor changed. Elements of the datatype have its byte order. Java has no byte view of such a buffer, so
 * whole elements are moved in bulk, and partial ones are put together. Immutable except for the memory.
 */
public final class BufferMemory {
    private final Buffer buffer;
    /** Bytes of one of its elements. */
    private final int width;

    /** @param buffer of any kind but {@link ByteBuffer}, which needs none of this */
    public BufferMemory(Buffer buffer) {
        this.buffer = buffer;
        width = buffer instanceof CharBuffer || buffer instanceof ShortBuffer
                ? Short.BYTES
                : buffer instanceof IntBuffer || buffer instanceof FloatBuffer ? Integer.BYTES : Long.BYTES;
    }

    /** The program's buffer. */
    public Buffer buffer() {
        return buffer;
    }

    /** Byte order of its elements. */
    public ByteOrder order() {
        if (buffer instanceof CharBuffer chars) {
            return chars.order();
        } else if (buffer instanceof ShortBuffer shorts) {
            return shorts.order();
        } else if (buffer instanceof IntBuffer ints) {
            return ints.order();
        } else if (buffer instanceof LongBuffer longs) {
            return longs.order();
        } else if (buffer instanceof FloatBuffer floats) {
            return floats.order();
        }
        return ((DoubleBuffer) buffer).order();
    }

    /** Number of whole elements of a kind that fit, or the most that an int can hold. */
    int length(Base base) {
        return (int) Math.min(Integer.MAX_VALUE, (long) buffer.capacity() * width / base.bytes());
    }

    /** Moves elements of a kind to {@code out}, in its order, and advances it. */
    void put(Base base, int from, int count, ByteBuffer out) {
        int bytes = count * base.bytes();
        if (base.bytes() == 1 || order() == out.order()) {
            copy((long) from * base.bytes(), bytes, out, true);
        } else {
            ByteBuffer piece = ByteBuffer.allocate(bytes).order(order());
            copy((long) from * base.bytes(), bytes, piece, true);
            Buffers.move(base, piece.flip(), out);
        }
    }

    /** Moves elements of a kind from {@code in}, which is advanced. */
    void take(Base base, int to, int count, ByteBuffer in) {
        int bytes = count * base.bytes();
        if (base.bytes() == 1 || order() == in.order()) {
            copy((long) to * base.bytes(), bytes, in, false);
        } else {
            ByteBuffer piece = ByteBuffer.allocate(bytes).order(order());
            Buffers.move(base, in.slice(in.position(), bytes).order(in.order()), piece);
            in.position(in.position() + bytes);
            copy((long) to * base.bytes(), bytes, piece.flip(), false);
        }
    }

    /** Copies bytes as they are, from this memory if {@code out}, else to it; {@code other} is advanced. */
    private void copy(long at, int bytes, ByteBuffer other, boolean out) {
        long here = at;
        for (int left = bytes; left > 0;) {
            int element = (int) (here / width);
            int skip = (int) (here % width);
            int moved;
            if (skip == 0 && left >= width) {
                moved = left / width * width;
                bulk(element, moved / width, other.slice(other.position(), moved).order(order()), out);
            } else {
                moved = Math.min(width - skip, left);
                part(element, skip, moved, other, out);
            }
            other.position(other.position() + moved);
            here += moved;
            left -= moved;
        }
    }

    /** Some bytes of one element. */
    private void part(int element, int skip, int count, ByteBuffer other, boolean out) {
        ByteBuffer whole = ByteBuffer.allocate(width).order(order());
        bulk(element, 1, whole, true);
        if (out) {
            other.put(other.position(), whole, skip, count);
        } else {
            whole.put(skip, other, other.position(), count);
            bulk(element, 1, whole, false);
        }
    }

    /** Whole elements, between this memory and just as many bytes in its order. */
    private void bulk(int element, int count, ByteBuffer bytes, boolean out) {
        Buffer here = buffer.duplicate().clear().slice(element, count);
        if (here instanceof CharBuffer chars) {
            move(bytes.asCharBuffer(), chars, out);
        } else if (here instanceof ShortBuffer shorts) {
            move(bytes.asShortBuffer(), shorts, out);
        } else if (here instanceof IntBuffer ints) {
            move(bytes.asIntBuffer(), ints, out);
        } else if (here instanceof LongBuffer longs) {
            move(bytes.asLongBuffer(), longs, out);
        } else if (here instanceof FloatBuffer floats) {
            move(bytes.asFloatBuffer(), floats, out);
        } else {
            move(bytes.asDoubleBuffer(), (DoubleBuffer) here, out);
        }
    }

    private static void move(CharBuffer bytes, CharBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }

    private static void move(ShortBuffer bytes, ShortBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }

    private static void move(IntBuffer bytes, IntBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }

    private static void move(LongBuffer bytes, LongBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }

    private static void move(FloatBuffer bytes, FloatBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }

    private static void move(DoubleBuffer bytes, DoubleBuffer here, boolean out) {
        (out ? bytes : here).put(out ? here : bytes);
    }
}
