package org.posthouse.mpj.data;

import java.nio.ByteBuffer;

/**
 * Bulk moves between primitive arrays and little-endian buffers, with no array in between. Stateless. Every method
 * moves {@code count} elements and advances the buffer by their bytes; index errors are the caller's.
 */
final class Primitives {
    private Primitives() {}

    /** Array to buffer. */
    interface Put {
        void put(Object array, int from, int count, ByteBuffer out);
    }

    /** Buffer to array. */
    interface Take {
        void take(Object array, int to, int count, ByteBuffer in);
    }

    static void putBytes(Object array, int from, int count, ByteBuffer out) {
        out.put((byte[]) array, from, count);
    }

    static void takeBytes(Object array, int to, int count, ByteBuffer in) {
        in.get((byte[]) array, to, count);
    }

    static void putBooleans(Object array, int from, int count, ByteBuffer out) {
        boolean[] values = (boolean[]) array;
        for (int i = from; i < from + count; i++) {
            out.put(values[i] ? (byte) 1 : 0);
        }
    }

    static void takeBooleans(Object array, int to, int count, ByteBuffer in) {
        boolean[] values = (boolean[]) array;
        for (int i = to; i < to + count; i++) {
            values[i] = in.get() != 0;
        }
    }

    static void putChars(Object array, int from, int count, ByteBuffer out) {
        out.asCharBuffer().put((char[]) array, from, count);
        skip(out, count * Character.BYTES);
    }

    static void takeChars(Object array, int to, int count, ByteBuffer in) {
        in.asCharBuffer().get((char[]) array, to, count);
        skip(in, count * Character.BYTES);
    }

    static void putShorts(Object array, int from, int count, ByteBuffer out) {
        out.asShortBuffer().put((short[]) array, from, count);
        skip(out, count * Short.BYTES);
    }

    static void takeShorts(Object array, int to, int count, ByteBuffer in) {
        in.asShortBuffer().get((short[]) array, to, count);
        skip(in, count * Short.BYTES);
    }

    static void putInts(Object array, int from, int count, ByteBuffer out) {
        out.asIntBuffer().put((int[]) array, from, count);
        skip(out, count * Integer.BYTES);
    }

    static void takeInts(Object array, int to, int count, ByteBuffer in) {
        in.asIntBuffer().get((int[]) array, to, count);
        skip(in, count * Integer.BYTES);
    }

    static void putLongs(Object array, int from, int count, ByteBuffer out) {
        out.asLongBuffer().put((long[]) array, from, count);
        skip(out, count * Long.BYTES);
    }

    static void takeLongs(Object array, int to, int count, ByteBuffer in) {
        in.asLongBuffer().get((long[]) array, to, count);
        skip(in, count * Long.BYTES);
    }

    static void putFloats(Object array, int from, int count, ByteBuffer out) {
        out.asFloatBuffer().put((float[]) array, from, count);
        skip(out, count * Float.BYTES);
    }

    static void takeFloats(Object array, int to, int count, ByteBuffer in) {
        in.asFloatBuffer().get((float[]) array, to, count);
        skip(in, count * Float.BYTES);
    }

    static void putDoubles(Object array, int from, int count, ByteBuffer out) {
        out.asDoubleBuffer().put((double[]) array, from, count);
        skip(out, count * Double.BYTES);
    }

    static void takeDoubles(Object array, int to, int count, ByteBuffer in) {
        in.asDoubleBuffer().get((double[]) array, to, count);
        skip(in, count * Double.BYTES);
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }
}
