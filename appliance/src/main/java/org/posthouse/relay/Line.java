package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;

/**
 * The way out of one connection: frames wait here in order and leave in as few system calls as possible, written by
 * whoever flushes. Thread-safe; what one thread writes leaves in that order.
 */
final class Line {
    /** Bytes and buffers that leave in one system call. */
    private static final int BATCH_BYTES = 512 * 1024;

    private static final int BATCH_BUFFERS = 16;

    private final Outlet outlet;
    private final Runnable onWritable;
    private final Strand emission;
    private final Runnable emit = this::emit;
    private final WaitingFrames waiting = new WaitingFrames();
    private final AtomicReference<CloseNotice> closing = new AtomicReference<>();

    /** Whether it waits to be flushed. Confined to the strand of the session that writes here. */
    private boolean listed;

    // Confined to the emission strand.
    private final ByteBuf[] batch = new ByteBuf[BATCH_BUFFERS];
    private final ByteBuffer[] views = new ByteBuffer[BATCH_BUFFERS];

    /** The outlet finishes a write, or changes its loop, and will call back. */
    private boolean finishing;
    private boolean broken;

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
        if (closing.get() == null) {
            waiting.add(frames);
        } else {
            frames.release();
        }
    }

    /** Adds a copy of one frame of at most {@link WaitingFrames#SMALL_BYTES}. */
    void copy(ByteBuf buffer, int index, int length) {
        if (closing.get() == null) {
            waiting.copy(buffer, index, length);
        }
    }

    /** Adds a control frame. */
    void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    /** Lets go what waits: on the spot, if the home of emission admits it and nobody is at it. */
    void flush() {
        emission.submit(emit);
    }

    /**
     * Has the connection read by this loop, and its frames written at this home, unless that admits whoever flushes.
     *
     * @param ended as {@link Outlet#readBy} has it
     */
    void readBy(EventLoop loop, Workplace home, Runnable ended) {
        emission.moveTo(home);
        emission.submit(() -> {
            if (!finishing) {
                finishing = true;
                outlet.readBy(loop, ended, () -> emission.submit(this::goOn));
            }
        });
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
        return !waiting.congested();
    }

    /** Says why in a CLOSE frame and sends nothing more. @return false if it is closing already */
    boolean close(CloseNotice why) {
        if (!closing.compareAndSet(null, why)) {
            return false;
        }
        waiting.add(Unpooled.wrappedBuffer(why.encode(FrameType.CLOSE)));
        flush();
        return true;
    }

    /** Breaks the connection off without a word, as a cut does, whatever waits to leave. */
    void cut(CloseNotice why) {
        closing.compareAndSet(null, why);
        outlet.close();
    }

    /** Why it is closing, or null while it is not. */
    CloseNotice closing() {
        return closing.get();
    }

    /** The connection is gone: gives up what waits. Called once. */
    void ended() {
        giveUp();
        emission.post(() -> broken = true);
    }

    /** Nothing is written any more, by nobody. */
    void giveUp() {
        waiting.end();
    }

    String remote() {
        return outlet.ends().toString();
    }

    /** Bytes that wait to leave, with those that are being written. */
    int waitingBytes() {
        return waiting.bytes();
    }

    /** Frames that were written, or buffers of several in a row. */
    long framesOut() {
        return waiting.frames();
    }

    // ---- inside the emission strand

    private void emit() {
        while (!finishing && !broken) {
            int buffers = waiting.take(batch, BATCH_BYTES);
            if (buffers == 0) {
                return;
            }
            try {
                long bytes = look(buffers);
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
            waiting.discard();
        }
    }

    /** Makes {@code views} of the batch. @return the bytes in it */
    private long look(int buffers) {
        long bytes = 0;
        for (int i = 0; i < buffers; i++) {
            ByteBuf frames = batch[i];
            int length = frames.readableBytes();
            views[i] = WaitingFrames.isRun(frames)
                    ? frames.internalNioBuffer(frames.readerIndex(), length)
                    : frames.nioBuffer();
            bytes += length;
        }
        return bytes;
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
                waiting.giveBack(batch[i]);
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
            left(restBytes);
            goOn();
        }));
    }

    private void goOn() {
        finishing = false;
        emit();
    }

    private void letGo(int buffers) {
        for (int i = 0; i < buffers; i++) {
            waiting.giveBack(batch[i]);
            batch[i] = null;
            views[i] = null;
        }
    }

    private void left(long bytes) {
        if (waiting.left(bytes)) {
            onWritable.run();
        }
    }
}
