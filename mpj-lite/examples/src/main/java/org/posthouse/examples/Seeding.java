package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Chooses first centroids among the rows of all ranks: k-means++ of Arthur and Vassilvitskii (2007). The first is any
 * row; each further one is a row drawn with a chance in proportion to its squared distance from those chosen before.
 *
 * <p>Confined to its rank. All ranks draw the same random numbers, so the choice depends on the seed and on the order
 * of the rows, not on how many ranks share them.
 */
final class Seeding {

    private static final int WARM_UP = 64;

    private final Intracomm comm;
    private final double[] rows;
    private final int columns;
    private final NasRandom random;
    /** The squared distance of each row from the nearest chosen one; 1 before there is one. */
    private final double[] weights;

    private Seeding(Intracomm comm, double[] rows, int columns, long seed) {
        this.comm = comm;
        this.rows = rows;
        this.columns = columns;
        random = new NasRandom(2 * seed + 1).skip(WARM_UP);
        weights = new double[rows.length / columns];
        Arrays.fill(weights, 1);
    }

    /**
     * Chooses {@code k} rows; collective. The same answer at every rank: the rows one after another, fewer than k if
     * there are not as many different ones.
     */
    static double[] choose(Intracomm comm, double[] rows, int columns, int k, long seed) {
        Seeding seeding = new Seeding(comm, rows, columns, seed);
        double[] chosen = new double[k * columns];
        for (int i = 0; i < k; i++) {
            if (!seeding.draw(chosen, i * columns)) {
                return Arrays.copyOf(chosen, i * columns);
            }
        }
        return chosen;
    }

    /** Draws one row, which everybody gets at {@code into}; false if all rows are chosen ones. */
    private boolean draw(double[] chosen, int into) {
        double[] own = {Arrays.stream(weights).sum()};
        double[] sums = new double[comm.Size()];
        comm.Allgather(own, 0, 1, MPI.DOUBLE, sums, 0, 1, MPI.DOUBLE);
        int owner = -1;
        double left = random.nextFraction() * Arrays.stream(sums).sum();
        double leftOfOwner = 0;
        for (int rank = 0; rank < sums.length && left >= 0; rank++) {
            if (sums[rank] > 0) {
                owner = rank;
                leftOfOwner = left;
            }
            left -= sums[rank];
        }
        if (owner < 0) {
            return false;
        }
        if (owner == comm.Rank()) {
            System.arraycopy(rows, pick(leftOfOwner) * columns, chosen, into, columns);
        }
        comm.Bcast(chosen, into, columns, MPI.DOUBLE, owner);
        for (int row = 0; row < weights.length; row++) {
            double distance = Lloyd.squaredDistance(rows, row * columns, chosen, into, columns);
            weights[row] = into == 0 ? distance : Math.min(weights[row], distance);
        }
        return true;
    }

    /** The row where the sum of weights passes {@code left}; rounding may lead beyond the last one that has any. */
    private int pick(double left) {
        int picked = -1;
        double after = left;
        for (int row = 0; row < weights.length && after >= 0; row++) {
            if (weights[row] > 0) {
                picked = row;
            }
            after -= weights[row];
        }
        return picked;
    }
}
