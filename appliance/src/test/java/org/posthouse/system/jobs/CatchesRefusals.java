package org.posthouse.system.jobs;

import mpi.Checkpoint;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * A ring whose ranks ask to be saved where they may not be, catch what they are told, and have their messages depend on it: with a receive
 * under way, come or not, in a loop of tests too, with one that was cancelled, a collective, a synchronous send, and a communicator too many. Each rank
 * tells the next how often it was refused while it polled, which is another number in each run, and the last word of that must be
 * what it still knows at the end. Prints what does not depend on that. Arguments: steps, steps between two saves, {@link Kills}.
 */
public final class CatchesRefusals {
    private static final int NOBODYS_TAG = 1 << 20;

    /** Refusals of each step, and of the prologue. */
    private static final int REFUSALS = 7;

    private final Intracomm ring = MPI.COMM_WORLD.dup();
    private final int rank = ring.getRank();
    private final int size = ring.getSize();
    private final Kills kills;

    /** How often it was refused in loops of tests, and else, what it was told there, and what the rank before has said of its loops. */
    private final long[] polled = new long[1];

    private final long[] refused = new long[1];
    private final long[] fold = {1};
    private final long[] heard = new long[1];

    private CatchesRefusals(Kills kills) {
        this.kills = kills;
    }

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        new CatchesRefusals(new Kills(own[2], MPI.COMM_WORLD.Rank())).run(Integer.parseInt(own[0]), Integer.parseInt(own[1]));
        MPI.Finalize();
    }

    private void run(int steps, int every) {
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
        checkpoint.register("polled", polled);
        checkpoint.register("refused", refused);
        checkpoint.register("fold", fold);
        checkpoint.register("heard", heard);
        Request tooEarly = ring.iRecv(new int[1], 1, MPI.INT, rank, NOBODYS_TAG);
        ring.send(new int[1], 1, MPI.INT, rank, NOBODYS_TAG);
        refuse(checkpoint::restored);
        tooEarly.waitFor();
        checkpoint.restored();
        while (step.get() < steps) {
            step(checkpoint, step.get());
            step.set(step.get() + 1);
            if (step.get() % every == 0) {
                checkpoint.save();
            } else {
                checkpoint.point();
            }
        }
        verify(steps);
    }

    private void step(Checkpoint checkpoint, int step) {
        long[] in = new long[3];
        Request receive = ring.iRecv(in, 3, MPI.LONG, (rank + size - 1) % size, step);
        refuse(checkpoint::point);
        ring.send(new long[] {fold[0], refused[0], polled[0]}, 3, MPI.LONG, (rank + 1) % size, step);
        refuse(checkpoint::save);
        while (!receive.test()) {
            polled[0] += words(checkpoint::point).isEmpty() ? 0 : 1;
        }
        kills.delivered();
        fold[0] = 31 * fold[0] + in[0] + in[1];
        heard[0] = in[2];
        Request barrier = ring.iBarrier();
        refuse(checkpoint::save);
        barrier.waitFor();
        kills.delivered();
        Request nothing = ring.iRecv(new int[1], 1, MPI.INT, rank, NOBODYS_TAG);
        nothing.cancel();
        refuse(checkpoint::point);
        nothing.waitFor();
        Intracomm extra = ring.dup();
        refuse(checkpoint::point);
        refuse(checkpoint::save);
        extra.free();
        Request synchronous = ring.isSend(new int[1], 1, MPI.INT, rank, NOBODYS_TAG);
        refuse(checkpoint::save);
        ring.recv(new int[1], 1, MPI.INT, rank, NOBODYS_TAG);
        synchronous.waitFor();
    }

    /** What the call throws is told to the others too. */
    private void refuse(Runnable call) {
        String words = words(call);
        refused[0] += words.isEmpty() ? 0 : 1;
        fold[0] = 31 * fold[0] + words.hashCode();
    }

    private static String words(Runnable call) {
        try {
            call.run();
            return "";
        } catch (MPIException e) {
            return e.getMessage();
        }
    }

    private void verify(int steps) {
        long[] now = {fold[0], refused[0], polled[0]};
        long[] before = new long[3];
        ring.sendRecv(now, 3, MPI.LONG, (rank + 1) % size, NOBODYS_TAG, before, 3, MPI.LONG, (rank + size - 1) % size, NOBODYS_TAG);
        boolean right = refused[0] == 1 + (long) REFUSALS * steps && before[1] == refused[0] && before[2] >= heard[0];
        long[] all = {right ? 1 : 0};
        ring.allReduce(all, 1, MPI.LONG, MPI.MIN);
        System.out.println("rank " + rank + " was refused " + refused[0] + " times: " + fold[0]);
        if (rank == 0) {
            System.out.println("Verification: " + (all[0] == 1 ? "SUCCESSFUL" : "UNSUCCESSFUL"));
        }
    }
}
