package org.posthouse.launch.agent;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.LongConsumer;
import org.posthouse.launch.folder.InputSink;

/**
 * Writes the job's input to a rank's process, on a thread of its own, no faster than the process reads. Positions count
 * the input's bytes from 0. Thread-safe.
 */
final class InputFeeder {
    private final InputSink to;
    private final LongConsumer written;
    private final Deque<byte[]> pieces = new ArrayDeque<>();

    /** Position behind the last byte that came. */
    private long came;

    /** Whether no input follows. */
    private boolean ended;

    private boolean closed;

    /**
     * @param to the process's standard input
     * @param written receives the position up to which the process has its input
     */
    InputFeeder(String name, InputSink to, LongConsumer written) {
        this.to = to;
        this.written = written;
        Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /**
     * Adds input at {@code position}; what is there already is passed over.
     *
     * @param end whether no input follows
     * @return whether there is no gap before it
     */
    synchronized boolean add(long position, boolean end, byte[] bytes) {
        if (position > came) {
            return false;
        }
        if (end && !ended) {
            ended = true;
            notifyAll();
        }
        int known = (int) Math.min(came - position, bytes.length);
        if (known < bytes.length) {
            byte[] fresh = Arrays.copyOfRange(bytes, known, bytes.length);
            pieces.add(fresh);
            came += fresh.length;
            notifyAll();
        }
        return true;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** The next piece; empty at the end of the input; null if nothing is to be written any more. */
    private synchronized byte[] next() throws InterruptedException {
        while (pieces.isEmpty() && !ended && !closed) {
            wait();
        }
        return closed ? null : pieces.isEmpty() ? new byte[0] : pieces.remove();
    }

    private void run() {
        long position = 0;
        try {
            for (byte[] piece = next(); piece != null; piece = next()) {
                to.write(piece, piece.length);
                if (piece.length == 0) {
                    return;
                }
                position += piece.length;
                written.accept(position);
            }
        } catch (IOException e) {
            // The process has ended, or does not read any more: that is its affair.
            written.accept(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
