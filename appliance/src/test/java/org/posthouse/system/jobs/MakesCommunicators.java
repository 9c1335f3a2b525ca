package org.posthouse.system.jobs;

import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/**
 * Communicators that are made while a collective of the old one is under way in another thread, by all of its processes or by some of them. Which of the
 * two threads is first is a matter of time, and must not matter to a process that is brought back. Arguments: the rounds, and {@link Kills}.
 */
public final class MakesCommunicators {
    /** So many times in each round, as one may go well by chance. */
    private static final int TIMES = 10;

    private static final int BLOCK = 500;

    private MakesCommunicators() {}

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own[1], rank);
        Intercomm pair = MPI.COMM_WORLD.createIntercomm(MPI.COMM_WORLD.split(rank == 0 ? 0 : 1, 0), 0, rank == 0 ? 1 : 0, 0);
        for (int round = 0; round < rounds; round++) {
            for (int time = 0; time < TIMES; time++) {
                ofSome((round + time) % MPI.COMM_WORLD.Size());
                ofBothGroups(pair, round * TIMES + time);
            }
            kills.delivered();
        }
        if (rank == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    private static void ofSome(int without) {
        Intracomm world = MPI.COMM_WORLD;
        int[] all = new int[BLOCK * world.Size()];
        int[] own = new int[BLOCK];
        own[BLOCK - 1] = world.Rank() + without;
        Request gathered = world.iAllGather(own, BLOCK, MPI.INT, all, BLOCK, MPI.INT);
        if (world.Rank() != without) {
            Intracomm part = world.createGroup(world.Group().Excl(new int[] {without}), 5);
            expect(world.Size() - 1, part.Size());
            part.free();
        }
        gathered.waitFor();
        for (int rank = 0; rank < world.Size(); rank++) {
            expect(rank + without, all[(rank + 1) * BLOCK - 1]);
        }
    }

    private static void ofBothGroups(Intercomm pair, int value) {
        int[] sum = new int[1];
        Request summed = pair.iAllReduce(new int[] {value}, sum, 1, MPI.INT, MPI.SUM);
        Intercomm copy = pair.dup();
        summed.waitFor();
        expect(value * pair.Remote_size(), sum[0]);
        copy.free();
    }

    private static void expect(int expected, int found) {
        if (found != expected) {
            throw new IllegalStateException("found " + found + ", expected " + expected);
        }
    }
}
