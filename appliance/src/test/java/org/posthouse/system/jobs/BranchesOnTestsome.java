package org.posthouse.system.jobs;

import mpi.MPI;
import mpi.Request;
import mpi.Status;

/**
 * Rank 0 asks which of its receives are done, folds the answers, the empty ones too, in their order, and tells each sender
 * the fold. At the end it compares what each has with what it told. Arguments: rounds, and {@link Kills}.
 */
public final class BranchesOnTestsome {
    private BranchesOnTestsome() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own[1], rank);
        if (rank == 0) {
            asks(MPI.COMM_WORLD.Size() - 1, rounds, kills);
        } else {
            answers(rounds, kills);
        }
        MPI.Finalize();
    }

    private static void asks(int senders, int rounds, Kills kills) {
        long[][] message = new long[senders][1];
        Request[] receives = new Request[senders];
        long[] told = new long[senders];
        int[] came = new int[senders];
        for (int i = 0; i < senders; i++) {
            receives[i] = MPI.COMM_WORLD.Irecv(message[i], 0, 1, MPI.LONG, i + 1, 1);
        }
        long fold = 1;
        for (int left = senders * rounds; left > 0;) {
            Status[] done = Request.Testsome(receives);
            fold = 31 * fold + (done == null ? 0 : done.length);
            for (int i = 0; done != null && i < done.length; i++) {
                int index = done[i].index;
                kills.delivered();
                left--;
                fold = 31 * fold + 7 * message[index][0] + index;
                told[index] = 31 * told[index] + fold;
                MPI.COMM_WORLD.Send(new long[] {fold}, 0, 1, MPI.LONG, index + 1, 2);
                if (++came[index] < rounds) {
                    receives[index] = MPI.COMM_WORLD.Irecv(message[index], 0, 1, MPI.LONG, index + 1, 1);
                }
            }
        }
        for (int i = 0; i < senders; i++) {
            MPI.COMM_WORLD.Recv(message[i], 0, 1, MPI.LONG, i + 1, 3);
            if (message[i][0] != told[i]) {
                throw new IllegalStateException("rank " + (i + 1) + " has " + message[i][0] + ", was told " + told[i]);
            }
        }
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void answers(int rounds, Kills kills) {
        long[] fold = new long[1];
        long known = 0;
        for (int round = 0; round < rounds; round++) {
            MPI.COMM_WORLD.Send(new long[] {fold[0] + round}, 0, 1, MPI.LONG, 0, 1);
            MPI.COMM_WORLD.Recv(fold, 0, 1, MPI.LONG, 0, 2);
            kills.delivered();
            known = 31 * known + fold[0];
        }
        MPI.COMM_WORLD.Send(new long[] {known}, 0, 1, MPI.LONG, 0, 3);
    }
}
