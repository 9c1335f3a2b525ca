package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Notice;

/**
 * The way out of one connection: frames wait here in order and leave in as few system calls as possible, written by
 * whoever flushes. Thread-safe; what one thread writes leaves in that order.
 */
final class Line {
    /** Outgoing bytes that wait, past which {@link #writable} turns false, and below which it turns true again. */
    static final int WAITING_BYTES_HIGH = 1024 * 1024;

    static final int WAITING_BYTES_LOW = 256 * 1024;

    /** Bytes and buffers that leave in one system call. */
    private static final int BATCH_BYTES = 512 * 1024;

    private static final int BATCH_BUFFERS = 16;

    /** Frames of at most so many bytes are copied together: cheaper than a buffer each in the call. */
    private static final int SMALL_BYTES = 4 * 1024;

    private final Outlet outlet;
    private final Runnable onWritable;
    private final Strand emission;
    private final Runnable emit = this::emit;
    private final ConcurrentLinkedQueue<ByteBuf> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private final AtomicBoolean congested = new AtomicBoolean();
    private final AtomicReference<Notice> closing = new AtomicReference<>();

    /** Whether it waits to be flushed. Confined to the strand of the session that writes here. */
    private boolean listed;

    // Confined to the emission strand.
    private final ByteBuf[] batch = new ByteBuf[BATCH_BUFFERS];
    private final ByteBuffer[] views = new ByteBuffer[BATCH_BUFFERS];
    private ByteBuf next;
    private boolean finishing;
    private boolean broken;

    // Written inside the emission strand, read by whoever shows it.
    private volatile long framesOut;

    /**
     * @param home where frames are written, unless it admits whoever flushes
     * @param onWritable called when {@link #writable} has turned true, on any thread
     */
    Line(Outlet outlet, Workplace home, Runnable onWritable) {
        this.outlet = outlet;
        this.onWritable = onWritable;
        this.emission = new Strand(home, () -> {});
    }

    /** Adds one frame or several whole ones in a row; takes over the buffer. They leave with the next flush. */
    void write(ByteBuf frames) {
        if (closing.get() != null) {
            frames.release();
            return;
        }
        add(frames);
    }

    /** Adds a control frame, which must not be changed afterwards. */
    void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    private void add(ByteBuf frames) {
        if (waitingBytes.addAndGet(frames.readableBytes()) > WAITING_BYTES_HIGH) {
            congested.set(true);
        }
        waiting.add(frames);
    }

    /** Lets go what waits: on the spot, if the home of emission admits it and nobody is at it. */
    void flush() {
        emission.submit(emit);
    }

    /** Puts it on a list of lines to flush; false if it is there. */
    boolean list() {
        boolean fresh = !listed;
        listed = true;
        return fresh;
    }

    /** Takes it off the list. */
    void unlist() {
        listed = false;
    }

    /** Lets go what waits, at home: the caller has other things to do. */
    void flushAtHome() {
        emission.post(emit);
    }

    /** False while more than a mebibyte waits to leave: a reader that is slow or does not read. */
    boolean writable() {
        return !congested.get();
    }

    /** Says why in a CLOSE frame and sends nothing more. @return false if it is closing already */
    boolean close(Notice why) {
        if (!closing.compareAndSet(null, why)) {
            return false;
        }
        add(Unpooled.wrappedBuffer(why.encode(FrameType.CLOSE)));
        flush();
        return true;
    }

    /** Breaks the connection off without a word, as a cut does, whatever waits to leave. */
    void cut(Notice why) {
        closing.compareAndSet(null, why);
        outlet.close();
    }

    /** Why it is closing, or null while it is not. */
    Notice closing() {
        return closing.get();
    }

    /** The connection is gone: gives up what waits. Called once. */
    void ended() {
        emission.post(() -> {
            broken = true;
            if (!finishing) {
                discard();
            }
        });
    }

    String remote() {
        return outlet.remote();
    }

