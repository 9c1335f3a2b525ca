package org.posthouse.relay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.posthouse.core.Job;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogBook;
import org.posthouse.logstore.RankLog;

/**
 * What a rank of an open job needs of the log. Immutable.
 *
 * @param position of the oldest record that it needs
 * @param saves whether it takes checkpoints: it has asked once whether it is restored
 */
record LogNeed(long job, int rank, long position, boolean saves) {
    /** What all ranks need, the oldest first; of those that need something. */
    static List<LogNeed> of(LogBook book, LogBook.Pinned pinned) {
        List<LogNeed> needs = new ArrayList<>();
        for (JobState job : book.jobs()) {
            for (RankLog rank : job.ranks()) {
                long position = pinned.by(job.id(), rank);
                if (position < Long.MAX_VALUE) {
                    needs.add(new LogNeed(job.id(), rank.rank(), position, rank.prologue().isPresent()));
                }
            }
        }
        Collections.sort(needs, Comparator.comparingLong(LogNeed::position));
        return needs;
    }

    @Override
    public String toString() {
        return "rank " + rank + " of job " + Job.hexId(job) + " needs the oldest records"
                + (saves ? "" : " and takes no checkpoints");
    }
}
