package org.posthouse.system.jobs;

import mpi.MPI;
import mpi.Request;

/** Three ranks wait for each other, each in another call, for ever. */
public final class StandsStill {
    private static final int TAG = 7;

    private StandsStill() {}

    public static void main(String[] args) {
        MPI.Init(args);
        byte[] one = new byte[1];
        int next = (MPI.COMM_WORLD.Rank() + 1) % MPI.COMM_WORLD.Size();
        switch (MPI.COMM_WORLD.Rank()) {
            case 0 -> MPI.COMM_WORLD.Recv(one, 0, 1, MPI.BYTE, next, TAG);
            case 1 -> Request.Waitall(new Request[] {
                MPI.COMM_WORLD.Isend(one, 0, 1, MPI.BYTE, next, TAG), MPI.COMM_WORLD.Irecv(one, 0, 1, MPI.BYTE, next, TAG)
            });
            default -> MPI.COMM_WORLD.sSend(one, 1, MPI.BYTE, next, TAG + 1);
        }
        MPI.Finalize();
    }
}
