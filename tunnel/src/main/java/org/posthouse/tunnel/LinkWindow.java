package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * The frames of one direction of a link that the peer has not acknowledged. Confined to its link; knows no socket
 * and no clock. It owns one reference of each frame from {@link #append} until it is settled.
 *
 * <p>A frame gets its number, from 0 since the last {@link #takeAll}, when it is written for the first time: the queue
 * decides about the order. It keeps it for good, so that a count says which frames a peer has. The counts are half-open ends:
 * <pre>
 *   0 ... acknowledged ... written ... writtenMax          without a number
 *         [ unacknowledged )[ again       )                [ queue )
 * </pre>
 * {@code written} counts on this connection; a new connection sets it back to what the peer says it received, and what lies
 * behind is written again before anything new. A frame is settled when it and all that were handed in before it are
 * acknowledged: for those who hand frames in, acknowledgements come in their own order.
 */
final class LinkWindow {
    /** What a frame costs beyond its bytes: buffer object, slice, its entry and three places in queues. Bounds empty frames. */
    static final int FRAME_OVERHEAD_BYTES = 160;

    /** A frame that would pin more than this many times its own bytes is copied. */
    private static final int PINNED_FACTOR_MAX = 4;

    private final long bytesMax;
    private final LinkQueue queue = new LinkQueue();
    private final ArrayDeque<LinkFrame> unacknowledged = new ArrayDeque<>();

    /** Written on an earlier connection, and not on this one. */
    private final ArrayDeque<LinkFrame> again = new ArrayDeque<>();

    /** All frames that are not settled, in the order in which they were handed in. */
    private final ArrayDeque<LinkFrame> unsettled = new ArrayDeque<>();

    private long appended;
    private long settled;
    private long acknowledged;
    private long writtenMax;
    private long bytes;
    private long retransmitted;

    LinkWindow(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes over {@code frame}, one whole frame. */
    void append(ByteBuf frame) {
        ByteBuf kept = rightSized(frame);
        bytes += cost(kept);
        LinkFrame last = new LinkFrame(kept, appended++);
        unsettled.addLast(last);
        queue.add(last);
    }

    /**
     * The next frame to write on this connection, or null if there is none. The caller owns the result: a slice, so
     * that nobody downstream can write behind the frame's end.
     */
    ByteBuf next() {
        LinkFrame frame = again.pollFirst();
        if (frame != null) {
            retransmitted++;
        } else {
            frame = queue.next();
            if (frame == null) {
                return null;
            }
            writtenMax++;
        }
        unacknowledged.addLast(frame);
        return frame.bytes().retainedSlice();
    }

    /** The peer has the frames [0, {@code count}). @throws WireException if it cannot, or says less than before */
    void acknowledge(long count) throws WireException {
        if (count < acknowledged || count > written()) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "acknowledges " + count + " frames, expected " + acknowledged + " to " + written());
        }
        while (acknowledged < count) {
            unacknowledged.removeFirst().acknowledged();
            acknowledged++;
        }
        settle();
    }

    private void settle() {
        while (!unsettled.isEmpty() && unsettled.getFirst().isAcknowledged()) {
            ByteBuf frame = unsettled.removeFirst().bytes();
            settled++;
            bytes -= cost(frame);
            frame.release();
        }
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
            unacknowledged.addLast(again.removeFirst());
        }
        while (written() > received) {
            again.addFirst(unacknowledged.removeLast());
        }
    }

    /**
     * The peer has forgotten the stream: hands over all frames that are not settled, in the order in which they were handed in,
     * and counts from 0 again. The peer may have handled some of them.
     */
    List<ByteBuf> takeAll() {
        List<ByteBuf> frames = new ArrayList<>(unsettled.size());
        unsettled.forEach(frame -> frames.add(frame.bytes()));
        unsettled.clear();
        unacknowledged.clear();
        again.clear();
        queue.clear();
        acknowledged = 0;
        appended = 0;
        settled = 0;
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

    /** Visits all frames that are not settled, in the order in which they were handed in. */
    void forEachUnsettled(Consumer<ByteBuf> visitor) {
        unsettled.forEach(frame -> visitor.accept(frame.bytes()));
    }

    long acknowledged() {
        return acknowledged;
    }

    /** How many of the frames that were handed in are settled: always the first. */
    long settled() {
        return settled;
    }

    long written() {
        return acknowledged + unacknowledged.size();
    }

    long retransmitted() {
        return retransmitted;
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
