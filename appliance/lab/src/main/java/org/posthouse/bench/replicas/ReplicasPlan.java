package org.posthouse.bench.replicas;

import java.io.IOException;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.Replicas;
import org.posthouse.wire.Durability;

/**
 * The plan of {@code bench replicas}.
 *
 * @param degrees processes of each rank, in order; 1, which the others are compared with, is among them
 * @param sizes of messages in bytes, ascending
 * @param durability of all jobs
 * @param repetitions measured phases of each line of the report
 * @param phaseMs approximate length of a phase with degree 1; the others do the same number of round trips
 */
public record ReplicasPlan(List<Integer> degrees, List<Integer> sizes, Durability durability, int repetitions, int phaseMs)
        implements Experiment<ReplicasReport> {
    static final int RANKS = 2;

    private static final int REPETITIONS_MAX = 1_000;
    private static final int PHASE_MS_MAX = 60_000;

    /** Checks the numbers. */
    public ReplicasPlan {
        degrees = degrees(degrees);
        sizes = List.copyOf(sizes);
        RangeCheck.check("repetitions", repetitions, 1, REPETITIONS_MAX);
        RangeCheck.check("ms a phase", phaseMs, 1, PHASE_MS_MAX);
    }

    /** In order, each once. @throws IllegalArgumentException if one is none, or 1 is not among them */
    static List<Integer> degrees(List<Integer> asked) {
        List<Integer> degrees = asked.stream().distinct().sorted().toList();
        for (int degree : degrees) {
            RangeCheck.check("processes of a rank", degree, 1, Replicas.DEGREE_MAX);
        }
        if (!degrees.contains(1)) {
            throw new IllegalArgumentException("degrees " + degrees + " without 1, which the others are compared with");
        }
        return degrees;
    }

    /** All phases, unmeasured ones included. */
    int phases() {
        return sizes.size() * degrees.size() * (repetitions + 1);
    }

    @Override
    public ReplicasReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return ReplicasBench.measure(this, watch);
    }
}
