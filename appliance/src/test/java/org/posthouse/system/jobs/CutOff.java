package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;
import mpi.Request;

/**
 * Ranks of two sites, half of them at each, that send each other messages while the link between the sites is cut, and pour through
 * messages of 64 KiB to their neighbours at the same site meanwhile. Arguments: a file that is there once the link is cut, MiB to each neighbour.
 */
public final class CutOff {
    private static final int FAR = 40;
    private static final int LONGS = 8 << 10;

    private CutOff() {}

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int half = MPI.COMM_WORLD.Size() / 2;
        int far = (rank + half) % (2 * half);
        int near = rank ^ 1;
        MPI.COMM_WORLD.Barrier();
        System.out.println("rank " + rank + " is ready");
        while (!Files.exists(Path.of(own[0]))) {
            Thread.sleep(10);
        }
        Request[] sent = new Request[FAR];
        for (int i = 0; i < FAR; i++) {
            long[] letter = {rank * 1_000L + i};
            sent[i] = MPI.COMM_WORLD.Isend(letter, 0, 1, MPI.LONG, far, 1);
        }
        long[] out = new long[LONGS];
        long[] in = new long[LONGS];
        for (int i = 0; i < Integer.parseInt(own[1]) * 16; i++) {
            out[0] = rank + i;
            out[LONGS - 1] = rank - i;
            MPI.COMM_WORLD.Sendrecv(out, 0, LONGS, MPI.LONG, near, 2, in, 0, LONGS, MPI.LONG, near, 2);
            check(in[0], near + i);
            check(in[LONGS - 1], near - i);
        }
        System.out.println("rank " + rank + " is done with its neighbour");
        long[] sum = new long[1];
        MPI.COMM_WORLD.Allreduce(new long[] {rank}, 0, sum, 0, 1, MPI.LONG, MPI.SUM);
        check(sum[0], (long) half * (2 * half - 1));
        for (int i = 0; i < FAR; i++) {
            MPI.COMM_WORLD.Recv(in, 0, 1, MPI.LONG, far, 1);
            check(in[0], far * 1_000L + i);
        }
        Request.Waitall(sent);
        MPI.COMM_WORLD.Barrier();
        if (rank == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    private static void check(long is, long expected) {
        if (is != expected) {
            throw new IllegalStateException(is + " has come, expected " + expected);
        }
    }
}
