package org.posthouse.mpj.checkpoint;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;

/**
 * A rank's {@code System.in}: what its launcher gets on its own standard input. It arrives over this process's standard
 * input, whose end means that the launcher is gone. The format is pieces: a length of four bytes, then that many bytes;
 * a length of 0 ends the input. A bounded part waits here for the program. Thread-safe.
 *
 * <p>A process that continues from an image reads on where the earlier one was. Bytes that a buffering reader of the
 * program, such as a {@code BufferedReader}, had taken and not returned are lost.
 */
public final class ProgramInput extends InputStream {
    /** The longest piece, in bytes. */
    public static final int PIECE_BYTES_MAX = 32 * 1024;

    /** Most bytes that wait for the program, apart from one piece. */
    private static final int WAITING_BYTES_MAX = 1024 * 1024;

    private static final long LOOK_MS = 1_000;

    /** This process's input; null if it has none. Set before the program runs. */
    private static ProgramInput standard;

    private byte[] bytes = new byte[PIECE_BYTES_MAX];
    /** The waiting bytes are [from, to). */
    private int from;
    private int to;
    private boolean ended;

    /** Bytes read so far, of the whole input. */
    private long position;

    /** Bytes still to be skipped. */
    private long toSkip;

    /** Makes the program read this input from here on. */
    public static ProgramInput install() {
        standard = new ProgramInput();
        System.setIn(standard);
        return standard;
    }

    /**
     * Bytes read by this process's program, and by the processes before it whose images it continued; 0 if it reads
     * nothing.
     */
    static long standardPosition() {
        return standard == null ? 0 : standard.position();
    }

    /** Continues where another process had read this many bytes. */
    static void goOnAt(long position) {
        if (standard != null) {
            standard.moveTo(position);
        }
    }

    /**
     * Reads all input from the launcher; returns when the launcher is gone.
     *
     * @throws IOException if the input does not come from a launcher
     */
    public void fill(InputStream launcher) throws IOException {
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

    /**
     * Waits for room. It also checks the parent, since meanwhile nobody else notices the launcher's end.
     *
     * @return whether the launcher is there
     */
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
