package org.posthouse.examples;

import mpi.MPI;

/**
 * Computes pi as the area under 4/(1+x²) between 0 and 1: the "hello world" of message passing.
 *
 * <p>The unit interval is cut into {@code n} strips; rank r takes the strips r, r+size, r+2·size… and measures each
 * in its middle. One broadcast tells everybody {@code n}, one reduction adds the partial sums up.
 *
 * <p>Arguments: {@code [intervals]}, 10,000,000 if not given.
 */
public final class Pi {

    private static final int ROOT = 0;

    private Pi() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        long[] intervals = new long[1];
        if (rank == ROOT) {
            intervals[0] = new Arguments("pi", words).number(0, "intervals", 10_000_000, 1, 10_000_000_000L);
        }
        MPI.COMM_WORLD.Bcast(intervals, 0, 1, MPI.LONG, ROOT);

        double start = MPI.Wtime();
        double[] share = {area(intervals[0], rank, size)};
        double[] pi = new double[1];
        MPI.COMM_WORLD.Reduce(share, 0, pi, 0, 1, MPI.DOUBLE, MPI.SUM, ROOT);
        double seconds = MPI.Wtime() - start;

        if (rank == ROOT) {
            double error = Math.abs(pi[0] - Math.PI);
            double bound = errorBound(intervals[0]);
            Report.line("pi is about %.15f (%d intervals, %d ranks, %.3f s)", pi[0], intervals[0], size, seconds);
            Report.line("error %.2e, allowed %.2e", error, bound);
            Report.verdict(error < bound);
        }
        MPI.Finalize();
    }

    /** The area of the strips {@code first}, {@code first + stride}, … of {@code intervals} strips in all. */
    static double area(long intervals, int first, int stride) {
        double width = 1.0 / intervals;
        double heights = 0;
        for (long strip = first; strip < intervals; strip += stride) {
            double x = (strip + 0.5) * width;
            heights += 4.0 / (1.0 + x * x);
        }
        return heights * width;
    }

    /** The midpoint rule errs by about 1/(12n²) here; the rest is for rounding. */
    static double errorBound(long intervals) {
        return 1e-9 + 0.1 / intervals / intervals;
    }
}
