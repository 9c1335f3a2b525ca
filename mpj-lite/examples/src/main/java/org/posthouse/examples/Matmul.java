package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Multiplies two dense matrices, C = A·B, with any number of ranks and any shape: the SUMMA algorithm.
 *
 * <p>Every rank makes its own blocks. The product is verified on random vectors (Freivalds), and a small one is also
 * collected at rank 0 and compared with the product of the whole matrices, value by value.
 *
 * <p>Arguments: {@code [rows] [columns] [inner]}: C has rows by columns, A has rows by inner; 768 rows if not given,
 * and as many of the others as there are rows.
 */
public final class Matmul {

    private static final int ROOT = 0;
    private static final int TAG_RESULT = 3;
    private static final long SEED_A = 1;
    private static final long SEED_B = 2;
    /** The product of matrices of 1024 by 1024: about a second for one rank alone. */
    private static final double COMPARED_PRODUCTS_MAX = 1 << 30;

    private Matmul() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        Intracomm comm = MPI.COMM_WORLD;
        int[] shape = new int[3];
        if (comm.Rank() == ROOT) {
            Arguments given = new Arguments("matmul", words);
            shape[0] = (int) given.number(0, "rows", 768, 1, Freivalds.SIDE_MAX);
            shape[1] = (int) given.number(1, "columns", shape[0], 1, Freivalds.SIDE_MAX);
            shape[2] = (int) given.number(2, "inner", shape[0], 1, Freivalds.SIDE_MAX);
        }
        comm.Bcast(shape, 0, shape.length, MPI.INT, ROOT);
        MatmulGrid grid = MatmulGrid.of(comm.Size(), shape[0], shape[1], shape[2]);

        double[] a = Dense.fill(SEED_A, grid.blockOfA(comm.Rank()));
        double[] b = Dense.fill(SEED_B, grid.blockOfB(comm.Rank()));
        double[] c = new double[grid.blockOfC(comm.Rank()).size()];
        Stopwatch watch = Stopwatch.start(comm);
        new Summa(comm, grid, a, b, c).run();
        double seconds = watch.slowest();

        boolean holds = Freivalds.holds(comm, grid, a, b, c);
        double products = (double) grid.rows() * grid.columns() * grid.inner();
        double[] whole = products <= COMPARED_PRODUCTS_MAX ? collect(comm, grid, c) : null;
        if (comm.Rank() == ROOT) {
            Report.line("C[%d x %d] = A[%d x %d] * B[%d x %d], %d ranks in a grid of %d x %d, %.3f s",
                    grid.rows(), grid.columns(), grid.rows(), grid.inner(), grid.inner(), grid.columns(),
                    comm.Size(), grid.gridRows(), grid.gridColumns(), seconds);
            Report.line("GFLOP/s: %.3f", 2 * products / seconds / 1e9);
            Report.line("random vectors that agree: %s of %d", holds ? "all" : "not all", Freivalds.TRIALS);
            if (whole != null) {
                long wrong = countWrong(grid, whole);
                Report.line("values compared: %d, wrong: %d", whole.length, wrong);
                holds &= wrong == 0;
            }
            Report.verdict(holds);
        }
        MPI.Finalize();
    }

    /** The whole of C at rank 0, null at all others; collective. */
    static double[] collect(Intracomm comm, MatmulGrid grid, double[] c) {
        if (comm.Rank() != ROOT) {
            comm.Send(c, 0, c.length, MPI.DOUBLE, ROOT, TAG_RESULT);
            return null;
        }
        double[] whole = new double[Math.multiplyExact(grid.rows(), grid.columns())];
        put(grid, grid.blockOfC(ROOT), c, whole);
        for (int rank = 1; rank < comm.Size(); rank++) {
            Tile block = grid.blockOfC(rank);
            double[] values = new double[block.size()];
            comm.Recv(values, 0, values.length, MPI.DOUBLE, rank, TAG_RESULT);
            put(grid, block, values, whole);
        }
        return whole;
    }

    private static void put(MatmulGrid grid, Tile block, double[] values, double[] whole) {
        for (int row = 0; row < block.rows(); row++) {
            System.arraycopy(
                    values, row * block.columns(),
                    whole, (block.firstRow() + row) * grid.columns() + block.firstColumn(), block.columns());
        }
    }

    /** How many values differ from those of the product of the whole matrices, computed the plain way. */
    static long countWrong(MatmulGrid grid, double[] actual) {
        double[] a = Dense.fill(SEED_A, new Tile(0, grid.rows(), 0, grid.inner()));
        double[] b = Dense.fill(SEED_B, new Tile(0, grid.inner(), 0, grid.columns()));
        double[] sums = new double[grid.columns()];
        long wrong = 0;
        for (int row = 0; row < grid.rows(); row++) {
            Arrays.fill(sums, 0);
            for (int k = 0; k < grid.inner(); k++) {
                double factor = a[row * grid.inner() + k];
                for (int column = 0; column < sums.length; column++) {
                    sums[column] += factor * b[k * grid.columns() + column];
                }
            }
            for (int column = 0; column < sums.length; column++) {
                wrong += actual[row * grid.columns() + column] == sums[column] ? 0 : 1;
            }
        }
        return wrong;
    }
}