    /** Bytes that wait to leave. */
    int waitingBytes() {
        return waitingBytes.get();
    }

    /** Frames that have left, or buffers of several in a row. */
    long framesOut() {
        return framesOut;
    }

    // ---- inside the emission strand

    private void emit() {
        while (!finishing && !broken) {
            int buffers = gather();
            if (buffers == 0) {
                return;
            }
            try {
                long bytes = 0;
                for (int i = 0; i < buffers; i++) {
                    views[i] = batch[i].nioBuffer();
                    bytes += views[i].remaining();
                }
                long written = outlet.write(views, buffers);
                if (written < bytes) {
                    finish(buffers, written, bytes);
                } else {
                    letGo(buffers);
                    left(bytes);
                }
            } catch (IOException e) {
                letGo(buffers);
                broken = true;
                outlet.close();
            }
        }
        if (broken) {
            discard();
        }
    }

    /** Takes buffers that wait into {@code batch}, small ones put together; how many they are then. */
    private int gather() {
        int buffers = 0;
        int bytes = 0;
        while (buffers < BATCH_BUFFERS && bytes < BATCH_BYTES) {
            ByteBuf frame = take();
            if (frame == null) {
                break;
            }
            bytes += frame.readableBytes();
            batch[buffers++] = frame.readableBytes() <= SMALL_BYTES ? together(frame) : frame;
        }
        return buffers;
    }

    private ByteBuf take() {
        ByteBuf frame = next == null ? waiting.poll() : next;
        next = null;
        if (frame != null) {
            countFrame();
        }
        return frame;
    }

    /** A small frame and the small ones that follow it, in one buffer. */
    private ByteBuf together(ByteBuf first) {
        next = waiting.poll();
        if (next == null || next.readableBytes() > SMALL_BYTES) {
            return first;
        }
        ByteBuf all = ByteBufAllocator.DEFAULT.directBuffer(4 * SMALL_BYTES, 4 * SMALL_BYTES);
        append(all, first);
        while (next != null && next.readableBytes() <= Math.min(SMALL_BYTES, all.writableBytes())) {
            countFrame();
            append(all, next);
            next = waiting.poll();
        }
        return all;
    }

    private void countFrame() {
        long before = framesOut;
        framesOut = before + 1;
    }

    private static void append(ByteBuf all, ByteBuf frame) {
        all.writeBytes(frame);
        frame.release();
    }

    /** The kernel took {@code written} of the batch's bytes: the rest goes when it has room. */
    private void finish(int buffers, long written, long bytes) {
        finishing = true;
        int restBytes = (int) (bytes - written);
        ByteBuf[] rest = new ByteBuf[buffers];
        int kept = 0;
        long passed = written;
        for (int i = 0; i < buffers; i++) {
            int length = batch[i].readableBytes();
            if (passed >= length) {
                batch[i].release();
                passed -= length;
            } else {
                rest[kept++] = batch[i].skipBytes((int) passed);
                passed = 0;
            }
            batch[i] = null;
            views[i] = null;
        }
        left(written);
        ByteBuf together = Unpooled.wrappedBuffer(kept, Arrays.copyOf(rest, kept));
        outlet.finish(together, () -> emission.submit(() -> {
            finishing = false;
            left(restBytes);
            emit();
        }));
    }

    private void letGo(int buffers) {
        for (int i = 0; i < buffers; i++) {
            batch[i].release();
            batch[i] = null;
            views[i] = null;
        }
    }

    private void left(long bytes) {
        int waits = waitingBytes.addAndGet((int) -bytes);
        if (waits <= WAITING_BYTES_LOW && congested.compareAndSet(true, false)) {
            onWritable.run();
        }
    }

    private void discard() {
        for (ByteBuf frame = take(); frame != null; frame = take()) {
            waitingBytes.addAndGet(-frame.readableBytes());
            frame.release();
        }
    }
}
