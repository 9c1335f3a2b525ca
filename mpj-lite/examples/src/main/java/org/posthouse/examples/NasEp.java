package org.posthouse.examples;

import java.util.Arrays;
import mpi.MPI;

/**
 * NAS EP, the "embarrassingly parallel" benchmark: much arithmetic, and three reductions at the end.
 *
 * <p>The random pairs come in numbered batches; rank r takes the batches r, r+size, r+2·size…, each from its own place
 * in the one random sequence. So any number of ranks computes the same numbers, and the sums must agree with the
 * published ones.
 *
 * <p>Arguments: {@code [class]}, S (2²⁴ pairs, the default), W (2²⁵) or A (2²⁸).
 */
public final class NasEp {

    private static final int ROOT = 0;

    private NasEp() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        EpClass problem = Arguments.sharedProblemClass("nas-ep", MPI.Init(args), EpClass.S);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        Stopwatch watch = Stopwatch.start(MPI.COMM_WORLD);
        EpTally tally = new EpTally();
        for (int batch = rank; batch < problem.batches(); batch += size) {
            tally.addBatch(batch);
        }
        double[] sums = new double[2];
        long[] counts = new long[EpTally.RINGS];
        MPI.COMM_WORLD.Allreduce(tally.sums(), 0, sums, 0, sums.length, MPI.DOUBLE, MPI.SUM);
        MPI.COMM_WORLD.Allreduce(tally.counts(), 0, counts, 0, counts.length, MPI.LONG, MPI.SUM);

        double seconds = watch.slowest();
        if (rank == ROOT) {
            report(problem, sums, counts, size, seconds);
        }
        MPI.Finalize();
    }

    private static void report(EpClass problem, double[] sums, long[] counts, int ranks, double seconds) {
        long pairs = Arrays.stream(counts).sum();
        double operations = (double) problem.randomNumbers();
        Report.nas("EP", problem, problem.randomNumbers(), ranks, seconds, operations);
        Report.line("Gaussian pairs: %d", pairs);
        Report.line("Sums: %.15e %.15e", sums[0], sums[1]);
        for (int ring = 0; ring < counts.length; ring++) {
            Report.line("Count %d: %d", ring, counts[ring]);
        }
        Report.verdict(problem.verifies(sums, pairs));
    }
}
