package org.posthouse.relay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.SourceCounters;
import org.posthouse.status.PairTraffic;

/**
 * Who has sent how much to whom in jobs that have ended, for the console's matrix. It keeps the counters that the job's ranks
 * had. Confined to the relay's control strand.
 *
 * <p>Bound: {@value EndedJobs#JOBS_MAX} jobs with {@value #PAIRS_MAX} pairs together, without those of the newest job, which
 * is kept up to {@value #PAIRS_MAX} pairs as well. A pair takes 40 to 80 bytes: 21 MB at most.
 */
final class EndedTraffic {
    static final int PAIRS_MAX = 131_072;

    /** The oldest first. */
    private final LinkedHashMap<Long, Map<Integer, SourceCounters>> jobs = new LinkedHashMap<>();

    private int pairs;

    /** @param deliveries by rank; nobody counts any more */
    void add(long job, Map<Integer, SourceCounters> deliveries) {
        int more = pairs(deliveries);
        if (more > PAIRS_MAX) {
            return;
        }
        while (!jobs.isEmpty() && (jobs.size() == EndedJobs.JOBS_MAX || pairs > PAIRS_MAX)) {
            pairs -= pairs(jobs.pollFirstEntry().getValue());
        }
        jobs.put(job, deliveries);
        pairs += more;
    }

    /** Empty if it is not kept. */
    List<PairTraffic> of(long job) {
        List<PairTraffic> told = new ArrayList<>();
        jobs.getOrDefault(job, Map.of())
                .forEach((rank, sources) -> sources.forEach((source, messages, bytes) -> told.add(new PairTraffic(source, rank, messages, bytes))));
        return told;
    }

    private static int pairs(Map<Integer, SourceCounters> deliveries) {
        return deliveries.values().stream().mapToInt(SourceCounters::size).sum();
    }
}
