package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Conway's game of life on a torus: the ranks share the rows and swap edges in every generation.
 *
 * <p>Rank 0 plays the same game once more alone and compares every cell: the whole game, or as many of its first
 * generations as take a few seconds. Where the population that a built-in pattern must have at the end is known, that
 * is checked too.
 *
 * <p>Arguments: {@code [--pattern NAME | --rle FILE] [--generations G] [--rows R] [--columns C] [--picture yes]}. The
 * pattern, an R-pentomino if nothing else is said, is put in the middle of the board.
 */
public final class Life {

    private static final int ROOT = 0;
    private static final String PROGRAM = "life";
    private static final long CHECKED_CELLS_MAX = 1L << 36;

    private Life() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        Intracomm comm = MPI.COMM_WORLD;
        int[] shape = new int[4];
        LifeTask task = null;
        LifeBlock board = null;
        if (comm.Rank() == ROOT) {
            try {
                task = LifeTask.read(words);
                board = task.board();
            } catch (IllegalArgumentException e) {
                throw Report.refuse(PROGRAM, e.getMessage());
            }
            shape = new int[] {task.rows(), task.columns(), task.generations(), task.hasPicture() ? 1 : 0};
        }
        comm.Bcast(shape, 0, shape.length, MPI.INT, ROOT);
        int generations = shape[2];
        int checked = (int) Math.min(generations, CHECKED_CELLS_MAX / ((long) shape[0] * shape[1]));

        LifeRing ring = new LifeRing(comm, board, shape[0], shape[1]);
        double seconds = advance(comm, ring, checked);
        LifeBlock collected = ring.collect();
        seconds += advance(comm, ring, generations - checked);
        long population = ring.population();
        LifeBlock last = shape[3] == 1 ? ring.collect() : null;

        if (task != null) {
            report(task, comm.Size(), seconds, population);
            if (last != null) {
                LifePicture.of(last).forEach(line -> Report.line("%s", line));
            }
            board.advanceAlone(checked);
            Report.line("generations compared with one rank alone: %d of %d", checked, generations);
            Report.verdict(isEqual(collected, board) && isAsKnown(task, population));
        }
        MPI.Finalize();
    }

    /** Returns the seconds it took; on rank 0 only. */
    private static double advance(Intracomm comm, LifeRing ring, int generations) {
        Stopwatch watch = Stopwatch.start(comm);
        ring.advance(generations);
        return watch.slowest();
    }

    private static void report(LifeTask task, int ranks, double seconds, long population) {
        double cells = (double) task.rows() * task.columns();
        Report.line("%s on a torus of %d x %d cells, %d generations, %d ranks, %.3f s",
                task.source(), task.rows(), task.columns(), task.generations(), ranks, seconds);
        Report.line("million cells per second: %.2f", cells * task.generations() / seconds / 1e6);
        Report.line("population: %d%s", population,
                task.hasKnownEnd() ? ", known to be " + task.pattern().population() : "");
    }

    private static boolean isEqual(LifeBlock a, LifeBlock b) {
        return Arrays.equals(a.cells(), a.at(1), a.at(a.rows() + 1), b.cells(), b.at(1), b.at(b.rows() + 1));
    }

    private static boolean isAsKnown(LifeTask task, long population) {
        return !task.hasKnownEnd() || population == task.pattern().population();
    }
}
