package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * Open MPI's ways to get NIO buffers: direct ones in the byte order of the machine, and parts of buffers and arrays that
 * begin at an element. Programs use them as {@code MPI.newIntBuffer(n)}.
 */
abstract class NewBuffers extends Constants {
    NewBuffers() {}

    /** A direct buffer of {@code capacity} bytes. */
    public static ByteBuffer newByteBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    }

    /** A direct buffer of {@code capacity} chars. */
    public static CharBuffer newCharBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Character.BYTES)).asCharBuffer();
    }

    /** A direct buffer of {@code capacity} shorts. */
    public static ShortBuffer newShortBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Short.BYTES)).asShortBuffer();
    }

    /** A direct buffer of {@code capacity} ints. */
    public static IntBuffer newIntBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Integer.BYTES)).asIntBuffer();
    }

    /** A direct buffer of {@code capacity} longs. */
    public static LongBuffer newLongBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Long.BYTES)).asLongBuffer();
    }

    /** A direct buffer of {@code capacity} floats. */
    public static FloatBuffer newFloatBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Float.BYTES)).asFloatBuffer();
    }

    /** A direct buffer of {@code capacity} doubles. */
    public static DoubleBuffer newDoubleBuffer(int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Double.BYTES)).asDoubleBuffer();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static ByteBuffer slice(ByteBuffer buf, int offset) {
        return buf.clear().position(offset).slice().order(ByteOrder.nativeOrder());
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static ByteBuffer slice(byte[] buf, int offset) {
        return ByteBuffer.wrap(buf, offset, buf.length - offset).slice().order(ByteOrder.nativeOrder());
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static CharBuffer slice(CharBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static CharBuffer slice(char[] buf, int offset) {
        return CharBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static ShortBuffer slice(ShortBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static ShortBuffer slice(short[] buf, int offset) {
        return ShortBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static IntBuffer slice(IntBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static IntBuffer slice(int[] buf, int offset) {
        return IntBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static LongBuffer slice(LongBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static LongBuffer slice(long[] buf, int offset) {
        return LongBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static FloatBuffer slice(FloatBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static FloatBuffer slice(float[] buf, int offset) {
        return FloatBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on; its limit and position are reset. */
    public static DoubleBuffer slice(DoubleBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    /** The elements of {@code buf} from {@code offset} on. */
    public static DoubleBuffer slice(double[] buf, int offset) {
        return DoubleBuffer.wrap(buf, offset, buf.length - offset).slice();
    }
}
