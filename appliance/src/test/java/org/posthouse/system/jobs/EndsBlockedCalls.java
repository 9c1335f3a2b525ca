package org.posthouse.system.jobs;

import java.util.List;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Rank 0 revokes a communicator in which the others are blocked: rank 1 in one call after the other, of seven kinds, each on a communicator of its own. Rank 2
 * receives nothing.
 */
public final class EndsBlockedCalls {
    private static final int LONG = 1 << 20;

    private interface Call {
        void run(Intracomm comm);
    }

    private EndsBlockedCalls() {}

    public static void main(String[] args) {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        List<Call> calls = List.of(
                comm -> comm.Recv(new int[1], 0, 1, MPI.INT, 2, 1),
                comm -> comm.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 1),
                comm -> comm.Ssend(new int[1], 0, 1, MPI.INT, 2, 1),
                comm -> comm.Send(new byte[LONG], 0, LONG, MPI.BYTE, 2, 1),
                comm -> comm.Probe(2, 1),
                comm -> Request.Waitall(new Request[] {comm.Irecv(new int[1], 0, 1, MPI.INT, 2, 1), comm.Isend(new byte[LONG], 0, LONG, MPI.BYTE, 2, 2)}),
                Intracomm::Barrier);
        int ended = 0;
        for (Call call : calls) {
            Intracomm comm = MPI.COMM_WORLD.Dup();
            if (rank == 1) {
                MPI.COMM_WORLD.Send(new int[1], 0, 1, MPI.INT, 0, 9);
                ended += endsRevoked(call, comm) ? 1 : 0;
            } else if (rank == 0) {
                MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 9);
                sleep();
                comm.revoke();
            }
            MPI.COMM_WORLD.Barrier();
            if (!comm.isRevoked()) {
                throw new IllegalStateException("rank " + rank + " was not told");
            }
            comm.free();
        }
        if (rank == 1) {
            System.out.println("ended " + ended + " of " + calls.size());
        }
        MPI.Finalize();
    }

    /** So that the other rank is most likely inside the call; the result is the same if it is not. */
    private static void sleep() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean endsRevoked(Call call, Intracomm comm) {
        try {
            call.run(comm);
            return false;
        } catch (MPIException e) {
            return e.getErrorClass() == MPI.ERR_REVOKED;
        }
    }
}
