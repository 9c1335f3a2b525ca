package org.posthouse.system.jobs;

import java.util.Arrays;
import mpi.MPI;

/** Rank 0 comes to a broadcast so late that the others have said they are blocked, and finalizes at once. */
public final class LateRoot {
    private static final int LATE_MS = 4_500;

    private LateRoot() {}

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        byte[] bytes = new byte[4 << 20];
        if (MPI.COMM_WORLD.Rank() == 0) {
            Thread.sleep(LATE_MS);
            Arrays.fill(bytes, (byte) 7);
        }
        MPI.COMM_WORLD.Bcast(bytes, 0, bytes.length, MPI.BYTE, 0);
        if (bytes[bytes.length - 1] != 7) {
            throw new IllegalStateException("rank " + MPI.COMM_WORLD.Rank() + " got " + bytes[bytes.length - 1]);
        }
        MPI.Finalize();
    }
}
