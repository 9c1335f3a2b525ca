package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The outgoing frames of one connection, in order. Small frames are copied together into memory that the connection
 * keeps, so that a short message needs neither a buffer nor a view of one. Thread-safe.
 */
final class WaitingFrames {
    /** The connection is congested above {@code BYTES_HIGH} waiting bytes, until they fall to {@code BYTES_LOW}. */
    static final int BYTES_HIGH = 1024 * 1024;

    static final int BYTES_LOW = 256 * 1024;

    /** Frames of at most this size are copied together, which costs less than a buffer each in the system call. */
    static final int SMALL_BYTES = 4 * 1024;

    private static final int RUN_BYTES_FIRST = 2 * 1024;
    private static final int RUN_BYTES_MAX = 4 * SMALL_BYTES;

    /** Allocates the runs, the buffers for small frames. A buffer is a run if this is its allocator. */
    private static final UnpooledByteBufAllocator RUNS = new UnpooledByteBufAllocator(true);

    // All guarded by this.
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();

    /** The last buffer of the queue, if it is a run; the next small frame goes there. */
    private ByteBuf open;

    /** A run that was written and can be used again. */
    private ByteBuf spare;

    private int bytes;
    private long frames;
    private boolean ended;

    /** Written under the lock, read by any thread. */
    private volatile boolean congested;

    /** Adds one frame or several whole ones in a row; takes over the buffer. */
    synchronized void add(ByteBuf buffer) {
        if (buffer.readableBytes() <= SMALL_BYTES) {
            copy(buffer, buffer.readerIndex(), buffer.readableBytes());
            buffer.release();
        } else if (ended) {
            buffer.release();
        } else {
            count(buffer.readableBytes());
            queue.add(buffer);
            open = null;
        }
    }

    /** Copies one frame of at most {@link #SMALL_BYTES}; the caller keeps the buffer. */
    synchronized void copy(ByteBuf buffer, int index, int length) {
        if (ended) {
            return;
        }
        if (open == null || open.maxWritableBytes() < length) {
            open = spare == null ? RUNS.directBuffer(RUN_BYTES_FIRST, RUN_BYTES_MAX) : spare;
            spare = null;
            queue.add(open);
        }
        open.writeBytes(buffer, index, length);
        count(length);
    }

    private void count(int length) {
        frames++;
        bytes += length;
        if (bytes > BYTES_HIGH) {
            congested = true;
        }
    }

    /**
     * Removes buffers, up to a full batch or until they have {@code bytesMax}.
     *
     * @return number of buffers
     */
    synchronized int take(ByteBuf[] batch, int bytesMax) {
        int buffers = 0;
        int taken = 0;
        while (buffers < batch.length && taken < bytesMax && !queue.isEmpty()) {
            ByteBuf next = queue.poll();
            taken += next.readableBytes();
            batch[buffers++] = next;
        }
        if (queue.isEmpty()) {
            open = null;
        }
        return buffers;
    }

    /** Whether a buffer is a run. Nobody else has it, so its internal view may be used. */
    static boolean isRun(ByteBuf buffer) {
        return buffer.alloc() == RUNS;
    }

    /** Takes back a buffer that was written. */
    synchronized void giveBack(ByteBuf buffer) {
        if (isRun(buffer) && spare == null && !ended) {
            spare = buffer.clear();
        } else {
            buffer.release();
        }
    }

    /**
     * Subtracts bytes that were written.
     *
     * @return whether this ended a congestion
     */
    synchronized boolean left(long count) {
        bytes -= (int) count;
        boolean relieved = congested && bytes <= BYTES_LOW;
        if (relieved) {
            congested = false;
        }
        return relieved;
    }

    /** Whether the connection is congested: more than {@link #BYTES_HIGH} bytes were waiting. */
    boolean congested() {
        return congested;
    }

    /** Discards the waiting frames. */
    synchronized void discard() {
        for (ByteBuf waits : queue) {
            bytes -= waits.readableBytes();
            waits.release();
        }
        queue.clear();
        open = null;
    }

    /** Discards the waiting frames and all later ones. */
    synchronized void end() {
        ended = true;
        discard();
        if (spare != null) {
            spare.release();
            spare = null;
        }
    }

    /** Number of frames that were added; a buffer of several counts as one. */
    synchronized long frames() {
        return frames;
    }

    /** Waiting bytes, including those that are being written. */
    synchronized int bytes() {
        return bytes;
    }
}
