package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;

/**
 * A rank's {@code System.in}: what its launcher is given on its own standard input. It comes over this process's standard input, whose end says that the launcher is gone, in
 * pieces: their length, four bytes, and so many bytes; a length of 0 is the input's end. A bounded part of it waits here for the program. Thread-safe.
 *
 * <p>A process that goes on from an image reads on where the one before had been: what a reader of the program's own, such as a {@code BufferedReader}, had taken and not given is gone.
 */
public final class ProgramInput extends InputStream {
    /** The longest piece, in bytes. */
    public static final int PIECE_BYTES_MAX = 32 * 1024;

    /** What waits for the program at most, and a piece. */
    private static final int WAITING_BYTES_MAX = 1024 * 1024;

    private static final long LOOK_MS = 1_000;

    /** This process's; null if it has none. Set before the program runs. */
    private static ProgramInput standard;

    private byte[] bytes = new byte[PIECE_BYTES_MAX];
    /** What waits is [from, to). */
    private int from;
    private int to;
    private boolean ended;

    /** How many bytes have been read, of all that there were. */
    private long position;

    /** How many are still to be passed over. */
    private long toSkip;

    /** From here on the program reads what comes. */
    static ProgramInput install() {
        standard = new ProgramInput();
        System.setIn(standard);
        return standard;
    }

    /** How much this process's program has read, and those before it whose images it went on from; 0 if it reads nothing. */
    static long standardPosition() {
        return standard == null ? 0 : standard.position();
    }

    /** The program goes on where another process had read so much. */
    static void goOnAt(long position) {
        if (standard != null) {
            standard.moveTo(position);
        }
    }

    /**
     * Takes all that comes from the launcher; returns when it is gone.
     *
     * @throws IOException if that is none of a launcher's
     */
    void fill(InputStream launcher) throws IOException {
        long parent = parent();
        DataInputStream in = new DataInputStream(launcher);
        byte[] piece = new byte[PIECE_BYTES_MAX];
        try {
            while (true) {
                int length = in.readInt();
                if (length < 0 || length > PIECE_BYTES_MAX) {
                    throw new IOException("a piece of standard input has " + length + " bytes, expected 0 to " + PIECE_BYTES_MAX);
                }
                in.readFully(piece, 0, length);
                if (!put(piece, length, parent)) {
                    return;
                }
            }
        } catch (EOFException e) {
            // The launcher is gone.
        }
    }

    /** Waits for room, and, since nobody looks meanwhile whether the launcher is still there, for that as well. @return whether it is */
    private synchronized boolean put(byte[] piece, int length, long parent) {
        try {
            while (to - from >= WAITING_BYTES_MAX) {
                wait(LOOK_MS);
                if (parent() != parent) {
                    return false;
                }
            }
        } catch (InterruptedException e) {
            return false;
        }
        ended |= length == 0;
        int skipped = (int) Math.min(length, toSkip);
        toSkip -= skipped;
        makeRoom(length - skipped);
        System.arraycopy(piece, skipped, bytes, to, length - skipped);
        to += length - skipped;
        notifyAll();
        return true;
    }

    private void makeRoom(int count) {
        if (to + count > bytes.length) {
            byte[] into = to - from + count > bytes.length ? new byte[2 * bytes.length + count] : bytes;
            System.arraycopy(bytes, from, into, 0, to - from);
            bytes = into;
            to -= from;
            from = 0;
        }
    }

    private static long parent() {
        return ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
    }

    private synchronized long position() {
        return position;
    }

    private synchronized void moveTo(long target) {
        long ahead = Math.max(0, target - position);
        int here = (int) Math.min(ahead, to - from);
        from += here;
        toSkip = ahead - here;
        position += ahead;
        notifyAll();
    }

    @Override
    public synchronized int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) throws IOException {
        try {
            while (from == to && !ended && length > 0) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted in a read of standard input");
        }
        int count = Math.min(length, to - from);
        if (count == 0) {
            return length == 0 ? 0 : -1;
        }
        System.arraycopy(bytes, from, into, offset, count);
        from += count;
        position += count;
        notifyAll();
        return count;
    }

    @Override
    public synchronized int available() {
        return to - from;
    }
}
