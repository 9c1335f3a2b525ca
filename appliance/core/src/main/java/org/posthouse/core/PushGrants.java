package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Handles the ranks' grants of pushes (docs/wire.md, running ahead). Part of {@link RelayCore}. */
final class PushGrants {
    private final Deliveries deliveries;

    PushGrants(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** A rank opens, extends or ends the push window of a context. */
    void ahead(HomedRank rank, FrameView view) throws WireException {
        if (rank.replay() != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "AHEAD from " + rank + ", which is replayed");
        }
        if (view.destination() != rank.rank()) {
            throw new WireException(CloseReason.WRONG_RANK, "AHEAD in the name of rank " + view.destination() + " from " + rank);
        }
        PushWindow pushWindow = rank.mailbox().begunRound(view.context());
        if (pushWindow == null) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "AHEAD in context " + view.context() + " from " + rank + ", which has not used it");
        }
        boolean begins = pushWindow.grant(view.round(), view.pushedCost());
        boolean asksForEnd = (view.flags() & FrameView.END) != 0;
        if (pushWindow.isOpen() && (asksForEnd || begins && rank.mailbox().hasProbes(view.context()))) {
            rank.endPush(pushWindow, PushWindow.End.ASKED);
        } else if (begins) {
            pushWaiting(rank, view.context(), pushWindow);
        }
    }

    /** Pushes the waiting messages in the order of their arrival: no posted receive matches them. */
    private void pushWaiting(HomedRank rank, int context, PushWindow pushWindow) {
        Message message = rank.mailbox().find(context, Wire.ANY, Wire.ANY);
        while (message != null && pushWindow.isOpen()) {
            PushWindow.End end = pushWindow.refuses(message, rank.port().writable());
            if (end == null) {
                deliveries.push(rank, message, pushWindow);
                message = rank.mailbox().find(context, Wire.ANY, Wire.ANY);
            } else {
                rank.endPush(pushWindow, end);
            }
        }
    }
}
