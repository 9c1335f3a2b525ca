package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import org.posthouse.keys.RelayId;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * The receiving side of a link. It passes frames to the listener, and tells the peer what has arrived and what was
 * handled. Confined to its link.
 */
final class InboundFrames implements LinkReceiver.Sink {
    private final Links links;
    private final Link link;
    private final LinkReceiver arrivals;
    private final LinkUnpacker unpacker;
    private ScheduledFuture<?> timer;

    /** True if a report to the peer will be considered after the current read. */
    private boolean tellsSoon;

    InboundFrames(Links links, Link link) {
        this.links = links;
        this.link = link;
        String site = RelayId.parse(link.relay()).site();
        this.arrivals = new LinkReceiver(this, links.heldBack(), site);
        this.unpacker = new LinkUnpacker(links, link, links.heldBack(), site);
    }

    /** Receives one carried frame, in the order of the first lane. */
    void onHead(ByteBuf buffer, int index, int length, FrameView view) {
        try {
            arrivals.head(buffer, index, length, view);
            afterArrival();
        } catch (WireException e) {
            link.refuse(e);
        }
    }

    /** Receives one carried frame with its number; {@code after} frames of the first lane were written before it. */
    void onBulk(long number, long after, ByteBuf buffer, int index, int length, FrameView view) {
        try {
            arrivals.bulk(number, after, buffer, index, length, view);
            afterArrival();
        } catch (WireException e) {
            link.refuse(e);
        }
    }

    /**
     * Receives bulk packed into one frame.
     *
     * @throws WireException if the frame's claims are wrong
     */
    void onPacked(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        unpacker.onPacked(buffer, index, length, view);
    }

    @Override
    public void onFrame(long name, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        boolean handled = links.listener().onFrame(link.relay(), name, buffer, index, length, view);
        link.onCame(length);
        if (handled) {
            handled(name);
        }
    }

    private void afterArrival() {
        if (!arrivals.isDue()) {
            tellLater();
        } else if (!tellsSoon) {
            tellsSoon = true;
            links.soon(this::tellIfDue);
        }
    }

    private void tellIfDue() {
        tellsSoon = false;
        if (arrivals.isDue()) {
            tell(false);
        } else {
            tellLater();
        }
    }

    /**
     * Called when another frame of bulk begins. The peer is told of earlier ones at once, so that it continues while
     * they are handled.
     */
    void onMore() {
        if (arrivals.isDueAtOnce()) {
            tell(true);
        }
    }

    /** Called after one socket read. The peer is also told of a part of a long frame. */
    void onReadEnd() {
        long incomplete = link.incompleteBytes();
        if (incomplete > 0 && !tellsSoon && arrivals.isPartDue(incomplete, System.nanoTime())) {
            tell(false);
        }
    }

    /**
     * The listener has handled the frame with this name. The frame came on this link, or from an earlier start of the
     * peer.
     */
    void handled(long name) {
        if (arrivals.handle(name)) {
            tell(false);
        } else {
            tellLater();
        }
    }

    private void tellLater() {
        if (timer == null && arrivals.pending()) {
            timer = links.after(links.config().timeouts().ackMs(), () -> tell(false));
        }
    }

    /**
     * Reports what arrived, unless the peer does not read. Then the report is sent at the next opportunity to write.
     *
     * @param atOnce whether the socket is flushed before anything else is done
     */
    private void tell(boolean atOnce) {
        cancelTimer();
        LinkConnection first = link.writableFirst();
        if (first != null) {
            first.acknowledge(arrivals.tell(link.incompleteBytes(), System.nanoTime()), atOnce);
        }
    }

    void onSocketWritable() {
        if (arrivals.pending()) {
            tell(false);
        }
    }

    /** Repeats the last report, which may have been lost with the previous session. */
    void beginSession() {
        if (hasReceived()) {
            tell(false);
        }
    }

    /** Called when all lanes are lost. */
    void endSession() {
        arrivals.drop();
        unpacker.endSession();
        cancelTimer();
    }

    /** Whether all received frames were handled, or came from an earlier start of the peer. */
    boolean isSettled() {
        return arrivals.isSettled();
    }

    /** Whether anything ever arrived from the peer's current start. */
    boolean hasReceived() {
        return headsReceived() + bulkReceived() > 0;
    }

    /** Resets the counts after a restart of the peer. */
    void forget() {
        arrivals.forget();
    }

    long headsReceived() {
        return arrivals.headsReceived();
    }

    long bulkReceived() {
        return arrivals.bulkReceived();
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
