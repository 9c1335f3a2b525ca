package org.posthouse.mpj;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.function.Consumer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The frames of a rank whose job is logged, from where they are built until the relay says that they are safe (docs/wire.md,
 * ACK). They are built in place in segments of 1 MiB, leave from there, and stay: nothing is copied that is not kept without. A
 * segment is free when all in it is safe; while all is, the next frame comes to the segment's start, and a ping-pong stays in
 * one place. A segment that is full of frames that need not be kept is used again. Guarded by the endpoint's lock.
 *
 * <p>After a break, the frames that are not safe are copied out, and it is decided for each whether it is said again ({@link
 * #repeat}). Numbers go on, so one that was told never means another frame.
 */
final class ResendBuffer {
    static final int SEGMENT_BYTES = 1 << 20;

    /** What is kept of a full segment at most, if it is to be used again: so at most a third of all bytes is copied, once. */
    private static final int MOVED_BYTES_MAX = SEGMENT_BYTES / 4;

    /** What waits for a flush at most: the relay reads what there is while the rank builds the rest. */
    private static final int UNFLUSHED_BYTES_MAX = 4 * Wire.FRAME_BYTES_MAX;

    /** What becomes of a frame when the rank has come again. */
    enum Fate {
        /** It is written again, and has a new number. */
        WRITTEN,
        /** It is where it was to go, but not safe yet: it is safe when all that was written before is. */
        KEPT,
        /** Nobody needs it. */
        FORGOTTEN
    }

    /** Decides about a frame, and may change its flags. */
    interface Judge {
        Fate judge(FrameView frame) throws WireException;
    }

    /** Takes a frame. */
    interface Writer<X extends Exception> {
        void write(ByteBuffer frame) throws X;
    }

    /** Visits a frame, from position to limit. */
    private interface Visitor {
        void visit(long number, ByteBuffer frame);
    }

    /** Frames one behind the other in [0, position). */
    private static final class Segment {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(SEGMENT_BYTES);
        private final ByteBuffer leaving = bytes.duplicate();

        /** Numbers of its kept frames: [first, last]. */
        private long first;

        private long last;
    }

    /** A frame in memory of its own, and the number whose safety is its own. */
    private static final class Old {
        private final ByteBuffer frame;
        private long number;

        private Old(ByteBuffer frame, long number) {
            this.frame = frame;
            this.number = number;
        }
    }

    private final long bytesMax;
    private final int[] homeOf;
    private final int homes;
    private final FrameView view = new FrameView();
    private final FrameView walker = new FrameView();
    private final FrameView inspected = new FrameView();

    /** Of earlier connections, then those that were set aside, by their numbers. */
    private final ArrayDeque<Old> old = new ArrayDeque<>();

    private final ArrayDeque<Segment> full = new ArrayDeque<>();
    private final ArrayDeque<Segment> free = new ArrayDeque<>();
    private Segment current = new Segment();
    private long oldBytes;

    /** Up to where {@code current} has left. */
    private int flushed;

    /** Numbers of the kept frame that was written last, and of the last that is safe. */
    private long written;

    private long safe;

    /** Of the last frame that the relay says to have handled on this connection. */
    private long handled;

    /** Of the last frame that asks for an ACK. */
    private long asked;

    /** @param homeOf for each rank of the job, the index of its home */
    ResendBuffer(long bytesMax, int[] homeOf) {
        this.bytesMax = bytesMax;
        this.homeOf = homeOf.clone();
        this.homes = Arrays.stream(homeOf).max().orElse(-1) + 1;
        current.first = 1;
    }

    /** Whether so much is kept that nothing may be begun before some of it is safe. One message may be written beyond it. */
    boolean isFull() {
        return (long) full.size() * SEGMENT_BYTES + current.bytes.position() + oldBytes >= bytesMax;
    }

    /** The number that the next kept frame has. */
    long next() {
        return written + 1;
    }

    /** Whether all that was written is safe. */
    boolean isSafe() {
        return safe == written;
    }

    // ---- writing, as FrameChannel has it

    /** Whether a frame of at most so many bytes can be begun before what has ended has left. */
    boolean fits(int bytes) {
        int end = current.bytes.position() + bytes;
        return end <= SEGMENT_BYTES && end - flushed <= UNFLUSHED_BYTES_MAX;
    }

    /** Room for a frame that {@link #fits}, or any if all has left. */
    FrameView begin(int bytes) {
        if (current.bytes.remaining() < bytes) {
            turn();
        }
        return view.wrap(current.bytes, current.bytes.position());
    }

    ByteBuffer payload(int headerBytes, int payloadBytes) {
        return current.bytes.slice(current.bytes.position() + headerBytes, payloadBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void end(int bytes) {
        view.length(bytes);
        if (isKept(view.type())) {
            written++;
            asked = asks(view) ? written : asked;
        }
        current.bytes.position(current.bytes.position() + bytes);
    }

    private static boolean isKept(FrameType type) {
        return switch (type) {
            case SEND, EAGER, OFFER, CHUNK, EVENTS -> true;
            default -> false;
        };
    }

    private static boolean asks(FrameView frame) {
        return frame.type() == FrameType.EVENTS && (frame.flags() & FrameView.ACK_NOW) != 0;
    }

    /** What has ended and not left. */
    ByteBuffer leaving() {
        return current.leaving.limit(current.bytes.position()).position(flushed);
    }

    /** It has left. */
    void left() {
        flushed = current.bytes.position();
        if (safe == written) {
            restart(current);
        }
    }

    private void restart(Segment segment) {
        segment.bytes.clear();
        segment.first = written + 1;
        flushed = 0;
    }

    /** The segment has no more room: goes on at the end of what must be kept of it, or in another. */
    private void turn() {
        if (keptBytes(current) <= MOVED_BYTES_MAX) {
            moveTogether();
            return;
        }
        current.last = written;
        full.add(current);
        current = free.isEmpty() ? new Segment() : free.poll();
        restart(current);
    }

    private int keptBytes(Segment segment) {
        int[] bytes = new int[1];
        walk(segment, (number, frame) -> bytes[0] += frame.remaining());
        return bytes[0];
    }

    private void moveTogether() {
        long first = Math.max(current.first, safe + 1);
        int[] end = new int[1];
        walk(current, (number, frame) -> {
            int length = frame.remaining();
            current.bytes.put(end[0], current.bytes, frame.position(), length);
            end[0] += length;
        });
        current.bytes.position(end[0]);
        current.first = first;
        flushed = end[0];
    }

    /** Visits the frames of a segment that are kept and not among the first that are safe. */
    private void walk(Segment segment, Visitor visitor) {
        ByteBuffer frame = segment.bytes.duplicate();
        long number = segment.first;
        int end = segment.bytes.position();
        int length;
        for (int at = 0; at < end; at += length) {
            walker.wrap(segment.bytes, at);
            length = walker.length();
            if (isKept(walker.type()) && number++ > safe) {
                visitor.visit(number - 1, frame.limit(at + length).position(at));
            }
        }
    }

    // ---- what the relay says

    /** As ACK says it. @throws WireException if so many were not written, or it names other homes than the job's */
    void acknowledged(FrameView ack) throws WireException {
        require(ack);
        safe = Math.max(safe, ack.safe());
        handled = Math.max(handled, ack.handled());
        while (!old.isEmpty() && old.peek().number <= safe) {
            oldBytes -= old.poll().frame.capacity();
        }
        while (!full.isEmpty() && full.peek().last <= safe) {
            free.add(full.poll());
        }
        if (safe == written && flushed == current.bytes.position()) {
            restart(current);
        }
        if (ack.homes() > 0 && isFull()) {
            setAside(ack);
        }
    }

    private void require(FrameView ack) throws WireException {
        if (ack.safe() > written || ack.handled() > written) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "ACK of " + ack.safe() + " safe and " + ack.handled() + " handled frames, " + written + " were written");
        }
        int bytes = Wire.ACK_HEADER_BYTES + ack.homes() * Long.BYTES;
        if (ack.length() != bytes || ack.homes() > 0 && ack.homes() < homes) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "ACK of " + ack.length() + " bytes, which names " + ack.homes() + " homes, expected " + homes);
        }
    }

    /**
     * What stands behind frames for another site is safe, and they are not: for as long as its link is cut. They are copied out, once,
     * so that the segments are free for what is for others.
     */
    private void setAside(FrameView ack) {
        for (Iterator<Old> each = old.iterator(); each.hasNext();) {
            Old next = each.next();
            if (isSafe(ack, next.number, next.frame)) {
                oldBytes -= next.frame.capacity();
                each.remove();
            }
        }
        while (!full.isEmpty()) {
            Segment segment = full.poll();
            walk(segment, (number, frame) -> {
                if (!isSafe(ack, number, frame)) {
                    keepAlone(number, frame);
                }
            });
            free.add(segment);
        }
    }

    /** What the relay logs for the rank itself, EVENTS, is safe when it was handled. */
    private boolean isSafe(FrameView ack, long number, ByteBuffer frame) {
        inspected.wrap(frame, frame.position());
        boolean forRelay = inspected.type() == FrameType.EVENTS;
        return number <= ack.handled() && (forRelay || number < ack.firstUnsafe(homeOf[inspected.destination()]));
    }

    /** Whether the relay has handled the last frame that asked for an ACK. */
    boolean isAnswered() {
        return Math.max(handled, safe) >= asked;
    }

    // ---- after a break

    /** The connection has broken: all that is not safe may have to be said again. */
    void broken() {
        for (Segment segment : full) {
            copyOut(segment);
        }
        copyOut(current);
        free.addAll(full);
        full.clear();
        restart(current);
        handled = 0;
    }

    private void copyOut(Segment segment) {
        walk(segment, (number, frame) -> keepAlone(written, frame));
    }

    private void keepAlone(long number, ByteBuffer frame) {
        old.add(new Old(ByteBuffer.allocate(frame.remaining()).put(frame).flip(), number));
        oldBytes += old.peekLast().frame.capacity();
    }

    /** Visits what is kept of the connections before, in its order. */
    void forEachOld(Consumer<FrameView> visitor) {
        old.forEach(each -> visitor.accept(walker.wrap(each.frame, 0)));
    }

    /** The rank has come again: each frame of the connections before is written again, or not. */
    <X extends Exception> void repeat(Judge judge, Writer<X> writer) throws WireException, X {
        for (Iterator<Old> each = old.iterator(); each.hasNext();) {
            Old next = each.next();
            switch (judge.judge(walker.wrap(next.frame, 0))) {
                case WRITTEN -> {
                    next.number = ++written;
                    asked = asks(walker) ? written : asked;
                    writer.write(next.frame.duplicate());
                }
                case KEPT -> next.number = written;
                case FORGOTTEN -> {
                    oldBytes -= next.frame.capacity();
                    each.remove();
                }
            }
        }
        current.first = written + 1;
    }
}
