package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 2 throws; the others wait for it. */
public final class Throws {
    private Throws() {}

    public static void main(String[] args) {
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 2) {
            throw new IllegalStateException("the fuse blew");
        }
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
