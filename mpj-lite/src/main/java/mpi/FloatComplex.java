package mpi;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/**
 * A view of one complex number of {@link MPI#FLOAT_COMPLEX} in a buffer or an array: reads and writes through. Indexes count
 * complex numbers.
 */
public final class FloatComplex {
    private final FloatBuffer buffer;
    /** Index of the real part. */
    private final int at;

    private FloatComplex(FloatBuffer buffer, int index) {
        this.buffer = buffer;
        at = 2 * index;
    }

    /** The first number in a buffer. */
    public static FloatComplex get(FloatBuffer buffer) {
        return get(buffer, 0);
    }

    /** The number {@code index} in a buffer. */
    public static FloatComplex get(FloatBuffer buffer, int index) {
        return new FloatComplex(buffer, index);
    }

    /** The first number in an array. */
    public static FloatComplex get(float[] array) {
        return get(array, 0);
    }

    /** The number {@code index} in an array. */
    public static FloatComplex get(float[] array, int index) {
        return new FloatComplex(FloatBuffer.wrap(array), index);
    }

    /** The first number in a buffer, in the buffer's byte order. */
    public static FloatComplex get(ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** The number {@code index} in a buffer, in the buffer's byte order. */
    public static FloatComplex get(ByteBuffer buffer, int index) {
        return new FloatComplex(buffer.asFloatBuffer(), index);
    }

    public float getReal() {
        return buffer.get(at);
    }

    public float getImag() {
        return buffer.get(at + 1);
    }

    public void putReal(float real) {
        buffer.put(at, real);
    }

    public void putImag(float imag) {
        buffer.put(at + 1, imag);
    }

    /** The number's two parts, for a message: the buffer itself if the number is the first in it. */
    public FloatBuffer getBuffer() {
        FloatBuffer all = buffer.duplicate().clear();
        return at == 0 ? buffer : all.slice(at, all.capacity() - at);
    }
}
