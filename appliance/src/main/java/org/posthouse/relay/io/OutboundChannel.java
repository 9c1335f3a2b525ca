package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;

/**
 * The output of one connection. Frames wait here in order and are written in as few system calls as possible, by the
 * flushing thread. Thread-safe; frames of one thread are sent in order.
 */
public final class OutboundChannel {
    /** Limits of the bytes and buffers of one system call. */
    private static final int BATCH_BYTES = 512 * 1024;

    private static final int BATCH_BUFFERS = 16;

    private final ByteSink byteSink;
    private final Runnable onWritable;
    private final Strand emission;
    private final Runnable emit = this::emit;
    private final WaitingFrames waiting = new WaitingFrames();
    private final AtomicReference<CloseNotice> closing = new AtomicReference<>();

    /** Whether it is listed for a flush. Confined to the strand of the session that writes here. */
    private boolean listed;

    // Confined to the emission strand.
    private final ByteBuf[] batch = new ByteBuf[BATCH_BUFFERS];
    private final ByteBuffer[] views = new ByteBuffer[BATCH_BUFFERS];

    /** Whether the outlet is completing a write, or changing its loop; it will call back. */
    private boolean finishing;
    private boolean broken;

    /**
     * @param home where frames are written, unless it admits the flushing thread
     * @param onWritable called when {@link #writable} has become true, on any thread
     */
    public OutboundChannel(ByteSink byteSink, StrandExecutor home, Runnable onWritable) {
        this.byteSink = byteSink;
        this.onWritable = onWritable;
        this.emission = new Strand(home, () -> {});
    }

    /** Adds one frame or several whole ones in a row, to be sent by the next flush; takes over the buffer. */
    public void write(ByteBuf frames) {
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
    public void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    /** Writes the waiting frames: at once, if the emission strand is idle and its home admits the caller. */
    public void flush() {
        emission.submit(emit);
    }

    /**
     * Changes the loop that reads the connection, and the home of its writes.
     *
     * @param ended as in {@link ByteSink#readBy}
     */
    public void readBy(EventLoop loop, StrandExecutor home, Runnable ended) {
        emission.moveTo(home);
        emission.submit(() -> {
            if (!finishing) {
                finishing = true;
                byteSink.readBy(loop, ended, () -> emission.submit(this::goOn));
            }
        });
    }

    /**
     * Marks the line as listed for a flush.
     *
     * @return false if it was listed before
     */
    boolean list() {
        boolean fresh = !listed;
        listed = true;
        return fresh;
    }

    /** Marks the line as not listed. */
    void unlist() {
        listed = false;
    }

    /** Writes the waiting frames at home, because the caller has other work. */
    void flushAtHome() {
        emission.post(emit);
    }

    /**
     * False while too many bytes wait ({@link WaitingFrames#BYTES_HIGH}), because the peer is slow or does not read.
     */
    public boolean writable() {
        return !waiting.congested();
    }

    /**
     * Sends the reason in a CLOSE frame, and nothing afterwards.
     *
     * @return false if it was closing before
     */
    public boolean close(CloseNotice why) {
        if (!closing.compareAndSet(null, why)) {
            return false;
        }
        waiting.add(Unpooled.wrappedBuffer(why.encode(FrameType.CLOSE)));
        flush();
        return true;
    }

    /** Closes the connection at once, without a CLOSE frame and without the waiting frames. */
    public void cut(CloseNotice why) {
        closing.compareAndSet(null, why);
        byteSink.close();
    }

    /** The reason for closing, or null. */
    public CloseNotice closing() {
        return closing.get();
    }

    /** Discards the waiting frames, because the connection has ended. Called once. */
    public void ended() {
        giveUp();
        emission.post(() -> broken = true);
    }

    /** Discards the waiting frames and all later ones, on any thread. */
    public void giveUp() {
        waiting.end();
    }

    public String remote() {
        return byteSink.ends().toString();
    }

    /** Waiting bytes, including those that are being written. */
    public int waitingBytes() {
        return waiting.bytes();
    }

    /** Number of frames that were written; a buffer of several counts as one. */
    public long framesOut() {
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
                long written = byteSink.write(views, buffers);
                if (written < bytes) {
                    finish(buffers, written, bytes);
                } else {
                    letGo(buffers);
                    left(bytes);
                }
            } catch (IOException e) {
                letGo(buffers);
                broken = true;
                byteSink.close();
            }
        }
        if (broken) {
            waiting.discard();
        }
    }

    /**
     * Fills {@code views} from the batch.
     *
     * @return bytes in the batch
     */
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

    /** Leaves the rest of the batch to the outlet, because the kernel accepted only {@code written} bytes. */
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
        byteSink.finish(together, () -> emission.submit(() -> {
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
