package org.posthouse.core;

import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What another site's relay passes on: messages of its ranks for ranks here, and answers to those of ranks here. A site
 * speaks for its own ranks only. Part of {@link RelayCore}.
 */
final class SiteFrames {
    private final SitePort sites;
    private final Deliveries deliveries;

    SiteFrames(SitePort sites, Deliveries deliveries) {
        this.sites = sites;
        this.deliveries = deliveries;
    }

    /** A frame of {@code job} from {@code site}. */
    void take(Job job, String site, Frame frame) throws WireException {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> {
                Transfers.checkBegin(view, job.size(), Transfers.payloadBytes(view, Wire.MESSAGE_HEADER_BYTES));
                deliveries.arrive(homedFor(job, site, view), frame);
            }
            case CHUNK -> deliveries.arriveChunk(
                    homedFor(job, site, view), frame, Transfers.payloadBytes(view, Wire.CHUNK_HEADER_BYTES));
            case CLEAR -> cleared(job, site, view);
            case CREDIT -> credited(job, site, view);
            case WITHDRAW -> sites.withdrawn(
                    site,
                    job.id(),
                    view.context(),
                    view.source(),
                    view.destination(),
                    view.sequence(),
                    deliveries.withdraw(homedFor(job, site, view), view));
            case WITHDRAWN -> withdrawn(job, site, view);
            default -> throw new WireException(Reason.NOT_EXPECTED, view.type() + " from site " + site);
        }
    }

    /** The destination of a frame from {@code site}, whose source must be at home there. */
    private static HomedRank homedFor(Job job, String site, FrameView view) throws WireException {
        int source = view.source();
        if (source < 0 || source >= job.size() || !job.home(source).site().equals(site)) {
            throw new WireException(Reason.WRONG_SITE, view.type() + " in the name of rank " + source);
        }
        HomedRank to = job.homed(view.destination());
        if (to == null) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " for rank " + view.destination() + ", not at home here");
        }
        return to;
    }

    /** The source, at home here, of a message whose destination's site sends a frame back. */
    private static HomedRank sourceOf(Job job, String site, FrameView view) throws WireException {
        int destination = view.destination();
        if (destination < 0 || destination >= job.size() || !job.home(destination).site().equals(site)) {
            throw new WireException(Reason.WRONG_SITE, view.type() + " in the name of rank " + destination);
        }
        HomedRank source = job.homed(view.source());
        if (source == null) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " for rank " + view.source() + ", not at home here");
        }
        return source;
    }

    private static void cleared(Job job, String site, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, site, view);
        if (source.outgoing().granted(view)) {
            source.freeOfferPlace();
        }
        if (source.port() != null) {
            source.port().clear(view.context(), view.destination(), view.sequence(), view.offset());
        }
    }

    private static void withdrawn(Job job, String site, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, site, view);
        source.outgoing().withdrawn(view);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (gone) {
            source.freeOfferPlace();
        }
        if (source.port() != null) {
            source.port().withdrawn(view.context(), view.destination(), view.sequence(), gone);
        }
    }

    private static void credited(Job job, String site, FrameView view) throws WireException {
        if (!job.isHome(site)) {
            throw new WireException(Reason.WRONG_SITE, "CREDIT from a site that is no home of the job");
        }
        HomedRank rank = job.homed(view.creditRank());
        if (rank == null) {
            throw new WireException(Reason.WRONG_RANK, "CREDIT for rank " + view.creditRank() + ", not at home here");
        }
        if (!rank.mayReturn(view.creditBytes(), view.creditMessages())) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED,
                    "CREDIT of " + view.creditBytes() + " bytes and " + view.creditMessages() + " messages for " + rank
                            + ", which has " + rank.creditBytesUsed() + " and " + rank.creditMessagesUsed() + " in use");
        }
        rank.returnCredit(view.creditBytes(), view.creditMessages());
    }
}
