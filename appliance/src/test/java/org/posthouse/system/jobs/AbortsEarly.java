package org.posthouse.system.jobs;

import mpi.MPI;
import org.posthouse.mpj.Endpoints;

/** Rank 1 calls Abort(7) while rank 0 is still far from Init. */
public final class AbortsEarly {
    private static final int LATE_MS = 700;

    private AbortsEarly() {}

    public static void main(String[] args) throws InterruptedException {
        if (System.getenv(Endpoints.RANK).equals("0")) {
            Thread.sleep(LATE_MS);
        }
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 1) {
            MPI.COMM_WORLD.Abort(7);
        }
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
