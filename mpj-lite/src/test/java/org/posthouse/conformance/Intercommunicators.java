package org.posthouse.conformance;

import java.util.stream.IntStream;
import mpi.Comm;
import mpi.Group;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;

/** Two groups that talk to each other: even ranks and odd ones. At one rank there is nobody to talk to. */
final class Intercommunicators {
    private static final int TAG = 13;

    private Intercommunicators() {}

    private static boolean even(Intracomm world) {
        return world.Rank() % 2 == 0;
    }

    private static int remoteSize(Intracomm world) {
        return even(world) ? world.Size() / 2 : (world.Size() + 1) / 2;
    }

    /** What a case does with a communicator of both groups. */
    private interface Body {
        void run(Intracomm local, Intercomm both);
    }

    private static void between(Intracomm world, Body body) {
        if (world.Size() == 1) {
            return;
        }
        Intracomm local = world.Split(world.Rank() % 2, 0);
        Intercomm both = world.Create_intercomm(local, 0, even(world) ? 1 : 0, TAG);
        body.run(local, both);
        both.Free();
        local.Free();
    }

    static void whoIsInThem(Intracomm world) {
        between(world, (local, both) -> {
            Comm comm = both;
            Check.that(comm.Test_inter() && comm.isInter(), "it is an intercommunicator");
            Check.equal("rank", comm.Rank(), world.Rank() / 2);
            Check.equal("size", comm.Size(), local.Size());
            Check.equal("remote size", both.Remote_size(), remoteSize(world));
            Check.equal("remote size", both.getRemoteSize(), remoteSize(world));
            int[] ranks = IntStream.range(0, both.Remote_size()).toArray();
            int[] expected = IntStream.of(ranks).map(i -> 2 * i + (even(world) ? 1 : 0)).toArray();
            Check.equal("remote group", Group.Translate_ranks(both.Remote_group(), ranks, world.Group()), expected);
            Check.equal("remote group", Group.Translate_ranks(both.getRemoteGroup(), ranks, world.Group()), expected);
            Check.equal("itself", Comm.Compare(both, both), MPI.IDENT);
            Check.equal("one group and two", Comm.Compare(both, local), MPI.UNEQUAL);
        });
    }

    static void messagesGoToTheOtherGroup(Intracomm world) {
        between(world, (local, both) -> {
            for (int to = 0; to < both.Remote_size(); to++) {
                both.Send(new int[] {world.Rank()}, 0, 1, MPI.INT, to, TAG);
            }
            for (int from = 0; from < both.Remote_size(); from++) {
                int[] in = new int[1];
                Check.equal("source", both.Recv(in, 0, 1, MPI.INT, from, TAG).source, from);
                Check.equal("received", in[0], 2 * from + (even(world) ? 1 : 0));
            }
        });
    }

    private static void requireOrder(Intracomm world, Intracomm merged, boolean evenFirst) {
        int size = world.Size();
        int evens = (size + 1) / 2;
        int expected = even(world) == evenFirst
                ? world.Rank() / 2
                : world.Rank() / 2 + (evenFirst ? evens : size - evens);
        Check.equal("size", merged.Size(), size);
        Check.equal("rank", merged.Rank(), expected);
        int[] sum = {world.Rank()};
        merged.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
        Check.equal("sum of ranks", sum[0], size * (size - 1) / 2);
        merged.Free();
    }

    static void merged(Intracomm world) {
        between(world, (local, both) -> {
            requireOrder(world, both.Merge(!even(world)), true);
            requireOrder(world, both.Merge(even(world)), false);
            requireOrder(world, both.merge(!even(world)), true);
            Intracomm any = both.merge(true);
            requireOrder(world, any, true);
            requireOrder(world, both.Merge(false), true);
        });
    }

    static void freedOnesAreAnError(Intracomm world) {
        between(world, (local, both) -> {
            Intercomm copy = both.Dup();
            copy.Free();
            Check.error(MPI.ERR_COMM, "Remote_size", copy::Remote_size);
            Check.error(MPI.ERR_COMM, "Remote_group", copy::Remote_group);
        });
    }

    static void copies(Intracomm world) {
        between(world, (local, both) -> {
            Intercomm later = both.iDup();
            later.getRequest().waitFor();
            for (Intercomm copy : new Intercomm[] {
                both.Dup(), both.dup(), both.clone(), both.dupWithInfo(MPI.INFO_NULL), later
            }) {
                Check.equal("a communicator and its copy", Comm.Compare(both, copy), MPI.CONGRUENT);
                copy.barrier();
                copy.Free();
            }
        });
    }

    static void openMpiSpelling(Intracomm world) {
        if (world.Size() == 1) {
            return;
        }
        Comm peer = world;
        Intracomm local = world.split(world.Rank() % 2, 0);
        Intercomm both = peer.createIntercomm(local, 0, even(world) ? 1 : 0, TAG);
        Check.equal("remote size", both.getRemoteSize(), remoteSize(world));
        both.barrier();
        both.disconnect();
        Check.that(both.isNull(), "a disconnected communicator is null");
        local.free();
    }

    static void commonMembersAreAnError(Intracomm world) {
        Check.error(world, MPI.ERR_COMM, "Create_intercomm", () -> world.Create_intercomm(MPI.COMM_NULL, 0, 0, TAG));
        Check.error(world, MPI.ERR_COMM, "createIntercomm", () -> world.createIntercomm(null, 0, 0, TAG));
    }
}
