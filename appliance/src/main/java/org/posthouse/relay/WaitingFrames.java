package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The frames of one connection that wait to leave, in order; small ones are put together as they come, in memory that
 * the connection keeps, so that a short message costs neither a buffer nor a view of one. Thread-safe.
 */
final class WaitingFrames {
    /** Waiting bytes past which it is congested, and below which it no longer is. */
    static final int BYTES_HIGH = 1024 * 1024;

    static final int BYTES_LOW = 256 * 1024;

    /** Frames of at most so many bytes are copied together: cheaper than a buffer each in the system call. */
    static final int SMALL_BYTES = 4 * 1024;

    private static final int RUN_BYTES_FIRST = 2 * 1024;
    private static final int RUN_BYTES_MAX = 4 * SMALL_BYTES;

    /** Makes the runs, buffers in which small frames are put together, and tells them from others by having made them. */
    private static final UnpooledByteBufAllocator RUNS = new UnpooledByteBufAllocator(true);

    // All guarded by this.
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();

    /** The queue's last, if it is a run: the next small frame goes there. */
    private ByteBuf open;

    /** A run that has left, to be used again. */
    private ByteBuf spare;

    private int bytes;
    private long frames;
    private boolean ended;

    /** Written under the lock, read by any thread. */
    private volatile boolean congested;

    /** Adds one frame or several whole ones in a row, and takes the buffer over. */
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

    /** Adds one frame of at most {@link #SMALL_BYTES}; the buffer stays the caller's. */
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

    /** Takes buffers out, up to a full batch or until they have {@code bytesMax}. @return how many */
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

    /** Whether a buffer is a run: nobody else has it, and so its own view may be used. */
    static boolean isRun(ByteBuf buffer) {
        return buffer.alloc() == RUNS;
    }

    /** Takes back a buffer that has left. */
    synchronized void giveBack(ByteBuf buffer) {
        if (isRun(buffer) && spare == null && !ended) {
            spare = buffer.clear();
        } else {
            buffer.release();
        }
    }

    /** Notes that so many bytes have left. @return whether it is no longer congested, and was until now */
    synchronized boolean left(long count) {
        bytes -= (int) count;
        boolean relieved = congested && bytes <= BYTES_LOW;
        if (relieved) {
            congested = false;
        }
        return relieved;
    }

    /** Whether more than a mebibyte waits. */
    boolean congested() {
        return congested;
    }

    /** Gives up what waits. */
    synchronized void discard() {
        for (ByteBuf waits : queue) {
            bytes -= waits.readableBytes();
            waits.release();
        }
        queue.clear();
        open = null;
    }

    /** Gives up what waits, and whatever comes. */
    synchronized void end() {
        ended = true;
        discard();
        if (spare != null) {
            spare.release();
            spare = null;
        }
    }

    /** Frames that were added, or buffers of several in a row. */
    synchronized long frames() {
        return frames;
    }

    /** Bytes that wait, with those that are being written. */
    synchronized int bytes() {
        return bytes;
    }
}
