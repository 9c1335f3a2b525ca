package org.posthouse.logstore;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A log's book in pieces that fit into records. {@link #of} splits the book when a file is begun. A reader whose log
 * begins with a snapshot reassembles it piece by piece. Confined to its user.
 */
final class SnapshotPieces {
    private final List<byte[]> pieces = new ArrayList<>();
    private int expected = 1;

    /** Splits the current book into pieces of at most {@link MessageLog#MAX_PAYLOAD_BYTES}; returns at least one. */
    static List<ByteBuffer> of(LogState book) {
        Cutter cutter = new Cutter();
        try {
            book.write(new DataOutputStream(cutter));
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
        return cutter.pieces();
    }

    private static final class Cutter extends OutputStream {
        private final List<ByteBuffer> whole = new ArrayList<>();
        private byte[] piece = new byte[1 << 10];
        private int used;

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            for (int done = 0; done < length;) {
                makeRoom();
                int step = Math.min(piece.length - used, length - done);
                System.arraycopy(bytes, from + done, piece, used, step);
                used += step;
                done += step;
            }
        }

        /** The first piece's buffer grows with its content, because most snapshots fill only a little of it. */
        private void makeRoom() {
            if (used == MessageLog.MAX_PAYLOAD_BYTES) {
                whole.add(ByteBuffer.wrap(piece));
                piece = new byte[MessageLog.MAX_PAYLOAD_BYTES];
                used = 0;
            } else if (used == piece.length) {
                piece = Arrays.copyOf(piece, 2 * piece.length);
            }
        }

        List<ByteBuffer> pieces() {
            whole.add(ByteBuffer.wrap(piece, 0, used));
            return whole;
        }
    }

    /** Adds the next piece; returns false if another was expected. */
    boolean add(int piece, int of, ByteBuffer payload) {
        boolean next = piece == pieces.size() && (piece == 0 || of == expected) && piece < of;
        if (next) {
            byte[] bytes = new byte[payload.remaining()];
            payload.get(payload.position(), bytes);
            pieces.add(bytes);
            expected = of;
        }
        return next;
    }

    boolean isWhole() {
        return pieces.size() == expected;
    }

    /** The book, once all pieces are there. */
    LogState book() {
        List<InputStream> parts = new ArrayList<>();
        pieces.forEach(piece -> parts.add(new ByteArrayInputStream(piece)));
        try {
            return LogState.read(new DataInputStream(new SequenceInputStream(Collections.enumeration(parts))));
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }
}
