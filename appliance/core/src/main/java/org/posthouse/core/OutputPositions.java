package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.posthouse.wire.JobEvent;

/**
 * What the launcher of a logged job needs in order to restart a rank and show each line once: the places of its
 * checkpoints in its output, and whether it cannot be replayed from the last one. The launcher is told of each at once,
 * and again when it reconnects, since a notice may be lost with its connection or with this relay. Confined to the
 * relay core.
 */
final class OutputPositions {
    /** Images that a process may go on from. */
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

    /** A checkpoint counts. @return what its launcher is told */
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

    /** From here on the rank cannot be replayed. @return what its launcher is told */
    JobEvent limited(String why) {
        limit = new JobEvent(rank.job().id(), JobEvent.LIMITED, rank.rank(), 0, why);
        return limit;
    }

    /** All of it that still is of use, what holds behind marks after them. */
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
