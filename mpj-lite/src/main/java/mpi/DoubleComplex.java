package mpi;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;

/**
 * A view of one complex number of {@link MPI#DOUBLE_COMPLEX} in a buffer or an array: reads and writes through. Indexes count
 * complex numbers.
 */
public final class DoubleComplex {
    private final DoubleBuffer buffer;
    /** Index of the real part. */
    private final int at;

    private DoubleComplex(DoubleBuffer buffer, int index) {
        this.buffer = buffer;
        at = 2 * index;
    }

    /** The first number in a buffer. */
    public static DoubleComplex get(DoubleBuffer buffer) {
        return get(buffer, 0);
    }

    /** The number {@code index} in a buffer. */
    public static DoubleComplex get(DoubleBuffer buffer, int index) {
        return new DoubleComplex(buffer, index);
    }

    /** The first number in an array. */
    public static DoubleComplex get(double[] array) {
        return get(array, 0);
    }

    /** The number {@code index} in an array. */
    public static DoubleComplex get(double[] array, int index) {
        return new DoubleComplex(DoubleBuffer.wrap(array), index);
    }

    /** The first number in a buffer, in the buffer's byte order. */
    public static DoubleComplex get(ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** The number {@code index} in a buffer, in the buffer's byte order. */
    public static DoubleComplex get(ByteBuffer buffer, int index) {
        return new DoubleComplex(buffer.asDoubleBuffer(), index);
    }

    public double getReal() {
        return buffer.get(at);
    }

    public double getImag() {
        return buffer.get(at + 1);
    }

    public void putReal(double real) {
        buffer.put(at, real);
    }

    public void putImag(double imag) {
        buffer.put(at + 1, imag);
    }

    /** The number's two parts, for a message: the buffer itself if the number is the first in it. */
    public DoubleBuffer getBuffer() {
        DoubleBuffer all = buffer.duplicate().clear();
        return at == 0 ? buffer : all.slice(at, all.capacity() - at);
    }
}
