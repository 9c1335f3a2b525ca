package org.posthouse.examples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.MPI;
import mpi.Request;

/**
 * Lets heat spread over a square plate (Jacobi iteration): the pattern of most grid codes.
 *
 * <p>Each rank keeps a block of rows. A step needs the rows just beyond the block, so neighbours swap their edge rows;
 * while these travel, the rank computes the rows that need none of them. At the end rank 0 collects the plate,
 * computes it once more alone, and compares every bit.
 *
 * <p>Arguments: {@code [n] [steps]}, a plate of 256 by 256 and 500 steps if not given.
 */
public final class Heat {

    private static final int ROOT = 0;
    private static final int TAG_UPWARD = 1;
    private static final int TAG_DOWNWARD = 2;
    private static final int TAG_RESULT = 3;

    private Heat() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        int[] shape = new int[2];
        if (rank == ROOT) {
            shape = readShape(new Arguments("heat", words), size);
        }
        MPI.COMM_WORLD.Bcast(shape, 0, shape.length, MPI.INT, ROOT);
        int n = shape[0];
        int steps = shape[1];

        Partition shares = new Partition(n, size);
        Plate block = new Plate(n, shares.first(rank), shares.count(rank));
        MPI.COMM_WORLD.Barrier();
        double start = MPI.Wtime();
        double[] change = new double[1];
        for (int step = 0; step < steps; step++) {
            change[0] = step(block, rank, size);
        }
        double[] largestChange = new double[1];
        MPI.COMM_WORLD.Allreduce(change, 0, largestChange, 0, 1, MPI.DOUBLE, MPI.MAX);
        double seconds = MPI.Wtime() - start;

        if (rank == ROOT) {
            Report.line("plate of %d x %d cells, %d steps, %d ranks, %.3f s", n, n, steps, size, seconds);
            Report.line("million cells per second: %.2f", (double) n * n * steps / seconds / 1e6);
            Report.line("largest change in the last step: %.3e", largestChange[0]);
            Report.verdict(agrees(collect(block, shares), largestChange[0], n, steps));
        } else {
            MPI.COMM_WORLD.Send(
                    block.cells(), block.at(1), block.rows() * block.width(), MPI.DOUBLE, ROOT, TAG_RESULT);
        }
        MPI.Finalize();
    }

    private static int[] readShape(Arguments given, int size) {
        int n = (int) given.number(0, "n", 256, 1, 10_000);
        int steps = (int) given.number(1, "steps", 500, 1, Integer.MAX_VALUE);
        if (n < size) {
            throw Report.refuse("heat", "a plate of " + n + " rows cannot be shared by " + size
                    + " ranks, give n of at least " + size + " or fewer ranks");
        }
        return new int[] {n, steps};
    }

    /** One step of one block; returns the largest change of a cell in it. */
    private static double step(Plate block, int rank, int size) {
        int last = block.rows();
        Request[] travelling = swapEdges(block, rank, size);
        double change = block.relax(2, last);
        Request.Waitall(travelling);
        change = Math.max(change, block.relax(1, 2));
        if (last > 1) {
            change = Math.max(change, block.relax(last, last + 1));
        }
        block.advance();
        return change;
    }

    /**
     * Starts to send both edge rows and to receive the neighbours'. Sent rows may be read meanwhile, not written;
     * received rows must be left alone until the requests are complete.
     */
    private static Request[] swapEdges(Plate block, int rank, int size) {
        double[] cells = block.cells();
        int width = block.width();
        int last = block.rows();
        List<Request> travelling = new ArrayList<>();
        if (rank > 0) {
            int above = rank - 1;
            travelling.add(MPI.COMM_WORLD.Irecv(cells, block.at(0), width, MPI.DOUBLE, above, TAG_DOWNWARD));
            travelling.add(MPI.COMM_WORLD.Isend(cells, block.at(1), width, MPI.DOUBLE, above, TAG_UPWARD));
        }
        if (rank < size - 1) {
            int below = rank + 1;
            travelling.add(MPI.COMM_WORLD.Irecv(cells, block.at(last + 1), width, MPI.DOUBLE, below, TAG_UPWARD));
            travelling.add(MPI.COMM_WORLD.Isend(cells, block.at(last), width, MPI.DOUBLE, below, TAG_DOWNWARD));
        }
        return travelling.toArray(new Request[0]);
    }

    /** Rank 0 puts the blocks of all ranks together: n rows, frame columns included. */
    private static double[] collect(Plate own, Partition shares) {
        int width = own.width();
        double[] plate = new double[shares.total() * width];
        System.arraycopy(own.cells(), own.at(1), plate, 0, own.rows() * width);
        for (int rank = 1; rank < shares.parts(); rank++) {
            int offset = shares.first(rank) * width;
            MPI.COMM_WORLD.Recv(plate, offset, shares.count(rank) * width, MPI.DOUBLE, rank, TAG_RESULT);
        }
        return plate;
    }

    /** Whether one rank alone comes to the very same bits. */
    private static boolean agrees(double[] collected, double largestChange, int n, int steps) {
        Plate alone = new Plate(n, 0, n);
        double change = 0;
        for (int step = 0; step < steps; step++) {
            change = alone.relax(1, n + 1);
            alone.advance();
        }
        return change == largestChange
                && Arrays.equals(collected, 0, collected.length, alone.cells(), alone.at(1), alone.at(n + 1));
    }
}
