package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;

/** A number goes round all ranks, each of which adds one to it, until the file in args[0] exists. */
public final class Circles {
    private static final int TAG = 3;
    private static final long END = -1;

    private Circles() {}

    public static void main(String[] args) {
        Path end = Path.of(MPI.Init(args)[0]);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        long[] number = new long[1];
        if (rank > 0) {
            do {
                MPI.COMM_WORLD.Recv(number, 0, 1, MPI.LONG, rank - 1, TAG);
                if (number[0] != END) {
                    number[0]++;
                }
                MPI.COMM_WORLD.Send(number, 0, 1, MPI.LONG, (rank + 1) % size, TAG);
            } while (number[0] != END);
        } else {
            for (long rounds = 1; !Files.exists(end); rounds++) {
                number[0]++;
                round(number, size);
                if (number[0] != rounds * size) {
                    throw new IllegalStateException("round " + rounds + " ended with " + number[0] + ", expected " + rounds * size);
                }
            }
            number[0] = END;
            round(number, size);
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    private static void round(long[] number, int size) {
        MPI.COMM_WORLD.Sendrecv_replace(number, 0, 1, MPI.LONG, 1, TAG, size - 1, TAG);
    }
}
