package org.posthouse.system.jobs;

import mpi.Checkpoint;
import mpi.MPI;

/**
 * Two ranks that send each other messages of 64 KiB, both ways, and can be saved behind each; what they have got is folded, and
 * compared at the end with what the other has sent. Further ranks leave at once. Arguments: messages each way, and {@link Kills}.
 */
public final class PoursThrough {
    private static final int LONGS = 8 << 10;

    private PoursThrough() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int messages = Integer.parseInt(own[0]);
        int rank = MPI.COMM_WORLD.Rank();
        if (rank > 1) {
            MPI.Finalize();
            return;
        }
        Kills kills = new Kills(own[1], rank);
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> next = checkpoint.register("next", 0);
        long[] folds = {1, 1};
        checkpoint.register("folds", folds);
        checkpoint.restored();
        long[] out = new long[LONGS];
        long[] in = new long[LONGS];
        for (; next.get() < messages; next.set(next.get() + 1)) {
            checkpoint.point();
            for (int i = 0; i < LONGS; i++) {
                out[i] = folds[1] + (long) i * next.get();
            }
            MPI.COMM_WORLD.Sendrecv(out, 0, LONGS, MPI.LONG, 1 - rank, 1, in, 0, LONGS, MPI.LONG, 1 - rank, 1);
            kills.delivered();
            folds[0] = fold(folds[0], out);
            folds[1] = fold(folds[1], in);
        }
        long[] other = new long[1];
        MPI.COMM_WORLD.Sendrecv(folds, 0, 1, MPI.LONG, 1 - rank, 2, other, 0, 1, MPI.LONG, 1 - rank, 2);
        if (other[0] != folds[1]) {
            throw new IllegalStateException("rank " + rank + " has got " + folds[1] + ", was sent " + other[0]);
        }
        if (rank == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    private static long fold(long fold, long[] message) {
        long result = fold;
        for (long word : message) {
            result = 31 * result + word;
        }
        return result;
    }
}
