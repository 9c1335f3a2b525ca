package org.posthouse.bench.allocation;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.wan.WanProfile;
import org.posthouse.wan.WanShape;

/**
 * The plan of {@code bench allocation}.
 *
 * @param jobs the programs; their numbers of ranks do not count
 * @param ranks numbers of ranks, in order
 * @param nodes of each of the two sites
 * @param slots of each node
 * @param roundTripMs between the sites
 * @param repetitions of each series, in turns
 */
public record AllocationPlan(List<JobSpec> jobs, List<Integer> ranks, int nodes, int slots, double roundTripMs, int repetitions)
        implements Experiment<AllocationReport> {
    static final List<String> SITES = List.of("site-a", "site-b");

    private static final int NODES_MAX = 64;
    private static final int SLOTS_MAX = 1_024;
    private static final int REPETITIONS_MAX = 1_000;
    private static final double ROUND_TRIP_MS_MAX = 10_000;

    /** Checks the numbers. */
    public AllocationPlan {
        jobs = List.copyOf(jobs);
        ranks = ranks.stream().distinct().sorted().toList();
        RangeCheck.check("nodes a site", nodes, 1, NODES_MAX);
        RangeCheck.check("slots a node", slots, 1, SLOTS_MAX);
        RangeCheck.check("repetitions", repetitions, 1, REPETITIONS_MAX);
        for (int count : ranks) {
            RangeCheck.check("ranks", count, 1, SITES.size() * nodes * slots);
        }
        if (!(roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) {
            throw new IllegalArgumentException(roundTripMs + " ms of round trip, expected 0 to " + ROUND_TRIP_MS_MAX);
        }
    }

    WanProfile profile() {
        return new WanProfile("allocation", SITES, Map.of(SITES, WanShape.of(roundTripMs / 2, 0)));
    }

    @Override
    public AllocationReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return AllocationBench.measure(this, watch);
    }
}
