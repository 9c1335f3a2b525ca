package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.posthouse.wire.JobEvent;

/**
 * The places of a rank's checkpoints in its output, and whether it cannot be replayed from the last one. The launcher
 * of a logged job needs them to restart the rank and to show each line once. It is sent each notice at once, and again
 * when it reconnects. A notice may be lost with its connection or with this relay. Confined to the relay core.
 */
final class OutputPositions {
    /** Images that a process may be restored from. */
    private static final int IMAGES = 2;

    private final HomedRank rank;
    private final Deque<JobEvent> images = new ArrayDeque<>();

    /** Null as long as there is none. */
    private JobEvent prologue;

    /** Null unless the rank did what cannot be replayed, and no image lies behind that. */
    private JobEvent limit;

    OutputPositions(HomedRank rank) {
        this.rank = rank;
    }

    /** A checkpoint has become valid. @return the event for the launcher */
    JobEvent checkpoint(RecoveredRank.Mark mark) {
        JobEvent told = new JobEvent(
                rank.job().id(), JobEvent.CHECKPOINTED, rank.rank(), Math.toIntExact(mark.image()), mark.out(), mark.err(), "");
        if (mark.image() == 0) {
            prologue = told;
        } else {
            limit = null;
            images.addLast(told);
            if (images.size() > IMAGES) {
                images.removeFirst();
            }
        }
        return told;
    }

    /** Whether the log has the end of its prologue. */
    boolean hasPrologue() {
        return prologue != null;
    }

    /** From here on the rank cannot be replayed. @return the event for the launcher */
    JobEvent limited(String why) {
        limit = new JobEvent(rank.job().id(), JobEvent.LIMITED, rank.rank(), 0, why);
        return limit;
    }

    /** Whether the rank did what cannot be replayed, and no image lies behind that. */
    boolean isLimited() {
        return limit != null;
    }

    /** All events that are still of use: checkpoints first, then the replay limit. */
    List<JobEvent> all() {
        List<JobEvent> all = new ArrayList<>(images);
        if (prologue != null) {
            all.addFirst(prologue);
        }
        if (limit != null) {
            all.addLast(limit);
        }
        return all;
    }
}
