package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Handles the ranks' grants of pushes (docs/wire.md, running ahead). Part of {@link RelayCore}. */
final class Pushes {
    private final Deliveries deliveries;

    Pushes(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** A rank lets a context run ahead, or further, or no more. */
    void ahead(HomedRank rank, FrameView view) throws WireException {
        if (rank.replay() != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "AHEAD from " + rank + ", which is replayed");
        }
        if (view.destination() != rank.rank()) {
            throw new WireException(CloseReason.WRONG_RANK, "AHEAD in the name of rank " + view.destination() + " from " + rank);
        }
        Round round = rank.mailbox().begunRound(view.context());
        if (round == null) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "AHEAD in context " + view.context() + " from " + rank + ", which has not used it");
        }
        boolean begins = round.grant(view.round(), view.pushedCost());
        boolean asksForEnd = (view.flags() & FrameView.END) != 0;
        if (round.isOpen() && (asksForEnd || begins && rank.mailbox().hasProbes(view.context()))) {
            round.end(Round.End.ASKED, rank.port());
        } else if (begins) {
            pushWaiting(rank, view.context(), round);
        }
    }

    /** What waits matches no posted receive, so it may go, in the order in which it came. */
    private void pushWaiting(HomedRank rank, int context, Round round) {
        Message message = rank.mailbox().find(context, Wire.ANY, Wire.ANY);
        while (message != null && round.isOpen()) {
            Round.End end = round.refuses(message, rank.port().writable());
            if (end == null) {
                deliveries.push(rank, message, round);
                message = rank.mailbox().find(context, Wire.ANY, Wire.ANY);
            } else {
                round.end(end, rank.port());
            }
        }
    }
}
