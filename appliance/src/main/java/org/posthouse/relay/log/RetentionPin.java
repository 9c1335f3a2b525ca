package org.posthouse.relay.log;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.posthouse.core.Job;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.record.LogRecord;

/**
 * The records that a rank of an open job needs in the log. Immutable.
 *
 * @param rank {@link LogRecord#NO_RANK} for a job that cannot continue from a record there
 * @param position position of the oldest record that it needs
 * @param saves whether it takes checkpoints, because it has asked once whether it is restored
 * @param followed whether a process needs it that follows the rank and was not sent it
 * @param waits the undelivered message at that position, which pins its checkpoints; empty if there is none, or it was
 *         not reported since the relay's start
 */
public record RetentionPin(long job, int rank, long position, boolean saves, boolean followed, String waits) {
    /** Advice for a program that takes checkpoints, or could. */
    static final String SAVE = "come to Checkpoint.point() more often";

    RetentionPin(long job, int rank, long position, boolean saves, String waits) {
        this(job, rank, position, saves, false, waits);
    }

    /** The oldest record that a rank's followers need, if that is older than what the rank needs; else that. */
    @FunctionalInterface
    interface Followed {
        long limit(long job, int rank, long position);
    }

    /** As below, without followers. */
    public static List<RetentionPin> of(LogState book, ToLongFunction<RankLog> pin, Map<Long, String> waiting) {
        return of(book, pin, (job, rank, position) -> position, waiting);
    }

    /**
     * The needs of all ranks that need records, the oldest first.
     *
     * @param pin position of the oldest record that a rank needs; {@link Long#MAX_VALUE} if it needs none
     * @param waiting undelivered messages that pin checkpoints, by position
     */
    static List<RetentionPin> of(LogState book, ToLongFunction<RankLog> pin, Followed followed, Map<Long, String> waiting) {
        List<RetentionPin> needs = new ArrayList<>();
        for (JobState job : book.jobs()) {
            if (job.fault() != null) {
                needs.add(new RetentionPin(job.id(), LogRecord.NO_RANK, job.faultPosition(), false, ""));
            }
            for (RankLog rank : job.ranks()) {
                long own = pin.applyAsLong(rank);
                long position = followed.limit(job.id(), rank.rank(), own);
                if (position < Long.MAX_VALUE) {
                    boolean saves = rank.prologue().isPresent();
                    needs.add(new RetentionPin(job.id(), rank.rank(), position, saves, position < own, waiting.getOrDefault(position, "")));
                }
            }
        }
        Collections.sort(needs, Comparator.comparingLong(RetentionPin::position));
        return needs;
    }

    /** The action of its program that releases the records. */
    String remedy() {
        if (rank == LogRecord.NO_RANK) {
            return "be ended: posthouse resume --end";
        }
        if (followed) {
            return "be run with fewer processes of each rank, or have a processor for each";
        }
        return waits.isEmpty() ? SAVE : "receive that message, or not send it";
    }

    @Override
    public String toString() {
        if (rank == LogRecord.NO_RANK) {
            return "job " + Job.hexId(job) + " needs the oldest records and cannot go on from them";
        }
        if (followed) {
            return "a follower of rank " + rank + " of job " + Job.hexId(job) + " needs the oldest records, which it was not sent yet";
        }
        String why = saves ? "" : " and takes no checkpoints";
        return "rank " + rank + " of job " + Job.hexId(job) + " needs the oldest records" + why
                + (waits.isEmpty() ? "" : ", as at its checkpoint it had not received " + waits);
    }
}
