package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.posthouse.wire.Wire;

/** A frame in a link's window, and what became of it. Confined to its window. */
final class LinkFrame {
    /** The lane of a frame that is on none. */
    static final int NOWHERE = -1;

    private ByteBuf bytes;
    private final int length;
    private final long place;

    private boolean bulk;
    private boolean ofStreams;

    /** Of bulk: the channel in which nothing may overtake it; null if there is none. */
    private Flow ordered;

    private long number = -1;
    private long after;
    private int lane = NOWHERE;
    private boolean came;
    private boolean acknowledged;
    private boolean abandoned;
    private LinkGovernor.Stamp stamp;

    /** What it is written in, with others, the next time; null if it goes as it is. */
    private LinkRun run;

    /** What it, or its run if it is the last one there, takes on its lane. */
    private int wireBytes;

    /** On a lane with a {@link LanePace}: where it ends there, in bytes, and whether the other end has said that it has it. */
    private long end;

    private boolean there;

    /** A lane that carried it was lost, so that nobody knows which copy came. */
    private boolean doubtful;

    /** @param place how many frames were handed in before it since the stream began */
    LinkFrame(ByteBuf bytes, long place) {
        this.bytes = bytes;
        this.length = bytes.readableBytes();
        this.place = place;
    }

    ByteBuf bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    long place() {
        return place;
    }

    /** It will not be written: of its bytes no more than its head is kept, for those who are told of it in its turn. */
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

    boolean isBulk() {
        return bulk;
    }

    void makeOfStreams() {
        ofStreams = true;
    }

    /** Whether it is of a stream, and not the relay's own. */
    boolean isOfStreams() {
        return ofStreams;
    }

    void orderedIn(Flow channel) {
        ordered = channel;
    }

    Flow orderedIn() {
        return ordered;
    }

    /** Its number in its stream, for good. @param after of bulk, how many heads were written before it */
    void number(long number, long after) {
        this.number = number;
        this.after = after;
    }

    boolean isNumbered() {
        return number >= 0;
    }

    long number() {
        return number;
    }

    long after() {
        return after;
    }

    /** It is being written on this lane, where it takes so many bytes. */
    void on(int newLane, int bytesThere) {
        lane = newLane;
        wireBytes = bytesThere;
        there = false;
    }

    /** Its place on the lane that it is being written on. */
    void endsAt(long newEnd) {
        end = newEnd;
    }

    long end() {
        return end;
    }

    /** The other end has it, and waits for others before it. */
    void reach() {
        there = true;
    }

    boolean isThere() {
        return there;
    }

    /** It is on no lane again. */
    void off() {
        lane = NOWHERE;
    }

    int wireBytes() {
        return wireBytes;
    }

    void goWith(LinkRun newRun) {
        run = newRun;
    }

    LinkRun run() {
        return run;
    }

    int lane() {
        return lane;
    }

    /** What the governor noted when it was written; null if it is not to learn from it. */
    void stamp(LinkGovernor.Stamp newStamp) {
        stamp = newStamp;
    }

    LinkGovernor.Stamp stamp() {
        return stamp;
    }

    void doubt(boolean isDoubtful) {
        doubtful = isDoubtful;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    /** The other end has it. */
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
