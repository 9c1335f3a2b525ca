package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 1 calls Abort with the status in args[0]; the others wait for it. */
public final class Aborts {
    private Aborts() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 1) {
            MPI.COMM_WORLD.Abort(Integer.parseInt(own[0]));
        }
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
