package org.posthouse.conformance;

import java.nio.IntBuffer;
import java.util.stream.IntStream;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;

/** Collectives between two groups (MPI-2, 7.3): even ranks and odd ones. At one rank there is nobody to talk to. */
final class IntercommunicatorCollectives {
    private static final int TAG = 21;

    private IntercommunicatorCollectives() {}

    /** What a case does with a communicator of both groups. */
    private interface Body {
        /** @param even whether the calling rank is in the first group */
        void run(Intercomm both, boolean even);
    }

    private static void between(Intracomm world, Body body) {
        if (world.Size() > 1) {
            boolean even = world.Rank() % 2 == 0;
            Intracomm local = world.Split(world.Rank() % 2, 0);
            Intercomm both = world.Create_intercomm(local, 0, even ? 1 : 0, TAG);
            body.run(both, even);
            both.Free();
            local.Free();
        }
    }

    /** The root is the first even rank. */
    private static int root(Intercomm both, boolean even) {
        return !even ? 0 : both.Rank() == 0 ? MPI.ROOT : MPI.PROC_NULL;
    }

    /** World ranks of the other group. */
    private static IntStream others(Intercomm both, boolean even) {
        return IntStream.range(0, both.Remote_size()).map(i -> 2 * i + (even ? 1 : 0));
    }

    static void broadcastToTheOtherGroup(Intracomm world) {
        between(world, (both, even) -> {
            int[] buffer = {world.Rank() == 0 ? 77 : 5};
            both.bcast(buffer, 1, MPI.INT, root(both, even));
            Check.equal("broadcast", buffer[0], world.Rank() == 0 || !even ? 77 : 5);
            IntBuffer readOnly = IntBuffer.allocate(1).asReadOnlyBuffer();
            if (!even) {
                Check.error(MPI.ERR_BUFFER, "bcast", () -> both.bcast(readOnly, 1, MPI.INT, 0));
            }
        });
    }

    static void gatherFromTheOtherGroup(Intracomm world) {
        between(world, (both, even) -> {
            int[] in = new int[both.Remote_size()];
            both.gather(new int[] {world.Rank()}, 1, MPI.INT, in, 1, MPI.INT, root(both, even));
            if (world.Rank() == 0) {
                Check.equal("gathered", in, others(both, even).toArray());
            }
        });
    }

    static void reductionOfTheOtherGroup(Intracomm world) {
        between(world, (both, even) -> {
            int[] in = new int[1];
            both.allReduce(new int[] {world.Rank()}, in, 1, MPI.INT, MPI.SUM);
            Check.equal("sum", in[0], others(both, even).sum());
            both.reduce(new int[] {1}, in, 1, MPI.INT, MPI.SUM, root(both, even));
            if (world.Rank() == 0) {
                Check.equal("sum at the root", in[0], both.Remote_size());
            }
        });
    }

    static void exchangeWithTheOtherGroup(Intracomm world) {
        between(world, (both, even) -> {
            int[] all = new int[both.Remote_size()];
            both.allGather(new int[] {world.Rank()}, 1, MPI.INT, all, 1, MPI.INT);
            Check.equal("gathered", all, others(both, even).toArray());
            int[] out = others(both, even).map(to -> 100 * world.Rank() + to).toArray();
            both.allToAll(out, 1, MPI.INT, all, 1, MPI.INT);
            Check.equal("exchanged", all, others(both, even).map(from -> 100 * from + world.Rank()).toArray());
            both.iBarrier().waitFor();
        });
    }

    static void ownBlocksAreOfOneGroup(Intracomm world) {
        between(world, (both, even) -> {
            int[] all = new int[both.Remote_size()];
            int[] ones = new int[both.Remote_size()];
            Check.error(both, MPI.ERR_COMM, "allGather", () -> both.allGather(all, 1, MPI.INT));
            Check.error(both, MPI.ERR_COMM, "iAllGather", () -> both.iAllGather(all, 1, MPI.INT));
            Check.error(both, MPI.ERR_COMM, "allGatherv", () -> both.allGatherv(all, ones, ones, MPI.INT));
            Check.error(both, MPI.ERR_COMM, "gatherv", () -> both.gatherv(all, ones, ones, MPI.INT, root(both, even)));
            Check.error(both, MPI.ERR_COMM, "gatherv", () -> both.gatherv(all, ones, ones, MPI.INT, 0));
            Check.error(both, MPI.ERR_COMM, "scatterv", () -> both.scatterv(all, ones, ones, MPI.INT, 0));
        });
    }
}
