package org.posthouse.system.jobs;

import mpi.MPI;

/** Ranks 0 and 1 receive from each other, and neither sends. */
public final class Deadlock {
    private Deadlock() {}

    public static void main(String[] args) {
        MPI.Init(args);
        int other = 1 - MPI.COMM_WORLD.Rank();
        MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, other, 1);
        MPI.Finalize();
    }
}
