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
 * @param waits the undelivered message at that position, which pins its checkpoints; empty if there is none, or it was
 *         not reported since the relay's start
 */
public record RetentionPin(long job, int rank, long position, boolean saves, String waits) {
    /** Advice for a program that takes checkpoints, or could. */
    static final String SAVE = "come to Checkpoint.point() more often";

    /**
     * The needs of all ranks that need records, the oldest first.
     *
     * @param pin position of the oldest record that a rank needs; {@link Long#MAX_VALUE} if it needs none
     * @param waiting undelivered messages that pin checkpoints, by position
     */
    public static List<RetentionPin> of(LogState book, ToLongFunction<RankLog> pin, Map<Long, String> waiting) {
        List<RetentionPin> needs = new ArrayList<>();
        for (JobState job : book.jobs()) {
            if (job.fault() != null) {
                needs.add(new RetentionPin(job.id(), LogRecord.NO_RANK, job.faultPosition(), false, ""));
            }
            for (RankLog rank : job.ranks()) {
                long position = pin.applyAsLong(rank);
                if (position < Long.MAX_VALUE) {
                    needs.add(new RetentionPin(job.id(), rank.rank(), position, rank.prologue().isPresent(), waiting.getOrDefault(position, "")));
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
        return waits.isEmpty() ? SAVE : "receive that message, or not send it";
    }

    @Override
    public String toString() {
        if (rank == LogRecord.NO_RANK) {
            return "job " + Job.hexId(job) + " needs the oldest records and cannot go on from them";
        }
        String why = saves ? "" : " and takes no checkpoints";
        return "rank " + rank + " of job " + Job.hexId(job) + " needs the oldest records" + why
                + (waits.isEmpty() ? "" : ", as at its checkpoint it had not received " + waits);
    }
}
