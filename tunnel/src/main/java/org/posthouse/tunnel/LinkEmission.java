package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.wire.WireException;

/**
 * What goes over a link: keeps each frame until the peer has handled it, writes what waits, and tells who sent it what was handled. Confined to its link. What
 * is written first of the frames that wait, {@link LinkQueue} decides, and {@link LinkLanes} on which connection.
 */
final class LinkEmission {
    private final Links links;
    private final Link link;
    private final LinkLanes lanes;
    private final LinkTraffic traffic;
    private final LinkWindow window;
    private final LinkPacker packer;

    LinkEmission(Links links, Link link, LinkLanes lanes, LinkTraffic traffic) {
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

    /** Whether frames may be longer than what is packed in one, and are soon through. */
    boolean carriesLong() {
        return !packer.isOn() && window.carriesLong();
    }

    boolean takesStreams() {
        return !window.streams().full();
    }

    void forEachUnacknowledged(Consumer<ByteBuf> visitor) {
        window.own().forEach(visitor);
    }

    /** Whether any frame was ever written, as far as is known here. */
    boolean hasWritten() {
        return window.hasWritten();
    }

    /** Whether the peer is known to have received any. */
    boolean hasArrived() {
        return window.hasArrived();
    }

    /** Lets go of what waits of a job that has ended. */
    void forget(long job) {
        window.forget(job);
        tellSettled();
        tellIfRoomy();
        writeWaiting();
    }

    /** What of either stream the peer has received, and whether it takes what is packed. @throws WireException if it cannot have received that */
    void resume(long heads, long bulk, boolean unpacks) throws WireException {
        window.resume(heads, bulk);
        packer.begin(unpacks);
    }

    void beginSession() {
        tellIfRoomy();
        writeWaiting();
    }

    /** The peer restarted: who sent it what it has not acknowledged gets that back. */
    void handBack() {
        links.listener().onForgotten(link.relay(), takeAll());
        tellIfRoomy();
    }

    /** The relay's own frames that are not settled: none of them, and none of streams, is kept any more. */
    List<ByteBuf> takeAll() {
        return window.takeAll();
    }

    /** Lets go of all frames. */
    void release() {
        window.release();
    }

    /** The peer has handled the first of either stream, and has so much bulk. @throws WireException if it cannot have them */
    void onAcknowledged(long heads, long bulk, long bulkArrived, long incompleteBytes) throws WireException {
        long before = bytes();
        window.acknowledge(heads, bulk, bulkArrived, incompleteBytes);
        link.onAcknowledged(before - bytes());
        tellSettled();
        lanes.onProduct(window.product());
        tellIfRoomy();
        writeWaiting();
    }

    /** The peer has so many bytes of the bulk that went on this lane. @throws WireException if it cannot */
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

    /** What was on this lane is written again. */
    void onLaneLost(int lane) {
        window.lost(lane);
        writeWaiting();
    }

    /** Bytes a second that this lane carries, as far as is known: see {@link LinkWindow#rate(int)}. */
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

    /** Writes what waits until the sockets have enough, or enough bulk is on its way; whoever makes room for more calls it again. */
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
