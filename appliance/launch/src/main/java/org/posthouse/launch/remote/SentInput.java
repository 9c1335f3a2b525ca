package org.posthouse.launch.remote;

import java.io.IOException;
import java.util.Arrays;
import org.posthouse.launch.folder.InputSink;

/**
 * The standard input of a process on a node. At most {@link #WINDOW_BYTES} are on their way; a further write blocks until
 * the process has read. What was not taken is sent again on a new connection. Thread-safe.
 */
final class SentInput implements InputSink {
    /** Most bytes that the process has not taken. */
    static final int WINDOW_BYTES = 64 * 1024;

    /** Most bytes of one message. */
    private static final int PIECE_BYTES_MAX = 32 * 1024;

    /** Sends bytes of the input. Called without the lock. */
    interface Sender {
        /** @param end whether no input follows these bytes, which may be none */
        void send(long position, boolean end, byte[] bytes);
    }

    private final Sender sender;
    private final byte[] untaken = new byte[WINDOW_BYTES];

    /** Whether {@link #taken} is known: another launcher may have started the process. */
    private boolean known;

    private long written;
    private long taken;
    private boolean ended;
    private boolean over;

    /** @param isNew whether the process has no input yet; if not, the first {@link #taken} says how much */
    SentInput(boolean isNew, Sender sender) {
        this.known = isNew;
        this.sender = sender;
    }

    @Override
    public synchronized long position() throws IOException {
        while (!known && !over) {
            await();
        }
        if (over) {
            throw ended();
        }
        return written;
    }

    @Override
    public void write(byte[] piece, int count) throws IOException {
        if (count == 0) {
            long position;
            synchronized (this) {
                ended = true;
                position = written;
            }
            sender.send(position, true, new byte[0]);
        }
        for (int at = 0; at < count;) {
            long position;
            int some;
            synchronized (this) {
                awaitRoom();
                some = (int) Math.min(Math.min(count - at, PIECE_BYTES_MAX), WINDOW_BYTES - (written - taken));
                for (int i = 0; i < some; i++) {
                    untaken[(int) ((written + i) % WINDOW_BYTES)] = piece[at + i];
                }
                position = written;
                written += some;
            }
            sender.send(position, false, Arrays.copyOfRange(piece, at, at + some));
            at += some;
        }
    }

    private void awaitRoom() throws IOException {
        while (written - taken == WINDOW_BYTES && !over) {
            await();
        }
        if (over) {
            throw ended();
        }
    }

    private void await() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static IOException ended() {
        return new IOException("the process has ended, or reads no more");
    }

    /** The process has all bytes before this position; {@link Long#MAX_VALUE}: it reads no more. */
    synchronized void taken(long position) {
        if (!known && position < Long.MAX_VALUE) {
            known = true;
            written = position;
        }
        if (position > written) {
            over = true;
        }
        taken = Math.max(taken, Math.min(position, written));
        notifyAll();
    }

    /** Sends again what was not taken, on a new connection. */
    void resend() {
        long position;
        byte[] bytes;
        boolean isEnd;
        synchronized (this) {
            position = taken;
            isEnd = ended;
            bytes = new byte[(int) (written - taken)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = untaken[(int) ((taken + i) % WINDOW_BYTES)];
            }
        }
        for (int at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
            sender.send(position + at, false, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE_BYTES_MAX)));
        }
        if (isEnd) {
            sender.send(position + bytes.length, true, new byte[0]);
        }
    }

    /** The process is gone: a blocked write ends, and each later one. */
    synchronized void end() {
        over = true;
        notifyAll();
    }
}
