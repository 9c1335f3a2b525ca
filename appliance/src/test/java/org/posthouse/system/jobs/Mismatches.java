package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 0 does not do what the others do: args[0] says how. */
public final class Mismatches {
    private Mismatches() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int[] value = new int[1];
        MPI.COMM_WORLD.Barrier();
        boolean zero = MPI.COMM_WORLD.Rank() == 0;
        if (own[0].equals("reduce") && zero) {
            MPI.COMM_WORLD.Reduce(value, 0, value.clone(), 0, 1, MPI.INT, MPI.SUM, 0);
        } else if (own[0].equals("reduce")) {
            MPI.COMM_WORLD.Bcast(value, 0, 1, MPI.INT, 0);
        } else {
            finalizeEarly(zero);
        }
        MPI.Finalize();
    }

    /** By then the collectives' messages come unasked: only the ranks know whom they wait for. */
    private static void finalizeEarly(boolean zero) {
        for (int i = 0; i < 20; i++) {
            MPI.COMM_WORLD.Barrier();
        }
        if (!zero) {
            MPI.COMM_WORLD.Barrier();
        }
    }
}
