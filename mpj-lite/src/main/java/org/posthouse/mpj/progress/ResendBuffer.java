package org.posthouse.mpj.progress;

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
 * The frames that a rank of a logged job has sent and that are not yet stable (docs/wire.md, ACK). Guarded by the
 * endpoint's lock.
 *
 * <p>Frames are built in place in segments of 1 MiB, are sent from there, and stay: keeping them costs no additional
 * copy. A segment is free when all its frames are stable. While all frames are stable, the next one starts at the
 * segment's beginning, so a ping-pong stays in one place. A segment full of frames that need not be kept is used again.
 *
 * <p>After a break, the frames that are not stable are copied out, and {@link #repeat} decides for each whether it is
 * sent again. Numbers continue, so that a reported number never means another frame.
 */
public final class ResendBuffer {
    public static final int SEGMENT_BYTES = 1 << 20;

    /**
     * Most bytes of a full segment that are kept when it is used again. So at most a third of all bytes is copied,
     * once.
     */
    private static final int MOVED_BYTES_MAX = SEGMENT_BYTES / 4;

    /** Most bytes that wait for a flush, so that the relay reads while the rank builds the rest. */
    private static final int UNFLUSHED_BYTES_MAX = 4 * Wire.FRAME_BYTES_MAX;

    /** The treatment of a frame after a reconnection. */
    public enum Fate {
        /** It is written again, with a new number. */
        WRITTEN,
        /** It has arrived but is not stable. It is stable when all frames written before are. */
        KEPT,
        /** No end needs it. */
        FORGOTTEN
    }

    /** Decides about a frame, and may change its flags. */
    public interface Judge {
        Fate judge(FrameView frame) throws WireException;
    }

    /** Writes one frame. */
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

    /** A frame in memory of its own, and the number whose stability covers it. */
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

    /** Frames of earlier connections, then those that were set aside, by number. */
    private final ArrayDeque<Old> old = new ArrayDeque<>();

    private final ArrayDeque<Segment> full = new ArrayDeque<>();
    private final ArrayDeque<Segment> free = new ArrayDeque<>();
    private Segment current = new Segment();
    private long oldBytes;

    /** Bytes of {@code current} that have been sent: [0, flushed). */
    private int flushed;

    /** Numbers of the kept frame written last, and of the last stable one. */
    private long written;

    private long safe;

    /** Number of the last frame that the relay has handled on this connection, by its own report. */
    private long handled;

    /** Number of the last frame that requests an ACK. */
    private long asked;

    /** @param homeOf for each rank of the job, the index of its home */
    ResendBuffer(long bytesMax, int[] homeOf) {
        this.bytesMax = bytesMax;
        this.homeOf = homeOf.clone();
        this.homes = Arrays.stream(homeOf).max().orElse(-1) + 1;
        current.first = 1;
    }

    /** Whether so much is kept that nothing may begin before some of it is stable. One message may exceed the limit. */
    boolean isFull() {
        return (long) full.size() * SEGMENT_BYTES + current.bytes.position() + oldBytes >= bytesMax;
    }

    /** The number of the next kept frame. */
    public long next() {
        return written + 1;
    }

    /** Whether all written frames are stable. */
    public boolean isSafe() {
        return safe == written;
    }

    // ---- writing, as in FrameChannel

    /** Whether a frame of at most this size can begin before the ended frames are sent. */
    boolean fits(int bytes) {
        int end = current.bytes.position() + bytes;
        return end <= SEGMENT_BYTES && end - flushed <= UNFLUSHED_BYTES_MAX;
    }

    /** Room for a frame that {@link #fits}; for any frame if all ended ones are sent. */
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

    /** The ended frames that are not sent yet. */
    ByteBuffer leaving() {
        return current.leaving.limit(current.bytes.position()).position(flushed);
    }

    /** Marks them as sent. */
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

    /** Replaces a full segment: continues behind what must be kept of it, or in another. */
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

    /** Visits the frames of a segment that are kept and beyond the stable prefix. */
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

    // ---- ACK from the relay

    /**
     * Handles an ACK.
     *
     * @throws WireException if it covers frames that were not written, or names other homes than the job's
     */
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
     * Copies out frames for another site, once, while later frames are stable and they are not. This lasts while that
     * site's link is cut. It frees the segments for frames to other sites.
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

    /** Whether the frame is stable. A frame that the relay logs for the rank itself (EVENTS) is stable once handled. */
    private boolean isSafe(FrameView ack, long number, ByteBuffer frame) {
        inspected.wrap(frame, frame.position());
        boolean forRelay = inspected.type() == FrameType.EVENTS;
        return number <= ack.handled() && (forRelay || number < ack.firstUnsafe(homeOf[inspected.destination()]));
    }

    /** Whether the relay has handled the last frame that requests an ACK. */
    public boolean isAnswered() {
        return Math.max(handled, safe) >= asked;
    }

    // ---- after a break

    /** Handles a broken connection: all frames that are not stable may have to be sent again. */
    public void broken() {
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

    /** Visits the frames of earlier connections, in order. */
    public void forEachOld(Consumer<FrameView> visitor) {
        old.forEach(each -> visitor.accept(walker.wrap(each.frame, 0)));
    }

    /** Decides after a reconnection for each frame of earlier connections whether it is written again. */
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
