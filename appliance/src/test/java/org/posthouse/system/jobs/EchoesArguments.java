package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 0 prints its own arguments. */
public final class EchoesArguments {
    private EchoesArguments() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println(String.join("|", own));
        }
        MPI.Finalize();
    }
}
