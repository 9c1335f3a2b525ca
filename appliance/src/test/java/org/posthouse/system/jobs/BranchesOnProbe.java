package org.posthouse.system.jobs;

import mpi.MPI;
import mpi.Status;

/**
 * Rank 0 asks whether something has come until it has, and tells the sender how often it asked in vain; the sender waits as
 * long as that says. At the end both compare what they know of it. Arguments: rounds, and {@link Kills}.
 */
public final class BranchesOnProbe {
    private BranchesOnProbe() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own[1], MPI.COMM_WORLD.Rank());
        if (MPI.COMM_WORLD.Rank() == 0) {
            prober(rounds, kills);
        } else {
            sender(rounds, kills);
        }
        MPI.Finalize();
    }

    private static void prober(int rounds, Kills kills) {
        long[] message = new long[1];
        long fold = 0;
        for (int round = 0; round < rounds; round++) {
            long failures = 0;
            Status status = MPI.COMM_WORLD.Iprobe(MPI.ANY_SOURCE, 1);
            while (status == null) {
                failures++;
                status = MPI.COMM_WORLD.Iprobe(MPI.ANY_SOURCE, 1);
            }
            MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, status.source, 1);
            kills.delivered();
            fold = 31 * fold + failures + message[0];
            MPI.COMM_WORLD.Send(new long[] {failures}, 0, 1, MPI.LONG, status.source, 2);
        }
        MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 1, 3);
        if (message[0] != fold) {
            throw new IllegalStateException("the sender knows " + message[0] + ", told was " + fold);
        }
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void sender(int rounds, Kills kills) {
        long[] failures = new long[1];
        long fold = 0;
        for (int round = 0; round < rounds; round++) {
            long pause = System.nanoTime() + 1_000 * (50 + failures[0] % 7 * 100);
            while (System.nanoTime() < pause) {
                Thread.onSpinWait();
            }
            MPI.COMM_WORLD.Send(new long[] {round}, 0, 1, MPI.LONG, 0, 1);
            MPI.COMM_WORLD.Recv(failures, 0, 1, MPI.LONG, 0, 2);
            kills.delivered();
            fold = 31 * fold + failures[0] + round;
        }
        MPI.COMM_WORLD.Send(new long[] {fold}, 0, 1, MPI.LONG, 0, 3);
    }
}
