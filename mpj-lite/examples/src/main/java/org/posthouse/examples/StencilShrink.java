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
        wire = HeatWire.start(cells);
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
            Report.verdict(Arrays.equals(wire, HeatWire.alone(cells, steps)));
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
                HeatWire.step(comm, wire);
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

    private void keep() {
        wire = HeatWire.gather(comm, wire);
        kept = new double[][] {wire.clone(), kept[0]};
        keptAt = new int[] {step, keptAt[0]};
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
}
