package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a link keeps of one of its two users, the relay itself or the streams: the frames that are not settled, in the order in which they were handed in.
 * Confined to its window; owns one reference of each frame.
 *
 * <p>A frame is settled when it and all of the same user that were handed in before it are acknowledged. Each user is told of its own only, and is judged by
 * its own bytes: streams, over which others go, do not stand still for as long as the relay has more to send than the link carries.
 */
final class LinkShare {
    private final long bytesMax;
    private final ArrayDeque<LinkFrame> unsettled = new ArrayDeque<>();
    private long bytes;
    private long settled;

    /** Of those that are settled, how many the user knows of. */
    private long told;

    /** The user was told, or could see, that there is no room, and waits for some. */
    private boolean wasFull;

    LinkShare(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    void add(LinkFrame frame) {
        unsettled.addLast(frame);
        bytes += cost(frame);
        wasFull |= full();
    }

    void settle() {
        while (!unsettled.isEmpty() && unsettled.getFirst().isAcknowledged()) {
            LinkFrame frame = unsettled.removeFirst();
            settled++;
            bytes -= cost(frame);
            frame.bytes().release();
        }
    }

    /** Lets go of a frame that will not be written, but for its head. */
    void abandon(LinkFrame frame) {
        bytes -= cost(frame);
        frame.abandon();
        bytes += cost(frame);
    }

    /** Hands over all frames, in their order, and begins anew. */
    List<ByteBuf> takeAll() {
        List<ByteBuf> frames = new ArrayList<>(unsettled.size());
        unsettled.forEach(frame -> frames.add(frame.bytes()));
        unsettled.clear();
        bytes = 0;
        settled = 0;
        told = 0;
        return frames;
    }

    /** Visits all frames, in their order, but those that were let go of. */
    void forEach(Consumer<ByteBuf> visitor) {
        unsettled.stream().filter(frame -> !frame.isAbandoned()).forEach(frame -> visitor.accept(frame.bytes()));
    }

    /** True while more is unsettled than the window allows: the user should wait. */
    boolean full() {
        return bytes > bytesMax;
    }

    /** Whether it was full, and half of the window is free now, so that who waited does not stop again at every frame. True once. */
    boolean takeRoom() {
        boolean takes = wasFull && bytes <= bytesMax / 2;
        wasFull &= !takes;
        return takes;
    }

    /** Bytes of all frames, {@link LinkWindow#FRAME_OVERHEAD_BYTES} for each included. */
    long bytes() {
        return bytes;
    }

    /** How many of the frames that were handed in are settled: always the first. */
    long settled() {
        return settled;
    }

    /** How many more are settled than when this was asked last. */
    long takeSettled() {
        long more = settled - told;
        told = settled;
        return more;
    }

    private static long cost(LinkFrame frame) {
        return frame.bytes().readableBytes() + (long) LinkWindow.FRAME_OVERHEAD_BYTES;
    }
}
