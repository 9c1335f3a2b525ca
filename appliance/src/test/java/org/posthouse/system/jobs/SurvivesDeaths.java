package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Each round, all ranks agree by way of a sum; ranks die at set deliveries. The others agree, shrink, and repeat the round. At the end the ranks that are
 * left have made all rounds, and know of the same deaths. Arguments: the rounds, {@link Kills}, and maybe a {@link Point} and a file: ranks that come to
 * that point say so, and wait there until the file exists.
 */
public final class SurvivesDeaths {
    private enum Point {
        /** Before the first round. */
        STARTED,
        /** A call has failed because a rank is dead, and nothing was done about it. */
        TOLD,
        /** There is a communicator without the dead. */
        SHRUNK
    }

    private static Intracomm comm;
    private static Point stop;
    private static Path goOn;

    private SurvivesDeaths() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own.length > 1 ? own[1] : "", MPI.COMM_WORLD.Rank());
        if (own.length > 2) {
            stop = Point.valueOf(own[2]);
            goOn = Path.of(own[3]);
        }
        comm = MPI.COMM_WORLD;
        passed(Point.STARTED);
        for (int round = 0; round < rounds; round++) {
            while (!agreed(round(kills))) {
                comm = comm.shrink();
                passed(Point.SHRUNK);
            }
        }
        int[] members = new int[MPI.COMM_WORLD.Size()];
        int[] sum = new int[members.length];
        members[MPI.COMM_WORLD.Rank()] = 1;
        comm.Allreduce(members, 0, sum, 0, sum.length, MPI.INT, MPI.SUM);
        if (comm.Rank() == 0) {
            System.out.println("made " + rounds + " rounds; living: " + Arrays.toString(sum) + "; failed: " + MPI.COMM_WORLD.getFailed().Size());
        }
        MPI.Finalize();
    }

    /** Observes nothing that a log would have to have. */
    private static void passed(Point point) {
        if (point != stop) {
            return;
        }
        System.out.println(MPI.COMM_WORLD.Rank() + " is at " + point);
        try {
            while (!Files.exists(goOn)) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A ring: each gets from the one before it, once from a named source and once from any. */
    private static boolean round(Kills kills) {
        try {
            int size = comm.Size();
            int rank = comm.Rank();
            int[] own = {rank};
            int[] token = new int[1]; // Of its own: a receive whose message is there may be filled before the send is read.
            comm.Sendrecv(own, 0, 1, MPI.INT, (rank + 1) % size, 1, token, 0, 1, MPI.INT, (rank + size - 1) % size, 1);
            kills.delivered();
            comm.Send(token, 0, 1, MPI.INT, (rank + 1) % size, 2);
            comm.Recv(token, 0, 1, MPI.INT, MPI.ANY_SOURCE, 2);
            kills.delivered();
            comm.Barrier();
            return true;
        } catch (MPIException e) {
            if (e.getErrorClass() != MPI.ERR_PROC_FAILED && e.getErrorClass() != MPI.ERR_REVOKED) {
                throw e;
            }
            passed(Point.TOLD);
            comm.revoke();
            return false;
        }
    }

    private static boolean agreed(boolean here) {
        try {
            return comm.agree(here ? 1 : 0) == 1;
        } catch (MPIException e) {
            if (e.getErrorClass() != MPI.ERR_PROC_FAILED) {
                throw e;
            }
            return false;
        }
    }
}
