package org.posthouse.relay;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The jobs that have sent something to relays with which this one was never linked (ADR 82). A job needs a link from
 * its first frame over it on, and not before. Confined to the relay's control strand.
 */
final class FirstUses {
    /** By relay, the jobs. Empties when the relay is linked; a job goes when it ends. */
    private final Map<String, Set<Long>> jobs = new HashMap<>();

    /**
     * Records that a job sends to a relay that was never linked.
     *
     * @return whether it is the job's first frame there
     */
    boolean add(String relay, long job) {
        return jobs.computeIfAbsent(relay, first -> new HashSet<>()).add(job);
    }

    boolean contains(String relay, long job) {
        return jobs.getOrDefault(relay, Set.of()).contains(job);
    }

    /** Called when the relay is linked, or its link was let go of. */
    void forgetRelay(String relay) {
        jobs.remove(relay);
    }

    void forgetJob(long job) {
        jobs.values().forEach(uses -> uses.remove(job));
        jobs.values().removeIf(Set::isEmpty);
    }
}
