package org.posthouse.relay;

import java.util.HashMap;
import java.util.Map;

/**
 * When each rank at home here took its last checkpoint, since the relay's start. Confined to the relay's event loop.
 *
 * <p>Bound: the ranks of open jobs that are at home here, which the relay limits.
 */
final class CheckpointTimes {
    private final Map<Long, Map<Integer, Long>> jobs = new HashMap<>();

    /** @param nowMs milliseconds since 1970 UTC */
    void taken(long job, int rank, long nowMs) {
        jobs.computeIfAbsent(job, unseen -> new HashMap<>()).put(rank, nowMs);
    }

    /** @return milliseconds since 1970 UTC; 0 if it has taken none */
    long of(long job, int rank) {
        return jobs.getOrDefault(job, Map.of()).getOrDefault(rank, 0L);
    }

    /** The job has ended. */
    void remove(long job) {
        jobs.remove(job);
    }
}
