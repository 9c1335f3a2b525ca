package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The unsettled frames of one of a link's two users, the relay itself or the streams, in the order of {@link #add}.
 * Confined to its window; owns one reference of each frame.
 *
 * <p>A frame is settled when it and all earlier frames of the same user are acknowledged. Each user is told of its own
 * frames only, and is limited by its own bytes. So streams, which carry other links, do not stall while the relay has
 * more to send than the link carries.
 */
public final class LinkShare {
    private final long bytesMax;
    private final ArrayDeque<LinkFrame> unsettled = new ArrayDeque<>();
    private long bytes;
    private long settled;

    /** Number of settled frames that were reported to the user. */
    private long told;

    /** True if the user was told, or could see, that there is no space, and waits for some. */
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

    /** Drops a frame that will not be written, except its head. */
    void abandon(LinkFrame frame) {
        bytes -= cost(frame);
        frame.abandon();
        bytes += cost(frame);
    }

    /** Returns all frames in order, and resets the share. */
    List<ByteBuf> takeAll() {
        List<ByteBuf> frames = new ArrayList<>(unsettled.size());
        unsettled.forEach(frame -> frames.add(frame.bytes()));
        unsettled.clear();
        bytes = 0;
        settled = 0;
        told = 0;
        return frames;
    }

    /** Visits all frames in order, except abandoned ones. */
    public void forEach(Consumer<ByteBuf> visitor) {
        unsettled.stream().filter(frame -> !frame.isAbandoned()).forEach(frame -> visitor.accept(frame.bytes()));
    }

    /** True while the unsettled bytes exceed the window; the user should wait. */
    public boolean full() {
        return bytes > bytesMax;
    }

    /**
     * Whether the share was full and half of the window is free now. So a waiting user does not stop again at every
     * frame. True once.
     */
    public boolean takeRoom() {
        boolean takes = wasFull && bytes <= bytesMax / 2;
        wasFull &= !takes;
        return takes;
    }

    /** Bytes of all frames, including {@link LinkWindow#FRAME_OVERHEAD_BYTES} for each. */
    long bytes() {
        return bytes;
    }

    /** Number of settled frames; they are always the first ones. */
    public long settled() {
        return settled;
    }

    /** Number of frames settled since the last call. */
    public long takeSettled() {
        long more = settled - told;
        told = settled;
        return more;
    }

    private static long cost(LinkFrame frame) {
        return frame.bytes().readableBytes() + (long) LinkWindow.FRAME_OVERHEAD_BYTES;
    }
}
