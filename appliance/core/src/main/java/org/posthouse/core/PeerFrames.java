package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Handles frames that another core passes on: messages of its ranks for ranks here, and answers to ranks here. A peer
 * may send only for its own ranks. Part of {@link RelayCore}.
 */
final class PeerFrames {
    private final Deliveries deliveries;
    private final PeerResends peerResends;
    private final ForwardCounts forwardCounts;
    private final HistorySource historySource;

    PeerFrames(Deliveries deliveries, ForwardCounts forwardCounts, HistorySource historySource) {
        this.peerResends = new PeerResends(deliveries);
        this.forwardCounts = forwardCounts;
        this.historySource = historySource;
        this.deliveries = deliveries;
    }

    /** A frame of {@code job} from {@code peer}. */
    void take(Job job, Peer peer, Frame frame) throws WireException {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> {
                TransferRules.checkBegin(view, job.size(), TransferRules.beginBytes(view));
                HomedRank to = homedFor(job, peer, view);
                if (!job.logged()) {
                    arrive(to, job.guest(view.source()), frame);
                } else if (!Deliveries.isTooLate(to, view) && !deliveries.arrive(to, frame) && (view.flags() & FrameView.AGAIN) != 0) {
                    peerResends.take(to, peer, frame);
                }
            }
            case CHUNK -> deliveries.arriveChunk(homedFor(job, peer, view), frame, TransferRules.chunkBytes(view, job.logged()));
            case RESENT -> {
                if (homedFor(job, peer, view).job().logged()) {
                    historySource.resent(job.id(), view.source(), ResendClaim.of(view));
                }
            }
            case CLEAR -> cleared(job, peer, view);
            case CREDIT -> credited(job, peer, view);
            case WITHDRAW -> peer.withdrawn(
                    job.id(),
                    view.context(),
                    view.source(),
                    view.destination(),
                    view.sequence(),
                    deliveries.withdraw(homedFor(job, peer, view), view));
            case WITHDRAWN -> withdrawn(job, peer, view);
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from " + peer);
        }
    }

    private void arrive(HomedRank to, OfferingSender guest, Frame frame) throws WireException {
        FrameView view = frame.view();
        guest.pay(view);
        if (!deliveries.arrive(to, frame)) {
            guest.giveBack(view.type(), Wire.cost(view.messageBytes()));
        }
    }

    /** The destination of a frame from {@code peer}, whose source must be at home there. */
    private static HomedRank homedFor(Job job, Peer peer, FrameView view) throws WireException {
        int source = view.source();
        if (source < 0 || source >= job.size() || job.peer(source) != peer) {
            throw new WireException(CloseReason.WRONG_SITE, view.type() + " in the name of rank " + source);
        }
        HomedRank to = job.homed(view.destination());
        if (to == null) {
            throw new WireException(CloseReason.WRONG_RANK, view.type() + " for rank " + view.destination() + ", not at home here");
        }
        return to;
    }

    /** The source, at home here, of a message whose destination's home sends a frame back. */
    private static HomedRank sourceOf(Job job, Peer peer, FrameView view) throws WireException {
        int destination = view.destination();
        if (destination < 0 || destination >= job.size() || job.peer(destination) != peer) {
            throw new WireException(CloseReason.WRONG_SITE, view.type() + " in the name of rank " + destination);
        }
        HomedRank source = job.homed(view.source());
        if (source == null) {
            throw new WireException(CloseReason.WRONG_RANK, view.type() + " for rank " + view.source() + ", not at home here");
        }
        return source;
    }

    private static void cleared(Job job, Peer peer, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, peer, view);
        SendState.Clearing clearing = source.outgoing().granted(view, job.logged());
        if (clearing == SendState.Clearing.FIRST) {
            source.sends().freeOfferPlace();
        }
        if (clearing != SendState.Clearing.REPEATED) {
            source.sends().cleared(view.context(), view.destination(), view.sequence(), view.offset());
        }
    }

    private static void withdrawn(Job job, Peer peer, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, peer, view);
        TransferId transferId = TransferId.outgoing(view);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (source.repeats().takeQuestion(transferId)) {
            source.sends().answer(transferId, gone);
            return;
        }
        SendState.Open open = source.outgoing().open(transferId);
        if (!source.outgoing().withdrawn(view, job.logged())) {
            return;
        }
        if (!open.withdrawing()) {
            source.sends().wasTakenBack(transferId);
            return;
        }
        source.sends().withdrawn(view.context(), view.destination(), view.sequence(), gone);
    }

    private void credited(Job job, Peer peer, FrameView view) throws WireException {
        if (!job.peers().contains(peer)) {
            throw new WireException(CloseReason.WRONG_SITE, "CREDIT from a relay that is no home of the job");
        }
        HomedRank rank = job.homed(view.creditRank());
        if (rank == null) {
            throw new WireException(CloseReason.WRONG_RANK, "CREDIT for rank " + view.creditRank() + ", not at home here");
        }
        long bytes = view.creditBytes();
        int messages = view.creditMessages();
        ForwardCount forwardCount = null;
        if (job.logged() && bytes >= 0 && messages > 0) {
            forwardCount = forwardCounts.of(peer, job.survivesHost());
            UsedCredit.Back back = rank.sends().credit().back(forwardCount, bytes, messages);
            if (back == UsedCredit.Back.NOTHING) {
                return;
            }
            bytes = back.bytes();
            messages = back.messages();
        }
        if (!rank.sends().credit().mayReturn(bytes, messages)) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED,
                    "CREDIT of " + bytes + " bytes and " + messages + " messages for " + rank
                            + ", which has " + rank.sends().creditBytesUsed() + " and " + rank.sends().creditMessagesUsed() + " in use");
        }
        rank.sends().returnCredit(bytes, messages, forwardCount);
    }
}
