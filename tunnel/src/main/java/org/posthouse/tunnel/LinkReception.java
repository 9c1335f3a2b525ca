package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/** What comes over a link: hands it to the listener, and says to the peer what has come and what was handled. Confined to its link. */
final class LinkReception implements LinkArrivals.Sink {
    private final Links links;
    private final Link link;
    private final LinkArrivals arrivals;
    private final LinkUnpacker unpacker;
    private ScheduledFuture<?> timer;

    /** It will be looked at whether the peer is to be told what has come, when what was read is done with. */
    private boolean tellsSoon;

    LinkReception(Links links, Link link) {
        this.links = links;
        this.link = link;
        String site = RelayId.parse(link.relay()).site();
        this.arrivals = new LinkArrivals(this, links.heldBack(), site);
        this.unpacker = new LinkUnpacker(links, link, links.heldBack(), site);
    }

    /** One carried frame, in the order of the first lane. */
    void onHead(ByteBuf buffer, int index, int length, FrameView view) {
        try {
            arrivals.head(buffer, index, length, view);
            afterArrival();
        } catch (WireException e) {
            link.refuse(e);
        }
    }

    /** One carried frame with its number, before which so many of those on the first lane were written. */
    void onBulk(long number, long after, ByteBuf buffer, int index, int length, FrameView view) {
        try {
            arrivals.bulk(number, after, buffer, index, length, view);
            afterArrival();
        } catch (WireException e) {
            link.refuse(e);
        }
    }

    /** Frames of bulk in one. @throws WireException if that is not what it says */
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

    /** Another frame of bulk begins: the peer hears of those before it at once, so that it goes on while they are handled. */
    void onMore() {
        if (arrivals.isDueAtOnce()) {
            tell(true);
        }
    }

    /** What was read at once is done with: the peer hears of a part of a long frame, too. */
    void onReadEnd() {
        long incomplete = link.incompleteBytes();
        if (incomplete > 0 && !tellsSoon && arrivals.isPartDue(incomplete, System.nanoTime())) {
            tell(false);
        }
    }

    /** The listener has handled the frame that it knows by this name, which came on this link or on one of the peer before it. */
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

    /** Says what came, unless the peer does not read: then the next chance to write does it. @param atOnce whether it leaves before anything else is done */
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

    /** What was told in the last session may have been lost with it. */
    void beginSession() {
        if (hasReceived()) {
            tell(false);
        }
    }

    /** All lanes are lost. */
    void endSession() {
        arrivals.drop();
        unpacker.endSession();
        cancelTimer();
    }

    /** Whether all that came was handled, or was of a peer before this one. */
    boolean isSettled() {
        return arrivals.isSettled();
    }

    /** Whether anything ever came from the peer as it is. */
    boolean hasReceived() {
        return headsReceived() + bulkReceived() > 0;
    }

    /** The peer restarted. */
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
