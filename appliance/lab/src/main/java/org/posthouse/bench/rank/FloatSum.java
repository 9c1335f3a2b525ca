package org.posthouse.bench.rank;

import java.util.Arrays;
import mpi.MPI;

/** Reduce and Allreduce of floats with SUM. The summands are small whole numbers, so that every order gives the same sum. */
final class FloatSum implements BenchOperation {
    private static final int CYCLE = 1_000;

    private final int rank;
    private final int ranks;
    private final boolean toAll;
    private final float[] out;
    private final float[] in;

    /** @param toAll Allreduce, else Reduce to a root that moves on */
    FloatSum(int rank, int ranks, int bytes, boolean toAll) {
        this.rank = rank;
        this.ranks = ranks;
        this.toAll = toAll;
        this.out = new float[bytes / Float.BYTES];
        this.in = new float[out.length];
    }

    @Override
    public void run(int iteration) {
        if (toAll) {
            MPI.COMM_WORLD.Allreduce(out, 0, in, 0, out.length, MPI.FLOAT, MPI.SUM);
        } else {
            MPI.COMM_WORLD.Reduce(out, 0, in, 0, out.length, MPI.FLOAT, MPI.SUM, iteration % ranks);
        }
    }

    @Override
    public void fill() {
        for (int i = 0; i < out.length; i++) {
            out[i] = rank + i % CYCLE;
        }
        Arrays.fill(in, -1);
    }

    @Override
    public String fault(int iteration) {
        if (!toAll && rank != iteration % ranks) {
            return "";
        }
        float sumOfRanks = ranks * (ranks - 1) / 2f;
        for (int i = 0; i < in.length; i++) {
            float expected = sumOfRanks + (float) ranks * (i % CYCLE);
            if (in[i] != expected) {
                return BenchOperation.fault("float", i, in[i], expected);
            }
        }
        return "";
    }
}
