package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Heat on a closed wire, by processes of which some may die: new ones take their places, and all go on from the last state that the others have
 * kept. For {@code posthouse run --on-failure rebuild}.
 *
 * <p>Each rank computes a part of the wire, and every few steps keeps the whole of it. Whoever finds that another has died revokes the communicator,
 * so that nobody waits for long. Then all agree whether the wire is done, and if not, they make a whole communicator with the new processes, which
 * get the wire from the others. At the end the first rank computes the wire once more alone, and compares every bit.
 *
 * <p>Arguments: {@code [cells] [steps] [deaths]}, 4096 cells, 400 steps and no death if not given. So many ranks, the last ones, end themselves on
 * the way, once each.
 */
public final class StencilRebuild {
    private static final int STEPS_KEPT = 20;
    private static final int KILLED = 137;
    private static final int NONE = -1;

    private final int cells;
    private final int steps;

    /** The process's own last step; {@code steps} if it lives to the end. */
    private final int lastStep;

    /** Null in a new process until it has taken part in a rebuild. */
    private Intracomm comm = MPI.isRebuilt() ? null : MPI.COMM_WORLD;
    private double[] wire;
    private int step;

    /** The two last states that this rank has kept, the newer one first: another may not have the newer one. */
    private double[][] kept;

    /** The steps of these states; NONE if this process is new and has none yet. */
    private int[] keptAt = MPI.isRebuilt() ? new int[] {NONE, NONE} : new int[] {0, 0};

    /** Processes that have come in the places of others. */
    private int newOnes;

    private StencilRebuild(int cells, int steps, int deaths) {
        this.cells = cells;
        this.steps = steps;
        int fromLast = MPI.COMM_WORLD.Size() - MPI.COMM_WORLD.Rank();
        lastStep = fromLast > deaths || MPI.isRebuilt() ? steps : steps * fromLast / (deaths + 1);
        wire = HeatWire.start(cells);
        kept = new double[][] {wire.clone(), wire.clone()};
    }

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        Arguments given = new Arguments("stencil-rebuild", MPI.Init(args));
        int size = MPI.COMM_WORLD.Size();
        int cells = (int) given.number(0, "cells", 4_096, size, 1 << 24);
        int steps = (int) given.number(1, "steps", 400, 1, Integer.MAX_VALUE);
        int deaths = (int) given.number(2, "deaths", 0, 0, size - 1);
        new StencilRebuild(cells, steps, deaths).run();
        MPI.Finalize();
    }

    private void run() {
        while (comm == null || !isDoneByAll(advance())) {
            try {
                comm = MPI.COMM_WORLD.rebuild();
            } catch (MPIException e) {
                if (MPI.isRebuilt() && e.getErrorClass() == MPI.ERR_OTHER) {
                    return; // The others have called Finalize: the wire is done.
                }
                throw e;
            }
            restore();
        }
        if (comm.Rank() == 0) {
            Report.line("wire of %d cells, %d steps, %d ranks, %d of them new", cells, steps, comm.Size(), newOnes);
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

    /** Goes back to the newest state that all have but the new ones, which get it. If a further rank dies meanwhile, the next {@link #advance} finds that. */
    private void restore() {
        int[] newest = new int[comm.Size()];
        int[] isNew = new int[comm.Size()];
        try {
            comm.Allgather(new int[] {keptAt[0]}, 0, 1, MPI.INT, newest, 0, 1, MPI.INT);
            comm.Allgather(new int[] {MPI.isRebuilt() ? 1 : 0}, 0, 1, MPI.INT, isNew, 0, 1, MPI.INT);
            newOnes = Arrays.stream(isNew).sum();
            int common = Arrays.stream(newest).filter(at -> at != NONE).min().orElse(NONE);
            double[] state = HeatWire.start(cells); // If all are new, they begin at the beginning.
            if (common != NONE) {
                state = keptAt[0] == NONE ? state : kept[common == keptAt[0] ? 0 : 1].clone();
                comm.Bcast(state, 0, cells, MPI.DOUBLE, Arrays.stream(newest).boxed().toList().indexOf(common));
            }
            step = Math.max(0, common);
            wire = state;
            kept = new double[][] {wire.clone(), wire.clone()};
            keptAt = new int[] {step, step};
        } catch (MPIException e) {
            requireFailure(e);
            comm.revoke();
        }
    }
}
