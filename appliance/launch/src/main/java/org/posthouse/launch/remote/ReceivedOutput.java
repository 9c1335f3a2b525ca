package org.posthouse.launch.remote;

import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.LongConsumer;

/**
 * One output stream of a process on a node, as its bytes arrive. The agent sends no more than its window before they are
 * read here, so that a slow reader slows the process down. Thread-safe.
 */
final class ReceivedOutput extends InputStream {
    /** Bytes after which the agent is told at the latest. */
    private static final int TOLD_BYTES = 64 * 1024;

    /** Null if the agent is told by others. */
    private final LongConsumer taken;
    private final Deque<byte[]> pieces = new ArrayDeque<>();

    /** Bytes of the first piece that were read. */
    private int at;

    /** Position behind the last byte that arrived; of the next byte to be read; and the last one that the agent was told. */
    private long arrived;

    private long read;
    private long told;
    private boolean ended;

    /** @param taken receives positions before which all bytes were read, on the reading thread; null if nobody asks */
    ReceivedOutput(LongConsumer taken) {
        this.taken = taken;
    }

    /** The stream begins at this position: an earlier launcher has what is before it. Nothing has arrived yet. */
    synchronized void begin(long position) {
        arrived = position;
        read = position;
        told = position;
    }

    /** Adds bytes at {@code position}; those that are there already are passed over. @return whether there is no gap before them */
    synchronized boolean add(long position, byte[] bytes) {
        if (position > arrived) {
            return false;
        }
        int known = (int) Math.min(arrived - position, bytes.length);
        if (known < bytes.length && !ended) {
            pieces.add(known == 0 ? bytes : Arrays.copyOfRange(bytes, known, bytes.length));
            arrived += bytes.length - known;
            notifyAll();
        }
        return true;
    }

    /** No more bytes come. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The position of the next byte that is to be read. */
    synchronized long position() {
        return read;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
        long tell;
        int count;
        synchronized (this) {
            if (length == 0) {
                return 0;
            }
            while (pieces.isEmpty() && !ended) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return -1;
                }
            }
            if (pieces.isEmpty()) {
                return -1;
            }
            byte[] piece = pieces.element();
            count = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, to, offset, count);
            at += count;
            read += count;
            if (at == piece.length) {
                pieces.remove();
                at = 0;
            }
            tell = taken != null && (pieces.isEmpty() || read - told >= TOLD_BYTES) ? read : -1;
            told = tell < 0 ? told : tell;
        }
        if (tell >= 0) {
            taken.accept(tell);
        }
        return count;
    }

    @Override
    public synchronized int available() {
        return (int) Math.min(Integer.MAX_VALUE, arrived - read);
    }

    @Override
    public void close() {
        end();
    }
}
