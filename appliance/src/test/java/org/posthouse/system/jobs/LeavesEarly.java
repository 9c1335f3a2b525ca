package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 1 returns from main without Finalize; the others wait for it. */
public final class LeavesEarly {
    private LeavesEarly() {}

    public static void main(String[] args) {
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 1) {
            return;
        }
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
