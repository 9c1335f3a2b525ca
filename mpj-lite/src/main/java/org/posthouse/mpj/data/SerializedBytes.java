package org.posthouse.mpj.data;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A growing array of bytes that is written once, and read without a copy. It refuses bytes beyond its limit. {@link
 * java.io.ByteArrayOutputStream} would end there with an OutOfMemoryError without a cause. Confined to one thread at a
 * time.
 */
final class SerializedBytes extends OutputStream {
    private static final int FIRST_BYTES = 512;

    private final int max;
    private byte[] bytes;
    private int size;
    private boolean refused;

    SerializedBytes(int max) {
        this.max = max;
        bytes = new byte[Math.min(FIRST_BYTES, max)];
    }

    int max() {
        return max;
    }

    int size() {
        return size;
    }

    /** Whether a write was refused because it exceeded the limit. */
    boolean wasRefused() {
        return refused;
    }

    @Override
    public void write(int value) throws IOException {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        reserve(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    private void reserve(int more) throws IOException {
        if (more <= bytes.length - size) {
            return;
        }
        long wanted = (long) size + more;
        if (wanted > max) {
            refused = true;
            throw new IOException(wanted + " bytes, expected at most " + max);
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(max, Math.max(wanted, 2L * bytes.length)));
    }

    /** Copies bytes from {@code from} on until {@code out} is full. */
    void copy(int from, ByteBuffer out) {
        out.put(bytes, from, out.remaining());
    }
}
