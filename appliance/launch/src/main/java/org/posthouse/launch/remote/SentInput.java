package org.posthouse.launch.remote;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The standard input of a process on a node. At most {@link #WINDOW_BYTES} are on their way; a further write blocks until
 * the process has read. What was not taken is sent again on a new connection. Thread-safe.
 */
final class SentInput extends OutputStream {
    /** Most bytes that the process has not taken. */
    static final int WINDOW_BYTES = 64 * 1024;

    /** Most bytes of one message. */
    private static final int PIECE_BYTES_MAX = 32 * 1024;

    /** Sends bytes of the input. Called without the lock. */
    interface Sender {
        void send(long position, byte[] bytes);
    }

    private final Sender sender;
    private final byte[] untaken = new byte[WINDOW_BYTES];
    private long written;
    private long taken;
    private boolean over;

    SentInput(Sender sender) {
        this.sender = sender;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int at = 0; at < length;) {
            long position;
            int count;
            synchronized (this) {
                awaitRoom();
                count = (int) Math.min(Math.min(length - at, PIECE_BYTES_MAX), WINDOW_BYTES - (written - taken));
                for (int i = 0; i < count; i++) {
                    untaken[(int) ((written + i) % WINDOW_BYTES)] = bytes[offset + at + i];
                }
                position = written;
                written += count;
            }
            sender.send(position, Arrays.copyOfRange(bytes, offset + at, offset + at + count));
            at += count;
        }
    }

    private void awaitRoom() throws IOException {
        while (written - taken == WINDOW_BYTES && !over) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        if (over) {
            throw new IOException("the process has ended, or reads no more");
        }
    }

    /** The process has all bytes before this position; {@link Long#MAX_VALUE}: it reads no more. */
    synchronized void taken(long position) {
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
        synchronized (this) {
            position = taken;
            bytes = new byte[(int) (written - taken)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = untaken[(int) ((taken + i) % WINDOW_BYTES)];
            }
        }
        for (int at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
            sender.send(position + at, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE_BYTES_MAX)));
        }
    }

    /** The process is gone: a blocked write ends, and each later one. */
    synchronized void end() {
        over = true;
        notifyAll();
    }
}
