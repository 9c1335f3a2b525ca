package org.posthouse.system.jobs;

import mpi.MPI;
import mpi.Status;

/**
 * A master that takes what comes from anybody and folds it in the order in which it comes; each worker gets the fold, and
 * what it sends next depends on it. So a master, or a worker, that is brought back in any other order finds at the end
 * that what the others have is not what it has given. Arguments: the rounds of each worker, and {@link Kills}.
 */
public final class MasterOfAny {
    private MasterOfAny() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int workers = MPI.COMM_WORLD.Size() - 1;
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own[1], rank);
        if (rank == 0) {
            master(workers, rounds, kills);
        } else {
            worker(rounds, kills);
        }
        MPI.Finalize();
    }

    private static void master(int workers, int rounds, Kills kills) {
        long[] message = new long[1];
        long[] given = new long[workers + 1];
        long fold = 1;
        for (int left = workers * rounds; left > 0; left--) {
            Status status = MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, MPI.ANY_SOURCE, 1);
            kills.delivered();
            fold = 31 * fold + 7 * message[0] + status.source;
            given[status.source] = 31 * given[status.source] + fold;
            MPI.COMM_WORLD.Send(new long[] {fold}, 0, 1, MPI.LONG, status.source, 2);
        }
        for (int worker = 1; worker <= workers; worker++) {
            MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, worker, 3);
            kills.delivered();
            if (message[0] != given[worker]) {
                throw new IllegalStateException("worker " + worker + " has " + message[0] + ", was given " + given[worker]);
            }
        }
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void worker(int rounds, Kills kills) {
        long[] fold = new long[1];
        long given = 0;
        for (int round = 0; round < rounds; round++) {
            MPI.COMM_WORLD.Send(new long[] {fold[0] ^ round}, 0, 1, MPI.LONG, 0, 1);
            MPI.COMM_WORLD.Recv(fold, 0, 1, MPI.LONG, 0, 2);
            kills.delivered();
            given = 31 * given + fold[0];
        }
        MPI.COMM_WORLD.Send(new long[] {given}, 0, 1, MPI.LONG, 0, 3);
    }
}
