package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.Collection;
import org.posthouse.status.JobStatus;

/** Ended jobs that the console still shows. Confined to the relay's control strand. */
final class EndedJobs {
    static final int JOBS_MAX = 32;

    /**
     * Limit of their ranks without those of the newest job, which is kept whatever its size. Each console page receives
     * all of them each second.
     */
    static final int RANKS_MAX = 1_000;

    /** The newest first. */
    private final ArrayDeque<JobStatus> jobs = new ArrayDeque<>();

    /** Number of ranks of all jobs but the newest. */
    private int ranks;

    void add(JobStatus job) {
        ranks += jobs.isEmpty() ? 0 : jobs.getFirst().ranks().size();
        jobs.addFirst(job);
        while (jobs.size() > JOBS_MAX || ranks > RANKS_MAX) {
            ranks -= jobs.removeLast().ranks().size();
        }
    }

    Collection<JobStatus> all() {
        return jobs;
    }
}
