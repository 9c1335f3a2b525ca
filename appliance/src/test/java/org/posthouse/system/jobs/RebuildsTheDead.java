package org.posthouse.system.jobs;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Each round adds to a total that all ranks have. Ranks die at set deliveries, also those that take their places; then all rebuild, and the new ones get
 * the totals from the others. Arguments: the rounds, and {@link Kills}, where -1 is before Init and -2 before the rebuild; then {@code exit} if the first process
 * of rank 1 is to call {@code System.exit(3)} in its second round.
 */
public final class RebuildsTheDead {
    private static final int BEFORE_INIT = -1;
    private static final int BEFORE_REBUILD = -2;
    private static final int KILLED = 137;
    private static final int NONE = -1;

    private final Kills kills;
    private final boolean exits;

    /** By round, that of the start first. */
    private final long[] totals;

    private Intracomm comm;

    /** Rounds that are made; NONE in a new process. */
    private int made;

    private RebuildsTheDead(int rounds, Kills kills, boolean exits) {
        this.kills = kills;
        this.exits = exits && MPI.COMM_WORLD.Rank() == 1 && !MPI.isRebuilt();
        totals = new long[rounds + 1];
        comm = MPI.isRebuilt() ? null : MPI.COMM_WORLD;
        made = MPI.isRebuilt() ? NONE : 0;
    }

    public static void main(String[] args) {
        Kills kills = new Kills(args.length > 1 ? args[1] : "", Integer.parseInt(System.getenv("POSTHOUSE_RANK")));
        dieAt(kills, BEFORE_INIT);
        MPI.Init(args);
        dieAt(kills, BEFORE_REBUILD);
        if (MPI.isRebuilt()) {
            requireWorldIsClosed();
        }
        RebuildsTheDead program = new RebuildsTheDead(Integer.parseInt(args[0]), kills, args.length > 2);
        while (!program.agreed(program.goesOn())) {
            program.comm = null;
        }
        program.report();
        MPI.Finalize();
    }

    private static void dieAt(Kills kills, int place) {
        if (kills.now() == place) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    private static void requireWorldIsClosed() {
        require(MPI.COMM_WORLD.isRevoked(), "COMM_WORLD is not revoked in a new process");
        requireRevoked(MPI.COMM_WORLD::Barrier);
        requireRevoked(() -> MPI.COMM_WORLD.agree(1));
        requireRevoked(MPI.COMM_WORLD::shrink);
    }

    private static void requireRevoked(Runnable call) {
        try {
            call.run();
            require(false, "a call on COMM_WORLD of a new process has worked");
        } catch (MPIException e) {
            require(e.getErrorClass() == MPI.ERR_REVOKED, e.toString());
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    private boolean goesOn() {
        try {
            if (comm == null) {
                comm = MPI.COMM_WORLD.rebuild();
                recover();
            }
            while (made < totals.length - 1) {
                round();
            }
            return true;
        } catch (MPIException e) {
            requireFailure(e);
            comm.revoke();
            return false;
        }
    }

    /** The least that any has made is known to one that has made just that: who has made a round knows that all have begun it. */
    private void recover() {
        require(comm.Size() == MPI.COMM_WORLD.Size() && comm.Rank() == MPI.COMM_WORLD.Rank(), "rank " + comm.Rank() + " of " + comm.Size());
        int[] all = new int[comm.Size()];
        comm.Allgather(new int[] {made}, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        int common = Arrays.stream(all).filter(each -> each != NONE).min().orElse(0);
        int root = Math.max(0, Arrays.stream(all).boxed().toList().indexOf(common));
        long[] known = totals.clone();
        comm.Bcast(known, 0, known.length, MPI.LONG, root);
        System.arraycopy(known, 0, totals, 0, common + 1);
        made = common;
        Intracomm copy = comm.Dup(); // Its number is free in the new process too, and nothing of the dead comes there.
        copy.Barrier();
        require(copy.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG) == null, "a message of before");
        copy.Free();
    }

    /** A ring: each gets from the one before it, once from a named source and once from any; and what it got is summed up by all. */
    private void round() {
        int size = comm.Size();
        int rank = comm.Rank();
        long[] token = {rank + made};
        comm.Sendrecv(token.clone(), 0, 1, MPI.LONG, (rank + 1) % size, 1, token, 0, 1, MPI.LONG, (rank + size - 1) % size, 1);
        kills.delivered();
        if (exits && made == 1) {
            System.exit(3);
        }
        comm.Send(token, 0, 1, MPI.LONG, (rank + 1) % size, 2);
        comm.Recv(token, 0, 1, MPI.LONG, MPI.ANY_SOURCE, 2);
        kills.delivered();
        long[] sum = new long[1];
        comm.Allreduce(token, 0, sum, 0, 1, MPI.LONG, MPI.SUM);
        totals[made + 1] = totals[made] + sum[0];
        made++;
    }

    private boolean agreed(boolean here) {
        try {
            return comm.agree(here ? 1 : 0) == 1;
        } catch (MPIException e) {
            requireFailure(e);
            return false;
        }
    }

    private static void requireFailure(MPIException e) {
        if (e.getErrorClass() != MPI.ERR_PROC_FAILED && e.getErrorClass() != MPI.ERR_REVOKED) {
            throw e;
        }
    }

    private void report() {
        int[] all = new int[comm.Size()];
        comm.Allgather(new int[] {MPI.isRebuilt() ? 1 : 0}, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        long expected = 0;
        for (int round = 0; round < made; round++) {
            expected += (long) comm.Size() * (comm.Size() - 1) / 2 + (long) round * comm.Size();
        }
        require(totals[made] == expected, "total " + totals[made] + ", expected " + expected);
        if (comm.Rank() == 0) {
            System.out.println("made " + made + " rounds; new: " + Arrays.stream(all).sum() + " of " + comm.Size());
        }
    }
}
