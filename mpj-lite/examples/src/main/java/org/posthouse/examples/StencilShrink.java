package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Heat on a closed wire, by processes of which some may die: the others make a communicator of those that are left, and go on from the last
 * state that all of them have kept. For {@code posthouse run --on-failure shrink}.
 *
 * <p>Each rank computes a part of the wire, and every few steps keeps the whole of it. Whoever finds that another has died revokes the communicator,
 * so that nobody waits for long. Then all agree whether the wire is done, and if not, they shrink the communicator and share the wire anew. At the
 * end the first rank computes the wire once more alone, and compares every bit.
 *
 * <p>Arguments: {@code [cells] [steps] [deaths]}, 4096 cells, 400 steps and no death if not given. So many ranks, the last ones, end themselves on
 * the way.
 */
public final class StencilShrink {
    private static final int TAG_UP = 1;
    private static final int TAG_DOWN = 2;
    private static final int STEPS_KEPT = 20;
    private static final int KILLED = 137;

    private final int cells;
    private final int steps;

    /** The world rank's own last step; {@code steps} if it lives to the end. */
    private final int lastStep;

    private Intracomm comm = MPI.COMM_WORLD;
    private double[] wire;
    private int step;

    /** The two last states that this rank has kept, the newer one first: another may not have the newer one. */
    private double[][] kept;

    private int[] keptAt = {0, 0};

    private StencilShrink(int cells, int steps, int deaths) {
        this.cells = cells;
        this.steps = steps;
        int fromLast = MPI.COMM_WORLD.Size() - MPI.COMM_WORLD.Rank();
        lastStep = fromLast > deaths ? steps : steps * fromLast / (deaths + 1);
        wire = start(cells);
        kept = new double[][] {wire.clone(), wire.clone()};
    }

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        Arguments given = new Arguments("stencil-shrink", MPI.Init(args));
        int size = MPI.COMM_WORLD.Size();
        int cells = (int) given.number(0, "cells", 4_096, size, 1 << 24);
        int steps = (int) given.number(1, "steps", 400, 1, Integer.MAX_VALUE);
        int deaths = (int) given.number(2, "deaths", 0, 0, size - 1);
        new StencilShrink(cells, steps, deaths).run();
        MPI.Finalize();
    }

    private void run() {
        int before = comm.Size();
        while (!isDoneByAll(advance())) {
            comm = comm.shrink();
            restore();
        }
        if (comm.Rank() == 0) {
            Report.line("wire of %d cells, %d steps, %d ranks at the start and %d at the end", cells, steps, before, comm.Size());
            Report.verdict(Arrays.equals(wire, alone()));
        }
    }

    /** Computes as far as it goes; whether that is to the end. */
    private boolean advance() {
        try {
            while (step < steps) {
                if (step % STEPS_KEPT == 0) {
                    keep();
                }
                if (step == lastStep) {
                    Runtime.getRuntime().halt(KILLED);
                }
                swapEdges();
                relax();
                step++;
            }
            keep();
            return true;
        } catch (MPIException e) {
            requireFailure(e);
            comm.revoke();
            return false;
        }
    }

    /** Whether all living ranks are at the end, and none has died that somebody does not know of. */
    private boolean isDoneByAll(boolean here) {
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

    /** All ranks get the parts of all. A rank that gets them all knows that each has sent its own. */
    private void keep() {
        Partition shares = new Partition(cells, comm.Size());
        int[] counts = new int[comm.Size()];
        int[] places = new int[comm.Size()];
        for (int rank = 0; rank < counts.length; rank++) {
            counts[rank] = shares.count(rank);
            places[rank] = shares.first(rank);
        }
        double[] whole = new double[cells];
        comm.Allgatherv(wire, places[comm.Rank()], counts[comm.Rank()], MPI.DOUBLE, whole, 0, counts, places, MPI.DOUBLE);
        kept = new double[][] {whole, kept[0]};
        keptAt = new int[] {step, keptAt[0]};
        wire = whole.clone();
    }

    /** Goes back to the newest state that all have. If a further rank dies meanwhile, the next {@link #advance} finds that. */
    private void restore() {
        int[] newest = {keptAt[0]};
        int[] common = new int[1];
        try {
            comm.Allreduce(newest, 0, common, 0, 1, MPI.INT, MPI.MIN);
        } catch (MPIException e) {
            requireFailure(e);
            comm.revoke();
            return;
        }
        int which = common[0] == keptAt[0] ? 0 : 1;
        wire = kept[which].clone();
        step = keptAt[which];
        kept = new double[][] {wire.clone(), wire.clone()};
        keptAt = new int[] {step, step};
    }

    private void swapEdges() {
        int size = comm.Size();
        int rank = comm.Rank();
        Partition shares = new Partition(cells, size);
        int first = shares.first(rank);
        int last = first + shares.count(rank) - 1;
        int above = (rank + size - 1) % size;
        int below = (rank + 1) % size;
        comm.Sendrecv(wire, first, 1, MPI.DOUBLE, above, TAG_UP, wire, (last + 1) % cells, 1, MPI.DOUBLE, below, TAG_UP);
        comm.Sendrecv(wire, last, 1, MPI.DOUBLE, below, TAG_DOWN, wire, (first + cells - 1) % cells, 1, MPI.DOUBLE, above, TAG_DOWN);
    }

    private void relax() {
        Partition shares = new Partition(cells, comm.Size());
        int first = shares.first(comm.Rank());
        relax(wire, first, first + shares.count(comm.Rank()));
    }

    /** One step of the cells in [from, to); their neighbours stay. */
    private static void relax(double[] wire, int from, int to) {
        int cells = wire.length;
        double[] next = new double[to - from];
        for (int cell = from; cell < to; cell++) {
            next[cell - from] = 0.25 * wire[(cell + cells - 1) % cells] + 0.5 * wire[cell] + 0.25 * wire[(cell + 1) % cells];
        }
        System.arraycopy(next, 0, wire, from, next.length);
    }

    private static double[] start(int cells) {
        double[] wire = new double[cells];
        for (int cell = 0; cell < cells; cell++) {
            wire[cell] = cell % 17 + (cell % 5 == 0 ? 100 : 0);
        }
        return wire;
    }

    private double[] alone() {
        double[] whole = start(cells);
        for (int done = 0; done < steps; done++) {
            relax(whole, 0, cells);
        }
        return whole;
    }
}
