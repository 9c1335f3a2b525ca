package org.posthouse.launch.agent;

import java.util.Arrays;

import org.posthouse.wire.OutputPoint;

/**
 * The output of one stream of a rank's process that the launcher has not taken yet. A full window holds the process
 * back, as a full pipe does. Positions count the stream's bytes from 0. Thread-safe.
 */
final class OutputWindow {
    /** Most bytes that are not taken. */
    static final int BYTES_MAX = 256 * 1024;

    private static final int FIRST_BYTES = 8 * 1024;

    /** A ring: the byte at position p is at p modulo the length, a power of two. */
    private byte[] ring = new byte[FIRST_BYTES];

    private long written;
    private long sent;
    private OutputPoint taken = OutputPoint.BEGIN;
    private boolean closed;

    /**
     * Adds bytes, and blocks while the window is full. Bytes behind {@link #close} are dropped.
     *
     * @param added called without the lock whenever bytes were added to a window that had nothing to send
     */
    void write(byte[] bytes, int count, Runnable added) throws InterruptedException {
        for (int at = 0; at < count;) {
            boolean isNews;
            synchronized (this) {
                while (written - taken.position() == BYTES_MAX && !closed) {
                    wait();
                }
                if (closed) {
                    return;
                }
                isNews = sent == written;
                at += add(bytes, at, count);
            }
            if (isNews) {
                added.run();
            }
        }
    }

    private int add(byte[] bytes, int at, int end) {
        int more = (int) Math.min(end - at, BYTES_MAX - (written - taken.position()));
        reserve((int) (written - taken.position()) + more);
        for (int i = 0; i < more; i++) {
            ring[(int) (written + i & ring.length - 1)] = bytes[at + i];
        }
        written += more;
        return more;
    }

    private void reserve(int bytes) {
        if (bytes <= ring.length) {
            return;
        }
        byte[] larger = new byte[Math.max(Integer.highestOneBit(bytes - 1) << 1, FIRST_BYTES)];
        for (long position = taken.position(); position < written; position++) {
            larger[(int) (position & larger.length - 1)] = ring[(int) (position & ring.length - 1)];
        }
        ring = larger;
    }

    /** The position of the first byte that was not sent. */
    synchronized long sent() {
        return sent;
    }

    /** Bytes that were not sent, at most {@code bytesMax}, which then count as sent; empty if there are none. */
    synchronized byte[] next(int bytesMax) {
        byte[] bytes = new byte[(int) Math.min(bytesMax, written - sent)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = ring[(int) (sent + i & ring.length - 1)];
        }
        sent += bytes.length;
        return bytes;
    }

    /** The launcher has taken all bytes before this position. One outside what was sent and not taken changes nothing. */
    synchronized void taken(OutputPoint upTo) {
        if (upTo.position() > taken.position() && upTo.position() <= sent) {
            taken = upTo;
            notifyAll();
        }
    }

    /** The point behind the last byte that was taken. */
    synchronized OutputPoint taken() {
        return taken;
    }

    /** What was sent and not taken is sent again. */
    synchronized void resend() {
        sent = taken.position();
    }

    /** Whether all bytes were sent. */
    synchronized boolean isSent() {
        return sent == written;
    }

    /** Drops all bytes, and those that still come: nobody takes them. */
    synchronized void close() {
        closed = true;
        taken = new OutputPoint(written, 0, 0);
        sent = written;
        ring = Arrays.copyOf(ring, FIRST_BYTES);
        notifyAll();
    }
}
