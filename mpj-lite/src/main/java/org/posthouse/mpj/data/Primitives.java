package org.posthouse.mpj.data;

import java.nio.ByteBuffer;

/**
 * Bulk moves between primitive arrays and little-endian buffers, with no array in between. Stateless. Every method
 * moves {@code count} elements and advances the buffer by their bytes; index errors are the caller's.
 */
final class Primitives {
    /**
     * Fewer elements do not justify the buffer view that a bulk move creates; a strided datatype moves many such
     * groups.
     */
    private static final int BULK_MIN = 8;

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
        char[] values = (char[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putChar(values[i]);
            }
            return;
        }
        out.asCharBuffer().put(values, from, count);
        skip(out, count * Character.BYTES);
    }

    static void takeChars(Object array, int to, int count, ByteBuffer in) {
        char[] values = (char[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getChar();
            }
            return;
        }
        in.asCharBuffer().get(values, to, count);
        skip(in, count * Character.BYTES);
    }

    static void putShorts(Object array, int from, int count, ByteBuffer out) {
        short[] values = (short[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putShort(values[i]);
            }
            return;
        }
        out.asShortBuffer().put(values, from, count);
        skip(out, count * Short.BYTES);
    }

    static void takeShorts(Object array, int to, int count, ByteBuffer in) {
        short[] values = (short[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getShort();
            }
            return;
        }
        in.asShortBuffer().get(values, to, count);
        skip(in, count * Short.BYTES);
    }

    static void putInts(Object array, int from, int count, ByteBuffer out) {
        int[] values = (int[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putInt(values[i]);
            }
            return;
        }
        out.asIntBuffer().put(values, from, count);
        skip(out, count * Integer.BYTES);
    }

    static void takeInts(Object array, int to, int count, ByteBuffer in) {
        int[] values = (int[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getInt();
            }
            return;
        }
        in.asIntBuffer().get(values, to, count);
        skip(in, count * Integer.BYTES);
    }

    static void putLongs(Object array, int from, int count, ByteBuffer out) {
        long[] values = (long[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putLong(values[i]);
            }
            return;
        }
        out.asLongBuffer().put(values, from, count);
        skip(out, count * Long.BYTES);
    }

    static void takeLongs(Object array, int to, int count, ByteBuffer in) {
        long[] values = (long[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getLong();
            }
            return;
        }
        in.asLongBuffer().get(values, to, count);
        skip(in, count * Long.BYTES);
    }

    static void putFloats(Object array, int from, int count, ByteBuffer out) {
        float[] values = (float[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putFloat(values[i]);
            }
            return;
        }
        out.asFloatBuffer().put(values, from, count);
        skip(out, count * Float.BYTES);
    }

    static void takeFloats(Object array, int to, int count, ByteBuffer in) {
        float[] values = (float[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getFloat();
            }
            return;
        }
        in.asFloatBuffer().get(values, to, count);
        skip(in, count * Float.BYTES);
    }

    static void putDoubles(Object array, int from, int count, ByteBuffer out) {
        double[] values = (double[]) array;
        if (count < BULK_MIN) {
            for (int i = from; i < from + count; i++) {
                out.putDouble(values[i]);
            }
            return;
        }
        out.asDoubleBuffer().put(values, from, count);
        skip(out, count * Double.BYTES);
    }

    static void takeDoubles(Object array, int to, int count, ByteBuffer in) {
        double[] values = (double[]) array;
        if (count < BULK_MIN) {
            for (int i = to; i < to + count; i++) {
                values[i] = in.getDouble();
            }
            return;
        }
        in.asDoubleBuffer().get(values, to, count);
        skip(in, count * Double.BYTES);
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }
}
