package org.posthouse.system.jobs;

import java.util.Arrays;
import mpi.MPI;
import mpi.Status;

/**
 * Every rank sends rank 0 a short message and a long one, which takes them as they come, from anybody; then rank 0 sends each
 * a long one, and rank 0 says so once every byte was right. Long enough that it is offered, and sent as it is cleared.
 */
public final class Exchanges {
    private static final int SHORT = 1;
    private static final int LONG = 2;
    private static final int LONG_BYTES = 3_000_000;

    private Exchanges() {}

    public static void main(String[] args) {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        byte[] longest = new byte[LONG_BYTES];
        if (rank > 0) {
            Arrays.fill(longest, (byte) rank);
            MPI.COMM_WORLD.Send(longest, 0, 1, MPI.BYTE, 0, SHORT);
            MPI.COMM_WORLD.Send(longest, 0, LONG_BYTES, MPI.BYTE, 0, LONG);
            MPI.COMM_WORLD.Recv(longest, 0, LONG_BYTES, MPI.BYTE, 0, LONG);
            check(longest, LONG_BYTES, 100 + rank);
        } else {
            int others = MPI.COMM_WORLD.Size() - 1;
            boolean[] shortCame = new boolean[others + 1];
            for (int left = 2 * others; left > 0; left--) {
                Status status = MPI.COMM_WORLD.Recv(longest, 0, LONG_BYTES, MPI.BYTE, MPI.ANY_SOURCE, MPI.ANY_TAG);
                int from = status.source;
                check(longest, status.tag == SHORT ? 1 : LONG_BYTES, from);
                if (shortCame[from] != (status.tag == LONG)) {
                    throw new IllegalStateException("tag " + status.tag + " of rank " + from + " came out of order");
                }
                shortCame[from] = true;
            }
            for (int to = 1; to <= others; to++) {
                Arrays.fill(longest, (byte) (100 + to));
                MPI.COMM_WORLD.Send(longest, 0, LONG_BYTES, MPI.BYTE, to, LONG);
            }
        }
        MPI.COMM_WORLD.Barrier();
        if (rank == 0) {
            System.out.println("all exchanged");
        }
        MPI.Finalize();
    }

    private static void check(byte[] bytes, int count, int expected) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] != expected) {
                throw new IllegalStateException("byte " + i + " is " + bytes[i] + ", expected " + expected);
            }
        }
    }
}
