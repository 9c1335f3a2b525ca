package org.posthouse.mpj.checkpoint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.Wire;

/** The bytes of an image in memory, in pieces as on the wire. Confined to its user. */
public final class CheckpointImage {
    private final List<byte[]> pieces = new ArrayList<>();
    private long bytes;

    /** The length in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Appends bytes. */
    void put(ByteBuffer more) {
        while (more.hasRemaining()) {
            int used = (int) (bytes % Wire.PAYLOAD_BYTES_MAX);
            if (used == 0) {
                pieces.add(new byte[Wire.PAYLOAD_BYTES_MAX]);
            }
            int step = Math.min(more.remaining(), Wire.PAYLOAD_BYTES_MAX - used);
            more.get(pieces.get(pieces.size() - 1), used, step);
            bytes += step;
        }
    }

    /**
     * Moves the bytes of another image from {@code offset} on to the end of this one; those before are discarded. Each piece is released when it is
     * copied, so that both together never need more than one additional piece of memory.
     */
    void takeAll(CheckpointImage other, long offset) {
        for (long at = offset; at < other.bytes;) {
            int index = (int) (at / Wire.PAYLOAD_BYTES_MAX);
            long end = Math.min(other.bytes, (index + 1L) * Wire.PAYLOAD_BYTES_MAX);
            put(ByteBuffer.wrap(other.pieces.set(index, null), (int) (at % Wire.PAYLOAD_BYTES_MAX), (int) (end - at)));
            at = end;
        }
        other.pieces.clear();
        other.bytes = 0;
    }

    /** The piece that begins at {@code offset}, a multiple of a frame's payload. */
    ByteBuffer piece(long offset) {
        int length = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, bytes - offset);
        return ByteBuffer.wrap(pieces.get((int) (offset / Wire.PAYLOAD_BYTES_MAX)), 0, length);
    }

    /** A stream that appends to the image. */
    public DataOutputStream output() {
        return new DataOutputStream(new OutputStream() {
            @Override
            public void write(int b) {
                put(ByteBuffer.wrap(new byte[] {(byte) b}));
            }

            @Override
            public void write(byte[] from, int offset, int length) {
                put(ByteBuffer.wrap(from, offset, length));
            }
        });
    }

    /** A stream that reads from the beginning. */
    public DataInputStream input() {
        return new DataInputStream(new InputStream() {
            private long at;

            @Override
            public int read() {
                return at == bytes ? -1 : pieces.get((int) (at / Wire.PAYLOAD_BYTES_MAX))[(int) (at++ % Wire.PAYLOAD_BYTES_MAX)] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                int from = (int) (at % Wire.PAYLOAD_BYTES_MAX);
                int step = (int) Math.min(bytes - at, Math.min(length, Wire.PAYLOAD_BYTES_MAX - from));
                if (step == 0) {
                    return length == 0 ? 0 : -1;
                }
                System.arraycopy(pieces.get((int) (at / Wire.PAYLOAD_BYTES_MAX)), from, into, offset, step);
                at += step;
                return step;
            }

            @Override
            public int available() {
                return (int) Math.min(bytes - at, Integer.MAX_VALUE);
            }
        });
    }
}
