package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The bytes of one part among others, in chunks with their length before them, up to one of none: so the part needs no memory of
 * its own, and who reads it comes to its end, and not into what is behind. Confined to its user.
 */
final class BoundedChunks {
    private static final int CHUNK_BYTES = 64 * 1024;

    private BoundedChunks() {}

    /** Writes a part. Closing it changes nothing. */
    static final class Output extends OutputStream {
        private final DataOutputStream out;
        private final byte[] chunk = new byte[CHUNK_BYTES];
        private int used;

        Output(DataOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            if (used == CHUNK_BYTES) {
                writeChunk();
            }
            chunk[used++] = (byte) b;
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            for (int at = 0, step; at < length; at += step) {
                if (used == CHUNK_BYTES) {
                    writeChunk();
                }
                step = Math.min(length - at, CHUNK_BYTES - used);
                System.arraycopy(from, offset + at, chunk, used, step);
                used += step;
            }
        }

        private void writeChunk() throws IOException {
            out.writeInt(used);
            out.write(chunk, 0, used);
            used = 0;
        }

        /** The part ends. The next one may begin. */
        void end() throws IOException {
            if (used > 0) {
                writeChunk();
            }
            writeChunk();
        }
    }

    /** Reads a part. Closing it changes nothing. */
    static final class Input extends InputStream {
        private final DataInputStream in;
        private int left;
        private boolean over;

        Input(DataInputStream in) {
            this.in = in;
        }

        /** Goes to the next chunk if this one is read. False at the end. */
        private boolean hasMore() throws IOException {
            if (left == 0 && !over) {
                left = in.readInt();
                over = left == 0;
            }
            return !over;
        }

        @Override
        public int read() throws IOException {
            if (!hasMore()) {
                return -1;
            }
            left--;
            return in.readUnsignedByte();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0 || !hasMore()) {
                return length == 0 ? 0 : -1;
            }
            int step = Math.min(length, left);
            in.readFully(into, offset, step);
            left -= step;
            return step;
        }

        /** 0 at the end only. */
        @Override
        public int available() throws IOException {
            return hasMore() ? left : 0;
        }

        /** Goes to the part's end, whatever was read of it. */
        void end() throws IOException {
            while (hasMore()) {
                in.skipNBytes(left);
                left = 0;
            }
        }
    }
}
