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
 * Bulk moves between a program's NIO buffers and little-endian message buffers, with nothing in between. A
 * {@link ByteBuffer} may hold elements of any primitive datatype, in its own byte order; the others hold those of their
 * own. Indexes count elements from the buffer's first; its position and limit are neither used nor changed, as in Open
 * MPI's bindings. Stateless.
 */
final class Buffers {
    private Buffers() {}

    /** Whether a buffer can hold elements of this kind. */
    static boolean hold(Base base, Object buffer) {
        return switch (base) {
            case BYTE, PACKED, BOOLEAN -> buffer instanceof ByteBuffer;
            case CHAR -> buffer instanceof ByteBuffer || buffer instanceof CharBuffer;
            case SHORT -> buffer instanceof ByteBuffer || buffer instanceof ShortBuffer;
            case INT -> buffer instanceof ByteBuffer || buffer instanceof IntBuffer;
            case LONG -> buffer instanceof ByteBuffer || buffer instanceof LongBuffer;
            case FLOAT -> buffer instanceof ByteBuffer || buffer instanceof FloatBuffer;
            case DOUBLE -> buffer instanceof ByteBuffer || buffer instanceof DoubleBuffer;
            case OBJECT -> false;
        };
    }

    static int length(Base base, Buffer buffer) {
        return buffer instanceof ByteBuffer ? buffer.capacity() / base.bytes() : buffer.capacity();
    }

    /** Moves {@code count} elements from index {@code from} on to {@code out}, and advances it. */
    static void put(Base base, Buffer buffer, int from, int count, ByteBuffer out) {
        if (buffer instanceof ByteBuffer bytes) {
            int length = count * base.bytes();
            if (isPlain(base, bytes, from * base.bytes() + length, out)) {
                out.put(out.position(), bytes, from * base.bytes(), length);
                out.position(out.position() + length);
            } else {
                move(base, slice(base, bytes, from, count), out);
            }
            return;
        }
        Buffer part = slice(buffer, from, count);
        switch (base) {
            case CHAR -> out.asCharBuffer().put((CharBuffer) part);
            case SHORT -> out.asShortBuffer().put((ShortBuffer) part);
            case INT -> out.asIntBuffer().put((IntBuffer) part);
            case LONG -> out.asLongBuffer().put((LongBuffer) part);
            case FLOAT -> out.asFloatBuffer().put((FloatBuffer) part);
            case DOUBLE -> out.asDoubleBuffer().put((DoubleBuffer) part);
            default -> throw new IllegalArgumentException(base + " elements in a " + buffer.getClass());
        }
        out.position(out.position() + count * base.bytes());
    }

    /** Moves {@code count} elements from {@code in}, which is advanced, to index {@code to} on. */
    static void take(Base base, Buffer buffer, int to, int count, ByteBuffer in) {
        int bytes = count * base.bytes();
        if (buffer instanceof ByteBuffer target && isPlain(base, target, to * base.bytes() + bytes, in)) {
            target.put(to * base.bytes(), in, in.position(), bytes);
            in.position(in.position() + bytes);
            return;
        }
        ByteBuffer piece = in.slice(in.position(), bytes).order(in.order());
        in.position(in.position() + bytes);
        if (buffer instanceof ByteBuffer target) {
            move(base, piece, slice(base, target, to, count));
            return;
        }
        Buffer room = slice(buffer, to, count);
        switch (base) {
            case CHAR -> ((CharBuffer) room).put(piece.asCharBuffer());
            case SHORT -> ((ShortBuffer) room).put(piece.asShortBuffer());
            case INT -> ((IntBuffer) room).put(piece.asIntBuffer());
            case LONG -> ((LongBuffer) room).put(piece.asLongBuffer());
            case FLOAT -> ((FloatBuffer) room).put(piece.asFloatBuffer());
            case DOUBLE -> ((DoubleBuffer) room).put(piece.asDoubleBuffer());
            default -> throw new IllegalArgumentException(base + " elements in a " + buffer.getClass());
        }
    }

    /**
     * Whether bytes of a buffer, up to {@code end}, can be copied unchanged and without a view of it. A view would cost
     * a short message time.
     */
    private static boolean isPlain(Base base, ByteBuffer buffer, int end, ByteBuffer message) {
        return end <= buffer.limit() && (base.bytes() == 1 || buffer.order() == message.order());
    }

    /** Moves all that remains in {@code from}, and turns the bytes of elements if the orders differ. */
    static void move(Base base, ByteBuffer from, ByteBuffer to) {
        if (base.bytes() == 1 || from.order() == to.order()) {
            to.put(from);
            return;
        }
        int bytes = from.remaining();
        switch (base.bytes()) {
            case Short.BYTES -> to.asShortBuffer().put(from.asShortBuffer());
            case Integer.BYTES -> to.asIntBuffer().put(from.asIntBuffer());
            default -> to.asLongBuffer().put(from.asLongBuffer());
        }
        to.position(to.position() + bytes);
    }

    /**
     * The memory of adjacent elements, if it is direct and has them as they are on the wire; else null.
     *
     * @param at index of the first of them, if the layout is dense
     */
    static ByteBuffer inPlace(Base base, Layout layout, Object store, int at, int bytes) {
        boolean direct = layout.isDense() && store instanceof ByteBuffer memory && memory.isDirect() && isAsOnTheWire(base, memory);
        return direct ? slice(base, (ByteBuffer) store, at, bytes / base.bytes()) : null;
    }

    private static boolean isAsOnTheWire(Base base, ByteBuffer memory) {
        return base.bytes() == 1 || memory.order() == ByteOrder.LITTLE_ENDIAN;
    }

    /** These elements' bytes, in the buffer's order. */
    private static ByteBuffer slice(Base base, ByteBuffer buffer, int from, int count) {
        ByteOrder order = buffer.order();
        ByteBuffer all = buffer.duplicate().clear();
        return all.slice(from * base.bytes(), count * base.bytes()).order(order);
    }

    /** Elements of a buffer of its own kind; the slice keeps the byte order. */
    private static Buffer slice(Buffer buffer, int from, int count) {
        return buffer.duplicate().clear().slice(from, count);
    }
}
