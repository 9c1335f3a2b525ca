package org.posthouse.core;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobOpen;

/** The jobs that are open in a core, by their ids. Part of {@link RelayCore}. */
final class OpenJobs {
    private final String relay;
    private final int shards;
    private final ForwardCounts forwardCounts;
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /** The job that was asked for last, as a rule the next one too; null if that is gone. */
    private Job latest;

    /**
     * @param relay this relay's id in the homes of a job
     * @param shards how many cores each relay has
     */
    OpenJobs(String relay, int shards, ForwardCounts forwardCounts) {
        this.relay = relay;
        this.shards = shards;
        this.forwardCounts = forwardCounts;
    }

    Job open(JobOpen opening, IntFunction<Peer> peerOf, JobOwner owner, Journal journal) throws Refusal {
        if (jobs.containsKey(opening.job())) {
            throw new Refusal(CloseReason.DUPLICATE_JOB, "job " + Job.hexId(opening.job()) + " is open already");
        }
        int self = Job.requireHome(relay, opening);
        int cores = shards * opening.homes().size();
        Job job = new Job(opening, self, peerOf, peer -> forwardCounts.of(peer, opening.survivesHost()), cores, owner, journal);
        jobs.put(job.id(), job);
        return job;
    }

    /** The job is open no more. @return null if it was not */
    Job remove(long id) {
        latest = null;
        return jobs.remove(id);
    }

    Collection<Job> all() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /** The job with this id, or null. */
    Job job(long id) {
        if (latest == null || latest.id() != id) {
            latest = jobs.get(id);
        }
        return latest;
    }

    /** The job of whoever comes to it. */
    Job require(long id) throws Refusal {
        Job job = job(id);
        if (job == null) {
            throw new Refusal(CloseReason.UNKNOWN_JOB, "job " + Job.hexId(id) + " is not open at relay " + relay);
        }
        return job;
    }

    /** The rank, if its job is open and it is at home here; else null. */
    HomedRank homed(long id, int rank) {
        Job job = job(id);
        return job == null ? null : job.homed(rank);
    }
}
