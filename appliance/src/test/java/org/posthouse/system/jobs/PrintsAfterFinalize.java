package org.posthouse.system.jobs;

import mpi.MPI;

/** Each rank prints a line after Finalize, unless it is killed before. Argument: {@link Kills}, of which Finalize counts as the first delivery. */
public final class PrintsAfterFinalize {
    private PrintsAfterFinalize() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
        new Kills(own[0], rank).delivered();
        System.out.println("Verification: SUCCESSFUL of rank " + rank);
    }
}
