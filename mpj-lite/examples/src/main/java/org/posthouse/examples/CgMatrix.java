package org.posthouse.examples;

import java.util.Arrays;

/**
 * Some rows of the matrix of NAS CG, in compressed rows: symmetric, positive definite but for the shift, and with its
 * entries all over the place.
 *
 * <p>Constant once made, confined to its rank. The matrix is the sum of the weighted outer products of all
 * {@link CgVectors} with themselves, with {@code RCOND - shift} added to the diagonal. A row is put together from the
 * vectors that have an entry in that row, in their order, so that it does not depend on who has which rows.
 */
final class CgMatrix {

    private final int firstRow;
    /** The entries of row r, counted from the first one here, are {@code [rowStart[r], rowStart[r + 1])}. */
    private final int[] rowStart;

    private final int[] columns;
    private final double[] values;

    /** The rows {@code [firstRow, firstRow + rows)}. */
    CgMatrix(CgClass problem, CgVectors vectors, int firstRow, int rows) {
        this.firstRow = firstRow;
        rowStart = new int[rows + 1];
        int[] places = new int[rows + 1];
        int[] placesByRow = placesByRow(vectors, rows, places);
        int entriesMax = placesByRow.length * vectors.width();
        columns = new int[entriesMax];
        values = new double[entriesMax];
        Row row = new Row(vectors);
        for (int r = 0; r < rows; r++) {
            for (int i = places[r]; i < places[r + 1]; i++) {
                row.addOuterProduct(placesByRow[i]);
            }
            row.add(firstRow + r, CgVectors.RCOND - problem.shift());
            rowStart[r + 1] = rowStart[r] + row.moveTo(columns, values, rowStart[r]);
        }
    }

    /** Sorts the vectors' entries by row: those of row r become {@code [starts[r], starts[r + 1])} of the result. */
    private int[] placesByRow(CgVectors vectors, int rows, int[] starts) {
        for (int k = 0; k < vectors.count(); k++) {
            for (int place = vectors.start(k); place < vectors.end(k); place++) {
                int row = vectors.column(place) - firstRow;
                if (0 <= row && row < rows) {
                    starts[row + 1]++;
                }
            }
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] sorted = new int[starts[rows]];
        int[] next = starts.clone();
        for (int k = 0; k < vectors.count(); k++) {
            for (int place = vectors.start(k); place < vectors.end(k); place++) {
                int row = vectors.column(place) - firstRow;
                if (0 <= row && row < rows) {
                    sorted[next[row]++] = place;
                }
            }
        }
        return sorted;
    }

    int rows() {
        return rowStart.length - 1;
    }

    /** Entries that are stored; the matrix has nowhere else anything but 0. */
    int nonzeros() {
        return rowStart[rows()];
    }

    /** The entry in a column of a row, both counted in the whole matrix; the row must be here. */
    double at(int row, int column) {
        int from = rowStart[row - firstRow];
        int to = rowStart[row - firstRow + 1];
        int place = Arrays.binarySearch(columns, from, to, column);
        return place < 0 ? 0 : values[place];
    }

    /**
     * Multiplies these rows with a vector: nine tenths of the benchmark's time. Four sums, as each addition would
     * else wait for the one before.
     *
     * @param x as long as the matrix has columns
     * @param y receives as many values as there are rows here
     */
    void multiply(double[] x, double[] y) {
        int[] column = columns;
        double[] value = values;
        for (int r = 0; r < rows(); r++) {
            int to = rowStart[r + 1];
            double sum0 = 0;
            double sum1 = 0;
            double sum2 = 0;
            double sum3 = 0;
            int i = rowStart[r];
            for (; i < to - 3; i += 4) {
                sum0 += value[i] * x[column[i]];
                sum1 += value[i + 1] * x[column[i + 1]];
                sum2 += value[i + 2] * x[column[i + 2]];
                sum3 += value[i + 3] * x[column[i + 3]];
            }
            for (; i < to; i++) {
                sum0 += value[i] * x[column[i]];
            }
            y[r] = (sum0 + sum1) + (sum2 + sum3);
        }
    }

    /** One row while it is put together: a sum for each column, and which columns have one. Confined to its maker. */
    private static final class Row {
        private final CgVectors vectors;
        private final double[] sums;
        private final boolean[] taken;
        private final int[] columns;
        private int count;

        Row(CgVectors vectors) {
            this.vectors = vectors;
            sums = new double[vectors.count()];
            taken = new boolean[vectors.count()];
            columns = new int[vectors.count()];
        }

        /** Adds this row of the outer product of the vector that has the given place. */
        void addOuterProduct(int place) {
            int k = place / vectors.width();
            double scale = vectors.weight(k) * vectors.value(place);
            for (int other = vectors.start(k); other < vectors.end(k); other++) {
                add(vectors.column(other), vectors.value(other) * scale);
            }
        }

        void add(int column, double value) {
            if (!taken[column]) {
                taken[column] = true;
                columns[count++] = column;
            }
            sums[column] += value;
        }

        /** Writes the entries by column at {@code at}, leaves the row empty, and returns how many they were. */
        int moveTo(int[] intoColumns, double[] intoValues, int at) {
            Arrays.sort(columns, 0, count);
            for (int i = 0; i < count; i++) {
                int column = columns[i];
                intoColumns[at + i] = column;
                intoValues[at + i] = sums[column];
                sums[column] = 0;
                taken[column] = false;
            }
            int moved = count;
            count = 0;
            return moved;
        }
    }
}
