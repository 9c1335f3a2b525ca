package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Handles messages that another core sends again because it, or the rank's process, does not know how much of them is
 * here. Their credit is returned, and the CLEAR of an offer is repeated. The missing part of a message is accepted in
 * the form in which it comes now. For logged jobs. Part of {@link RelayCore}.
 */
final class PeerResends {
    private final Deliveries deliveries;

    PeerResends(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** The frame that began a message, which {@code to} has had from {@code peer} before. */
    void take(HomedRank to, Peer peer, Frame frame) throws WireException {
        FrameView view = frame.view();
        Message open = to.receives().openMessage(view.context(), view.source(), view.sequence());
        if (open != null && !to.job().goesOn(view, open.bytes())) {
            return;
        }
        if (view.type() == FrameType.OFFER) {
            offered(to, peer, view, open);
        } else {
            deliveries.grants().giveBack(to.job(), view.source(), Wire.cost(view.messageBytes()));
            if (open != null) {
                comesWhole(to, open, frame);
            }
        }
    }

    private static void offered(HomedRank to, Peer peer, FrameView view, Message open) {
        TransferId transferId = TransferId.incoming(view);
        long upTo = view.messageBytes();
        if (open == null && to.incoming().isTakenBack(transferId)) {
            peer.withdrawn(to.job().id(), view.context(), view.source(), view.destination(), view.sequence(), true);
            return;
        }
        if (open != null && open.form() == FrameType.OFFER) {
            upTo = open.clearedUpTo();
        }
        if (upTo != SuppressedSends.NOT_CLEARED) {
            peer.clear(to.job().id(), view.context(), view.source(), view.destination(), view.sequence(), upTo);
        }
    }

    /**
     * A message that was offered before, or begun in chunks, comes without a CLEAR: in this frame, or in chunks that
     * follow.
     */
    private void comesWhole(HomedRank to, Message open, Frame frame) throws WireException {
        if (open.form() == FrameType.OFFER && open.granted() < open.bytes()) {
            open.grant(open.bytes());
        }
        if (frame.view().type() == FrameType.SEND && open.arrived() == 0 && open.bytes() > 0) {
            deliveries.arriveInLog(to, open, frame.hold());
        }
    }
}
