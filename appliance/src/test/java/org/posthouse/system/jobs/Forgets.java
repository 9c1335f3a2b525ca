package org.posthouse.system.jobs;

import mpi.MPI;

/** Does not endure to be started again: its ranks go on only in the first process that they have. */
public final class Forgets {
    private static final int ROUNDS = 5_000;

    private Forgets() {}

    public static void main(String[] args) {
        MPI.Init(args);
        if (!"1".equals(System.getenv("POSTHOUSE_INCARNATION"))) {
            throw new IllegalStateException("incarnation " + System.getenv("POSTHOUSE_INCARNATION") + ", and all is forgotten");
        }
        int[] number = new int[1];
        for (int round = 0; round < ROUNDS; round++) {
            MPI.COMM_WORLD.Allreduce(new int[] {1}, 0, number, 0, 1, MPI.INT, MPI.SUM);
        }
        if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }
}
