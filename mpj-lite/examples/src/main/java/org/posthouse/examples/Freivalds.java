package org.posthouse.examples;

import mpi.Intracomm;

/**
 * Freivalds' check of a matrix product (1979): C = A·B is tried on a random vector x, as C·x = A·(B·x), which
 * takes n² operations instead of n³. All numbers are whole and small enough to be exact, so the sides must be equal.
 *
 * <p>Of x's entries each is drawn from 2¹⁶ numbers, so a wrong C passes one trial with a chance of at most 2⁻¹⁶.
 * Confined to its rank, and collective.
 */
final class Freivalds {

    /** Two trials leave a wrong product a chance of 2⁻³². */
    static final int TRIALS = 2;

    private static final int ENTRY_BITS = 16;

    /** Up to this many rows and columns, no sum in here passes 2⁵³: a row of A times B·x has n²·8·8·2¹⁶. */
    static final int SIDE_MAX = 1 << 15;

    private Freivalds() {}

    /** Whether all trials hold; the same answer at every rank. */
    static boolean holds(Intracomm comm, MatmulGrid grid, double[] a, double[] b, double[] c) {
        for (int trial = 1; trial <= TRIALS; trial++) {
            if (!holds(comm, grid, a, b, c, trial)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Intracomm comm, MatmulGrid grid, double[] a, double[] b, double[] c, int trial) {
        double[] x = new double[grid.columns()];
        for (int i = 0; i < x.length; i++) {
            x[i] = Dense.mix((long) trial << Integer.SIZE | i) >>> Long.SIZE - ENTRY_BITS;
        }
        int rank = comm.Rank();
        double[] product = new double[grid.inner()];
        addProduct(product, b, grid.blockOfB(rank), x, 1);
        double[] y = AllSum.of(comm, product);

        double[] difference = new double[grid.rows()];
        addProduct(difference, c, grid.blockOfC(rank), x, 1);
        addProduct(difference, a, grid.blockOfA(rank), y, -1);
        for (double each : AllSum.of(comm, difference)) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    /** Adds the product of one block and a vector, times {@code factor}, to the rows that it belongs to. */
    private static void addProduct(double[] result, double[] values, Tile block, double[] vector, double factor) {
        for (int row = 0; row < block.rows(); row++) {
            double sum = 0;
            for (int column = 0; column < block.columns(); column++) {
                sum += values[row * block.columns() + column] * vector[block.firstColumn() + column];
            }
            result[block.firstRow() + row] += factor * sum;
        }
    }
}
