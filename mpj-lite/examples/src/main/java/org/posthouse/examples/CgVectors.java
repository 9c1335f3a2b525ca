package org.posthouse.examples;

/**
 * The random sparse vectors that the matrix of NAS CG is the weighted sum of outer products of: one for each row, with
 * an entry of one half on the diagonal.
 *
 * <p>Constant once made. Every rank draws all of them, as one sequence makes them all: a few hundred thousand
 * numbers for class A. The entries of vector k are the places {@code [start(k), end(k))}.
 */
final class CgVectors {

    private static final long SEED = 314_159_265L;
    private static final double DIAGONAL = 0.5;
    /** Smallest weight of an outer product, and what is added to the diagonal: about 1 over the condition number. */
    static final double RCOND = 0.1;

    private final int width;
    private final int[] lengths;
    private final int[] columns;
    private final double[] values;
    private final double[] weights;

    CgVectors(CgClass problem) {
        int order = problem.order();
        width = problem.nonzeros() + 1;
        lengths = new int[order];
        columns = new int[order * width];
        values = new double[order * width];
        weights = new double[order];
        NasRandom random = new NasRandom(SEED).skip(1);
        int columnsLog2 = Integer.SIZE - Integer.numberOfLeadingZeros(order - 1);
        double ratio = Math.pow(RCOND, 1.0 / order);
        double weight = 1;
        for (int k = 0; k < order; k++) {
            weights[k] = weight;
            weight *= ratio;
            draw(k, random, columnsLog2);
            putDiagonal(k);
        }
    }

    /** Draws value and column in turn; a column that is beyond the matrix or taken already is drawn again. */
    private void draw(int k, NasRandom random, int columnsLog2) {
        while (lengths[k] < width - 1) {
            double value = random.nextFraction();
            int column = (int) (random.nextBits() >>> (NasRandom.BITS - columnsLog2));
            if (column < lengths.length && find(k, column) == end(k)) {
                append(k, column, value);
            }
        }
    }

    private void putDiagonal(int k) {
        int place = find(k, k);
        if (place < end(k)) {
            values[place] = DIAGONAL;
        } else {
            append(k, k, DIAGONAL);
        }
    }

    private void append(int k, int column, double value) {
        columns[end(k)] = column;
        values[end(k)] = value;
        lengths[k]++;
    }

    private int find(int k, int column) {
        int place = start(k);
        while (place < end(k) && columns[place] != column) {
            place++;
        }
        return place;
    }

    int count() {
        return lengths.length;
    }

    int start(int k) {
        return k * width;
    }

    int end(int k) {
        return k * width + lengths[k];
    }

    /** The most entries that a vector can have. */
    int width() {
        return width;
    }

    int column(int place) {
        return columns[place];
    }

    double value(int place) {
        return values[place];
    }

    /** The factor of the outer product of vector k with itself. */
    double weight(int k) {
        return weights[k];
    }
}
