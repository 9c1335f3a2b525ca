package org.posthouse.examples;

import java.util.Arrays;
import mpi.Checkpoint;
import mpi.MPI;

/**
 * Lets a plucked string swing (the wave equation) and saves its state: a rank that is killed goes on from its last save, not from the
 * beginning.
 *
 * <p>Each rank keeps a stretch of the string. A step needs the points just beyond it, so neighbours swap the points at their ends. What
 * a rank is made of, the step it is at and two arrays, is registered with a {@link Checkpoint}; between two steps nothing is under
 * way, so there is the point to save it. At the end rank 0 collects the string, computes it once more alone, and compares every bit.
 *
 * <p>Arguments: {@code [points] [steps]}, 100,000 points and 2,000 steps if not given. How often it saves is the launcher's
 * {@code --checkpoint-every}; in a job that is not logged it never does.
 */
public final class Waves {

    private static final int ROOT = 0;
    private static final int TAG_LEFTWARD = 1;
    private static final int TAG_RIGHTWARD = 2;

    private Waves() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        int[] shape = new int[2];
        if (rank == ROOT) {
            shape = readShape(new Arguments("waves", words), size);
        }
        MPI.COMM_WORLD.Bcast(shape, 0, shape.length, MPI.INT, ROOT);
        int points = shape[0];
        int steps = shape[1];

        Partition shares = new Partition(points, size);
        Stretch stretch = new Stretch(points, shares.first(rank), shares.count(rank));
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
        checkpoint.register("height", stretch.height());
        checkpoint.register("speed", stretch.speed());
        double start = MPI.Wtime();
        checkpoint.restored();
        while (step.get() < steps) {
            swapEnds(stretch, rank, size);
            stretch.advance();
            step.set(step.get() + 1);
            checkpoint.point();
        }
        double seconds = MPI.Wtime() - start;

        double[] string = new double[rank == ROOT ? points : 0];
        MPI.COMM_WORLD.Gatherv(
                stretch.height(), 1, stretch.points(), MPI.DOUBLE, string, 0, shares.counts(1), shares.displacements(1), MPI.DOUBLE, ROOT);
        if (rank == ROOT) {
            Report.line("string of %d points, %d steps, %d ranks, %.3f s", points, steps, size, seconds);
            Report.line("million points per second: %.2f", (double) points * steps / seconds / 1e6);
            Report.verdict(agrees(string, steps));
        }
        MPI.Finalize();
    }

    private static int[] readShape(Arguments given, int size) {
        int points = (int) given.number(0, "points", 100_000, 1, 100_000_000);
        int steps = (int) given.number(1, "steps", 2_000, 1, Integer.MAX_VALUE);
        if (points < size) {
            throw Report.refuse("waves", "a string of " + points + " points cannot be shared by " + size + " ranks, give at least " + size
                    + " points or fewer ranks");
        }
        return new int[] {points, steps};
    }

    /** Beyond the string's ends there is nobody, and nothing is received: they stay where they are. */
    private static void swapEnds(Stretch stretch, int rank, int size) {
        double[] height = stretch.height();
        int last = stretch.points();
        int left = rank > 0 ? rank - 1 : MPI.PROC_NULL;
        int right = rank < size - 1 ? rank + 1 : MPI.PROC_NULL;
        MPI.COMM_WORLD.Sendrecv(
                height, 1, 1, MPI.DOUBLE, left, TAG_LEFTWARD, height, last + 1, 1, MPI.DOUBLE, right, TAG_LEFTWARD);
        MPI.COMM_WORLD.Sendrecv(
                height, last, 1, MPI.DOUBLE, right, TAG_RIGHTWARD, height, 0, 1, MPI.DOUBLE, left, TAG_RIGHTWARD);
    }

    /** Whether one rank alone comes to the very same bits. */
    private static boolean agrees(double[] collected, int steps) {
        Stretch alone = new Stretch(collected.length, 0, collected.length);
        for (int step = 0; step < steps; step++) {
            alone.advance();
        }
        return Arrays.equals(collected, 0, collected.length, alone.height(), 1, collected.length + 1);
    }
}
