package org.posthouse.ops;

import java.util.List;
import java.util.Objects;

/**
 * What waits because a link is down. Nothing of it is lost: it goes on when the link is back. Immutable.
 *
 * @param since    when the link went down, milliseconds since 1970 UTC; while it is dialled its state changes, and this does not
 * @param reason   what ended it, or why it did not come up
 * @param lastTry  what came of the last try to connect, if that is something else; may be empty
 * @param messages messages of which this relay keeps something until the link is back
 * @param bytes    their payload bytes that it keeps
 * @param jobs     the open jobs that have ranks at the far end
 */
public record ParkedView(long since, String reason, String lastTry, long messages, long bytes, List<Job> jobs) {

    /** Copies the list and refuses nulls. */
    public ParkedView {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(lastTry, "lastTry");
        jobs = List.copyOf(jobs);
    }

    /** How many ranks here wait, of all jobs. */
    int ranks() {
        return jobs.stream().mapToInt(Job::ranks).sum();
    }

    /**
     * One job's part in it. Immutable.
     *
     * @param id       the job's id
     * @param name     what the user calls it
     * @param messages its messages
     * @param bytes    their payload bytes
     * @param ranks    its ranks here that have sent such messages, or have receives posted for ranks at the far end
     */
    public record Job(String id, String name, long messages, long bytes, int ranks) {

        /** Refuses nulls. */
        public Job {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(name, "name");
        }
    }
}
