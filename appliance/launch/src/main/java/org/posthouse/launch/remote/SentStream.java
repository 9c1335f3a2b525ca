package org.posthouse.launch.remote;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The standard input of a process on a node. At most {@link #WINDOW_BYTES} are on their way; a further write blocks until
 * the process has read. What was not taken is sent again on a new connection. Thread-safe.
 */
final class SentStream extends OutputStream {
    /** Most bytes that the process has not taken. */
    static final int WINDOW_BYTES = 64 * 1024;

    /** Sends bytes of the input. */
    interface Sender {
        void send(long position, byte[] bytes);
    }

    private final Sender sender;
    private final byte[] untaken = new byte[WINDOW_BYTES];
    private long written;
    private long taken;
    private boolean over;

    SentStream(Sender sender) {
        this.sender = sender;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int at = 0;
        while (at < length) {
            at += send(bytes, offset + at, length - at);
        }
    }

    private synchronized int send(byte[] bytes, int offset, int length) throws IOException {
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
        int count = (int) Math.min(length, WINDOW_BYTES - (written - taken));
        for (int i = 0; i < count; i++) {
            untaken[(int) ((written + i) % WINDOW_BYTES)] = bytes[offset + i];
        }
        written += count;
        sender.send(written - count, Arrays.copyOfRange(bytes, offset, offset + count));
        return count;
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
    synchronized void resend() {
        byte[] bytes = new byte[(int) (written - taken)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = untaken[(int) ((taken + i) % WINDOW_BYTES)];
        }
        if (bytes.length > 0) {
            sender.send(taken, bytes);
        }
    }

    /** The process is gone: a blocked write ends, and each later one. */
    synchronized void end() {
        over = true;
        notifyAll();
    }
}
