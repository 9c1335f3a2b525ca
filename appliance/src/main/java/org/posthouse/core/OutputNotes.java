package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.posthouse.wire.JobEvent;

/**
 * What the launcher of a logged job has to know of a rank to start it again and show each line once: where in its output its checkpoints stand, at
 * which of them its process goes on, and whether it cannot be replayed from the last. It hears of each at once, and again when it comes: what was on its way to it may be lost with its connection, or
 * with this relay. Confined to the relay core.
 */
final class OutputNotes {
    /** Images that a process may go on from. */
    private static final int IMAGES = 2;

    private final HomedRank rank;
    private final Deque<JobEvent> images = new ArrayDeque<>();

    /** Null as long as there is none. */
    private JobEvent prologue;

    private JobEvent origin;

    /** Null unless the rank did what cannot be replayed, and no image lies behind that. */
    private JobEvent limit;

    OutputNotes(HomedRank rank) {
        this.rank = rank;
    }

    /** A checkpoint counts. @return what its launcher is told */
    JobEvent checkpoint(Recovered.Mark mark) {
        JobEvent told = event(JobEvent.CHECKPOINTED, mark.image(), mark.out(), mark.err());
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

    /** The rank's process goes on at this image behind its prologue; at 0 there is none. @return what its launcher is told */
    JobEvent goesOnAt(long image) {
        origin = event(JobEvent.OUTPUT, image, rank.incarnation(), 0);
        return origin;
    }

    /** From here on the rank cannot be replayed. @return what its launcher is told */
    JobEvent limited(String why) {
        limit = new JobEvent(rank.job().id(), JobEvent.LIMITED, rank.rank(), 0, why);
        return limit;
    }

    private JobEvent event(int kind, long image, long a, long b) {
        return new JobEvent(rank.job().id(), kind, rank.rank(), Math.toIntExact(image), a, b, "");
    }

    /** All of it that still is of use, what refers to marks, or holds behind them, after them. */
    List<JobEvent> all() {
        List<JobEvent> all = new ArrayList<>(images);
        if (prologue != null) {
            all.addFirst(prologue);
        }
        if (origin != null) {
            all.addLast(origin);
        }
        if (limit != null) {
            all.addLast(limit);
        }
        return all;
    }
}
