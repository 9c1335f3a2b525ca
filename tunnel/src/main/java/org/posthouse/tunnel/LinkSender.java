package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkQueue;
import org.posthouse.tunnel.window.LinkTraffic;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.WireException;

/**
 * The sending side of a link. It keeps each frame until the peer has handled it, writes waiting frames, and tells the
 * sender which frames were handled. Confined to its link. {@link LinkQueue} decides the order of waiting frames, and
 * {@link LinkLanes} the connection.
 */
final class LinkSender {
    private final Links links;
    private final Link link;
    private final LinkLanes lanes;
    private final LinkTraffic traffic;
    private final LinkWindow window;
    private final LinkPacker packer;

    LinkSender(Links links, Link link, LinkLanes lanes, LinkTraffic traffic) {
        this.links = links;
        this.link = link;
        this.lanes = lanes;
        this.traffic = traffic;
        this.window = new LinkWindow(links.config().limits().windowBytes(), System::nanoTime);
        this.packer = new LinkPacker(links, this, window);
    }

    void send(ByteBuf frame) {
        window.append(frame);
        writeWaiting();
    }

    boolean writable() {
        return !window.own().full();
    }

    /** Whether frames may be longer than one packed frame, and are transmitted quickly. */
    boolean carriesLong() {
        return !packer.isOn() && window.carriesLong();
    }

    boolean takesStreams() {
        return !window.streams().full();
    }

    void forEachUnacknowledged(Consumer<ByteBuf> visitor) {
        window.own().forEach(visitor);
    }

    /** Whether any frame was ever written, as far as this end knows. */
    boolean hasWritten() {
        return window.hasWritten();
    }

    /** Whether the peer is known to have received any frame. */
    boolean hasArrived() {
        return window.hasArrived();
    }

    /** Drops the waiting frames of a job that has ended. */
    void forget(long job) {
        window.forget(job);
        tellSettled();
        tellIfRoomy();
        writeWaiting();
    }

    /**
     * Resumes with the counts that the peer has received of either stream, and whether it accepts packed frames.
     *
     * @throws WireException if it cannot have received that many
     */
    void resume(long heads, long bulk, boolean unpacks) throws WireException {
        window.resume(heads, bulk);
        packer.begin(unpacks);
    }

    void beginSession() {
        tellIfRoomy();
        writeWaiting();
    }

    /** Returns all unacknowledged frames to the listener, because the peer restarted. */
    void handBack() {
        links.listener().onForgotten(link.relay(), takeAll());
        tellIfRoomy();
    }

    /** Removes and returns the relay's own unsettled frames, and drops those of streams. */
    List<ByteBuf> takeAll() {
        return window.takeAll();
    }

    /** Releases all frames. */
    void release() {
        window.release();
    }

    /**
     * Handles the peer's counts of handled frames of either stream, and of received bulk.
     *
     * @throws WireException if the counts are impossible
     */
    void onAcknowledged(long heads, long bulk, long bulkArrived, long incompleteBytes) throws WireException {
        long before = bytes();
        window.acknowledge(heads, bulk, bulkArrived, incompleteBytes);
        link.onAcknowledged(before - bytes());
        tellSettled();
        lanes.onProduct(window.product());
        tellIfRoomy();
        writeWaiting();
    }

    /**
     * The peer has {@code bytes} bytes of the bulk written on this lane.
     *
     * @throws WireException if that is impossible
     */
    void onCame(int lane, long bytes) throws WireException {
        window.come(lane, bytes);
        link.onProgress();
        lanes.onProduct(window.product());
        writeWaiting();
    }

    void onLaneUp(LinkConnection lane) {
        if (lane.tellsWhatCame()) {
            window.pace(lane.lane());
        }
        writeWaiting();
    }

    /** Writes the frames of a lost lane again. */
    void onLaneLost(int lane) {
        window.lost(lane);
        writeWaiting();
    }

    /** Rate of this lane in bytes a second, if known: see {@link LinkWindow#rate(int)}. */
    long rate(int lane) {
        return window.rate(lane);
    }

    /** Bytes that the peer has not acknowledged. */
    long bytes() {
        return window.bytes();
    }

    long retransmitted() {
        return window.retransmitted();
    }

    List<LinkStatus.Lane> lanes() {
        return lanes.status(window);
    }

    LinkStatus.Packing packing() {
        return packer.status();
    }

    /**
     * Writes waiting frames until the sockets are full or enough bulk is in flight. Code that frees space in either
     * calls it again.
     */
    void writeWaiting() {
        while (link.takesFrames()) {
            packer.takeAhead();
            boolean wantsHeads = link.writableFirst() != null;
            int lane = lanes.forBulk(window);
            LinkFrame frame = wantsHeads ? window.next(0, true, lane == 0) : null;
            if (frame == null && lane > 0) {
                frame = window.next(lane, false, true);
            }
            if (frame == null) {
                return;
            }
            packer.onWriting(frame);
            traffic.out(frame);
            lanes.write(frame.lane(), frame);
        }
    }

    private void tellSettled() {
        long ofStreams = window.streams().takeSettled();
        if (ofStreams > 0) {
            links.streams().onAcknowledged(link.relay(), ofStreams);
        }
        long own = window.own().takeSettled();
        if (own > 0) {
            links.listener().onAcknowledged(link.relay(), own);
        }
    }

    private void tellIfRoomy() {
        if (!link.isStopped() && window.own().takeRoom()) {
            links.listener().onWritable(link.relay());
        }
        if (!link.isStopped() && window.streams().takeRoom()) {
            links.streams().onWritable(link.relay());
        }
    }
}
