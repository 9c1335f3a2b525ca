package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * The frames of one direction of a link that the peer has not acknowledged. Confined to its link; knows no socket
 * and no clock. It owns one reference of each frame from {@link #append} until the acknowledgement.
 *
 * <p>Frames are numbered from 0 since the last {@link #takeAll}, and the counts are half-open ends:
 * <pre>
 *   0 ... acknowledged ... written ........ appended
 *         [ unacknowledged )[ waiting      )
 *         0 &lt;= acknowledged &lt;= written &lt;= appended, written &lt;= writtenMax &lt;= appended
 * </pre>
 * {@code written} counts on this connection; a new connection sets it back to what the peer says it received.
 */
final class LinkWindow {
    /** What a frame costs beyond its bytes: buffer object, slice and two places in a queue. Bounds empty frames. */
    static final int FRAME_OVERHEAD_BYTES = 128;

    /** A frame that would pin more than this many times its own bytes is copied. */
    private static final int PINNED_FACTOR_MAX = 4;

    private final long bytesMax;
    private final ArrayDeque<ByteBuf> unacknowledged = new ArrayDeque<>();
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private long acknowledged;
    private long writtenMax;
    private long bytes;
    private long retransmitted;

    LinkWindow(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes over {@code frame}, one whole frame, as the last of the stream. */
    void append(ByteBuf frame) {
        ByteBuf kept = rightSized(frame);
        bytes += cost(kept);
        waiting.addLast(kept);
    }

    /**
     * The next frame to write on this connection, or null if there is none. The caller owns the result: a slice, so
     * that nobody downstream can write behind the frame's end.
     */
    ByteBuf next() {
        ByteBuf frame = waiting.pollFirst();
        if (frame == null) {
            return null;
        }
        unacknowledged.addLast(frame);
        if (written() <= writtenMax) {
            retransmitted++;
        } else {
            writtenMax = written();
        }
        return frame.retainedSlice();
    }

    /** The peer has the frames [0, {@code count}). @throws WireException if it cannot, or says less than before */
    void acknowledge(long count) throws WireException {
        if (count < acknowledged || count > written()) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "acknowledges " + count + " frames, expected " + acknowledged + " to " + written());
        }
        release(count);
    }

    /**
     * Begins a new connection whose peer says it received [0, {@code received}): they are not written again, and are kept
     * until they are acknowledged, because the peer may not have handled them yet.
     *
     * @throws WireException CANNOT_RESUME, and nothing changed, if that was never written, or less than was acknowledged
     */
    void resume(long received) throws WireException {
        if (received < acknowledged || received > writtenMax) {
            throw new WireException(
                    Reason.CANNOT_RESUME,
                    "the peer received " + received + " frames, expected " + acknowledged + " to " + writtenMax);
        }
        while (written() < received) {
            unacknowledged.addLast(waiting.removeFirst());
        }
        while (written() > received) {
            waiting.addFirst(unacknowledged.removeLast());
        }
    }

    /** The peer has forgotten the stream: hands over all frames, in their order, and counts from 0 again. */
    List<ByteBuf> takeAll() {
        List<ByteBuf> frames = new ArrayList<>(unacknowledged.size() + waiting.size());
        frames.addAll(unacknowledged);
        frames.addAll(waiting);
        unacknowledged.clear();
        waiting.clear();
        acknowledged = 0;
        writtenMax = 0;
        bytes = 0;
        return frames;
    }

    /** Nobody wants the stream any more. */
    void release() {
        takeAll().forEach(ByteBuf::release);
    }

    /** True while more is unacknowledged than the window allows: writers should wait. */
    boolean full() {
        return bytes > bytesMax;
    }

    /** True when writers that waited may go on: a half-empty window, so that they do not stop at every frame. */
    boolean roomy() {
        return bytes <= bytesMax / 2;
    }

    /** Bytes of all frames held, {@link #FRAME_OVERHEAD_BYTES} for each included. */
    long bytes() {
        return bytes;
    }

    long acknowledged() {
        return acknowledged;
    }

    long written() {
        return acknowledged + unacknowledged.size();
    }

    long retransmitted() {
        return retransmitted;
    }

    private void release(long upTo) {
        while (acknowledged < upTo) {
            ByteBuf frame = unacknowledged.removeFirst();
            acknowledged++;
            bytes -= cost(frame);
            frame.release();
        }
    }

    private static long cost(ByteBuf frame) {
        return frame.readableBytes() + (long) FRAME_OVERHEAD_BYTES;
    }

    /** Keeps {@code frame} or, if it is a small part of a large buffer, a copy: the window bounds memory held. */
    private static ByteBuf rightSized(ByteBuf frame) {
        ByteBuf root = frame;
        while (root.unwrap() != null) {
            root = root.unwrap();
        }
        int readable = frame.readableBytes();
        if (root.capacity() <= (long) PINNED_FACTOR_MAX * (readable + FRAME_OVERHEAD_BYTES)) {
            return frame;
        }
        try {
            return frame.alloc().heapBuffer(readable, readable).writeBytes(frame);
        } finally {
            frame.release();
        }
    }
}
