package org.posthouse.examples;

/**
 * Dense matrices, row by row in arrays without gaps.
 *
 * <p>The matrices of this example have small whole numbers as entries, so that all sums of products are exact whatever
 * the order they are added in: results can be compared bit by bit, at the speed of any other numbers.
 */
final class Dense {

    /** Columns of C done at a time, so that the rows of B that belong to them stay in a near cache. */
    private static final int TILE = 256;

    private static final int SEED_SHIFT = 56;
    private static final int ENTRY_BITS = 4;
    /** Entries are from {@code -ENTRY_MAX} to {@code ENTRY_MAX - 1}. */
    static final int ENTRY_MAX = 1 << ENTRY_BITS - 1;

    private Dense() {}

    /** The entries of a block of the matrix that {@code seed} stands for; they depend on their places only. */
    static double[] fill(long seed, Tile block) {
        double[] values = new double[block.size()];
        for (int row = 0; row < block.rows(); row++) {
            for (int column = 0; column < block.columns(); column++) {
                int place = row * block.columns() + column;
                values[place] = entry(seed, block.firstRow() + row, block.firstColumn() + column);
            }
        }
        return values;
    }

    private static double entry(long seed, int row, int column) {
        return mix(seed << SEED_SHIFT ^ (long) row << Integer.SIZE ^ column) >> Long.SIZE - ENTRY_BITS;
    }

    /** A number that looks random, and is the same for the same number (the finalizer of SplitMix64). */
    static long mix(long number) {
        long mixed = number + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /**
     * Adds the product of two matrices to a third one. Four rows of B at a time: each value of C is fetched and stored
     * once for four products, and the compiler makes vectors of the innermost loop.
     *
     * @param c {@code rows} by {@code columns}
     * @param a {@code rows} by {@code inner}
     * @param b {@code inner} by {@code columns}
     */
    static void addProduct(double[] c, double[] a, double[] b, int rows, int columns, int inner) {
        for (int left = 0; left < columns; left += TILE) {
            int width = Math.min(TILE, columns - left);
            for (int row = 0; row < rows; row++) {
                int k = 0;
                for (; k < inner - 3; k += 4) {
                    addFour(c, row * columns + left, a, row * inner + k, b, k * columns + left, columns, width);
                }
                for (; k < inner; k++) {
                    addOne(c, row * columns + left, a[row * inner + k], b, k * columns + left, width);
                }
            }
        }
    }

    private static void addFour(double[] c, int atC, double[] a, int atA, double[] b, int atB, int stride, int width) {
        double a0 = a[atA];
        double a1 = a[atA + 1];
        double a2 = a[atA + 2];
        double a3 = a[atA + 3];
        int at1 = atB + stride;
        int at2 = at1 + stride;
        int at3 = at2 + stride;
        for (int i = 0; i < width; i++) {
            c[atC + i] += a0 * b[atB + i] + a1 * b[at1 + i] + (a2 * b[at2 + i] + a3 * b[at3 + i]);
        }
    }

    private static void addOne(double[] c, int atC, double a, double[] b, int atB, int width) {
        for (int i = 0; i < width; i++) {
            c[atC + i] += a * b[atB + i];
        }
    }
}
