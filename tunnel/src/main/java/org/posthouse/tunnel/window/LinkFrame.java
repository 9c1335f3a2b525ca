package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.posthouse.wire.Wire;

/** A frame in a link's window, with its delivery state. Confined to its window. */
public final class LinkFrame {
    /** The lane value of a frame that is on no lane. */
    static final int NOWHERE = -1;

    private ByteBuf bytes;
    private final int length;
    private final long place;

    private boolean bulk;
    private boolean ofStreams;

    /** For bulk, the channel in which nothing may overtake the frame; null if there is none. */
    private Flow ordered;

    private long number = -1;
    private long after;
    private int lane = NOWHERE;
    private boolean came;
    private boolean acknowledged;
    private boolean abandoned;
    private CongestionControl.Stamp stamp;

    /** The run that the frame is written in next time, packed with others; null if it is written alone. */
    private PackedRun run;

    /** Bytes on the lane of the frame, or of its run if the frame is the last of it. */
    private int wireBytes;

    /**
     * On a lane with a {@link LanePace}: the byte offset of the frame's end there, and whether the other end has
     * reported it.
     */
    private long end;

    private boolean there;

    /** True if a lane that carried the frame was lost, so that it is unknown which copy arrived. */
    private boolean doubtful;

    /** @param place number of frames appended before this one since the stream began */
    public LinkFrame(ByteBuf bytes, long place) {
        this.bytes = bytes;
        this.length = bytes.readableBytes();
        this.place = place;
    }

    public ByteBuf bytes() {
        return bytes;
    }

    public int length() {
        return length;
    }

    long place() {
        return place;
    }

    /** Marks the frame as never to be written. Only its head is kept, for the report to the listener in its turn. */
    void abandon() {
        int head = Math.min(length, Wire.MESSAGE_HEADER_BYTES);
        ByteBuf kept = Unpooled.buffer(head, head).writeBytes(bytes, bytes.readerIndex(), head);
        bytes.release();
        bytes = kept;
        abandoned = true;
        acknowledged = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    void makeBulk() {
        bulk = true;
    }

    public boolean isBulk() {
        return bulk;
    }

    void makeOfStreams() {
        ofStreams = true;
    }

    /** Whether it is a stream's frame, not the relay's own. */
    boolean isOfStreams() {
        return ofStreams;
    }

    void orderedIn(Flow channel) {
        ordered = channel;
    }

    Flow orderedIn() {
        return ordered;
    }

    /**
     * Sets the frame's permanent number in its stream.
     *
     * @param after for bulk, how many heads were written before it
     */
    public void number(long number, long after) {
        this.number = number;
        this.after = after;
    }

    boolean isNumbered() {
        return number >= 0;
    }

    public long number() {
        return number;
    }

    public long after() {
        return after;
    }

    /** Notes that the frame is being written on this lane, where it takes {@code bytesThere} bytes. */
    void on(int newLane, int bytesThere) {
        lane = newLane;
        wireBytes = bytesThere;
        there = false;
    }

    /** Sets the offset of its end on the current lane. */
    void endsAt(long newEnd) {
        end = newEnd;
    }

    long end() {
        return end;
    }

    /** The other end has the frame, and holds it back until earlier ones arrive. */
    void reach() {
        there = true;
    }

    boolean isThere() {
        return there;
    }

    /** The frame is on no lane any more. */
    void off() {
        lane = NOWHERE;
    }

    int wireBytes() {
        return wireBytes;
    }

    void goWith(PackedRun newRun) {
        run = newRun;
    }

    public PackedRun run() {
        return run;
    }

    public int lane() {
        return lane;
    }

    /** Sets the governor's stamp at the time of writing; null if the governor must not learn from this frame. */
    void stamp(CongestionControl.Stamp newStamp) {
        stamp = newStamp;
    }

    CongestionControl.Stamp stamp() {
        return stamp;
    }

    void doubt(boolean isDoubtful) {
        doubtful = isDoubtful;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    /** The other end has the frame. */
    void came() {
        came = true;
        lane = NOWHERE;
    }

    boolean hasCome() {
        return came;
    }

    void acknowledged() {
        acknowledged = true;
    }

    boolean isAcknowledged() {
        return acknowledged;
    }
}
