package org.posthouse.bench.replicas;

import java.io.IOException;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Durability;

/**
 * The plan of {@code bench replicas --pause}.
 *
 * @param degrees processes of each rank, in order; 1, whose killed rank is restarted from its log, is among them
 * @param durability of all jobs
 * @param kills of each degree, each in a job of its own
 */
public record PausePlan(List<Integer> degrees, Durability durability, int kills) implements Experiment<PauseReport> {
    private static final int KILLS_MAX = 10_000;

    /** Checks the numbers. */
    public PausePlan {
        degrees = ReplicasPlan.degrees(degrees);
        if (durability == Durability.NONE) {
            throw new IllegalArgumentException("a killed rank of a job with --durability none is not restarted, which is compared with: process or host");
        }
        RangeCheck.check("kills", kills, 1, KILLS_MAX);
    }

    @Override
    public PauseReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return PauseBench.measure(this, watch);
    }
}
