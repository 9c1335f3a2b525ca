package org.posthouse.system.jobs;

import mpi.MPI;

/** Rank 0 sends what no other process would: a clock of its own. Arguments: rounds, and {@link Kills}. */
public final class Diverges {
    private Diverges() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        Kills kills = new Kills(own[1], rank);
        long[] message = new long[1];
        for (int round = Integer.parseInt(own[0]); round > 0; round--) {
            if (rank == 0) {
                message[0] = System.nanoTime();
                MPI.COMM_WORLD.Send(message, 0, 1, MPI.LONG, 1, 1);
                MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 1, 2);
                kills.delivered();
            } else {
                MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 0, 1);
                MPI.COMM_WORLD.Send(message, 0, 1, MPI.LONG, 0, 2);
            }
        }
        MPI.Finalize();
    }
}
