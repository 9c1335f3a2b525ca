package org.posthouse.system.jobs;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Rank 0 duplicates a communicator where the others broadcast, some of them later; all catch what comes of it and go on. */
public final class CaughtMismatch {
    private static final int LATE_MS = 3_000;

    private CaughtMismatch() {}

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        Intracomm other = MPI.COMM_WORLD.dup();
        if (rank > 1) {
            Thread.sleep(LATE_MS);
        }
        try {
            if (rank == 0) {
                other.Dup();
            } else {
                other.Bcast(new int[1], 0, 1, MPI.INT, 0);
            }
        } catch (MPIException e) {
            System.out.println(rank + " caught " + e.getMessage());
        }
        MPI.COMM_WORLD.Barrier();
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
