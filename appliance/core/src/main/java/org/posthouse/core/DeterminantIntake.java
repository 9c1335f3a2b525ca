package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Logs the events that a rank reports, and the failed polls behind them. They are logged before the frame that follows
 * from them, and before the ACK that releases the rank's output. Part of {@link RelayCore}.
 */
final class DeterminantIntake {
    /** An EVENTS of a rank of a logged job; one that was taken before says nothing new. */
    void take(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        boolean asks = (view.flags() & FrameView.ACK_NOW) != 0;
        check(rank, view, asks);
        long last = view.firstEvent() + view.events() - 1;
        if (last > rank.counters().events()) {
            if (view.firstEvent() != rank.counters().events() + 1) {
                throw new WireException(
                        CloseReason.SEQUENCE_GAP,
                        "event " + view.firstEvent() + " of " + rank + ", expected " + (rank.counters().events() + 1));
            }
            log(rank, frame);
        }
        RankFrames.logPolls(rank, view.eventsFailedPolls());
        rank.safety().took(view.length());
        if (asks) {
            rank.safety().asked(rank.port());
        } else if (rank.safety().isDue()) {
            rank.safety().tell(rank.port());
        }
    }

    private static void check(HomedRank rank, FrameView view, boolean asks) throws WireException {
        int least = asks ? 0 : 1;
        if (view.length() != Wire.EVENTS_HEADER_BYTES + (long) view.events() * Wire.EVENT_BYTES || view.events() < least) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "EVENTS of " + view.length() + " bytes with " + view.events() + " events from " + rank);
        }
    }

    private static void log(HomedRank rank, Frame frame) {
        FrameView view = frame.view();
        Job job = rank.job();
        String limit = limit(view);
        Parcel items = frame.hold();
        try {
            job.journal()
                    .events(
                            job.id(),
                            rank.rank(),
                            rank.incarnation(),
                            view.firstEvent(),
                            view.events(),
                            !limit.isEmpty(),
                            items);
        } finally {
            items.release();
        }
        rank.counters().countEvents(view.events());
        if (!limit.isEmpty()) {
            job.report(rank.checkpoints().outputNotes().limited(limit));
        }
    }

    /** Why the rank cannot be replayed from here on; empty if it can. */
    private static String limit(FrameView events) {
        for (int i = 0; i < events.events(); i++) {
            if (events.eventKind(i) == Wire.EVENT_LIMIT) {
                ReplayLimit limit = ReplayLimit.of(events.eventValue(i));
                return limit == null ? "it did what this version does not know (" + events.eventValue(i) + ")" : limit.text();
            }
        }
        return "";
    }
}
