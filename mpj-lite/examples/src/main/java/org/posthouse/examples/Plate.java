package org.posthouse.examples;

import java.util.Arrays;

/**
 * Some rows of a square metal plate, with the frame around them.
 *
 * <p>Confined to its rank. The cells lie row by row in one array, {@link #width} cells a row: rows 1 to {@code rows}
 * and columns 1 to n are metal; row 0 and row {@code rows + 1} are the frame, or copies of the neighbours' rows
 * where the plate goes on; columns 0 and n+1 are always frame. The frame's temperature never changes: 100 above the
 * plate, 0 elsewhere. The metal starts unevenly warm, so that a row that is lost, late or misplaced shows in the
 * result. A new value depends on four old ones and on nothing else, so a plate cut into pieces gives the same bits as
 * the whole.
 */
final class Plate {

    private static final double HOT = 100.0;

    private final int n;
    private final int rows;
    private double[] now;
    private double[] next;

    /** The rows {@code [firstRow, firstRow + rows)}, counted from 0, of a plate of n rows and n columns. */
    Plate(int n, int firstRow, int rows) {
        this.n = n;
        this.rows = rows;
        now = new double[(rows + 2) * width()];
        if (firstRow == 0) {
            Arrays.fill(now, 0, width(), HOT);
        }
        for (int row = 1; row <= rows; row++) {
            for (int column = 1; column <= n; column++) {
                now[at(row) + column] = startingTemperature(firstRow + row, column);
            }
        }
        next = now.clone();
    }

    private static double startingTemperature(int row, int column) {
        return (31 * row + 17 * column) % HOT;
    }

    /** The cells of this moment; not a copy, and another array after {@link #advance}. */
    double[] cells() {
        return now;
    }

    /** Cells in a row, both frame columns included. */
    int width() {
        return n + 2;
    }

    /** Where the given row starts in {@link #cells}. */
    int at(int row) {
        return row * width();
    }

    int rows() {
        return rows;
    }

    /**
     * Computes the next temperature, the mean of the four neighbours, in the rows {@code [from, to)}, and returns the
     * largest change of a cell there.
     */
    double relax(int from, int to) {
        double largest = 0;
        for (int row = from; row < to; row++) {
            for (int cell = at(row) + 1; cell <= at(row) + n; cell++) {
                next[cell] = 0.25 * (now[cell - width()] + now[cell + width()] + now[cell - 1] + now[cell + 1]);
                largest = Math.max(largest, Math.abs(next[cell] - now[cell]));
            }
        }
        return largest;
    }

    /** Makes the computed temperatures those of this moment; all rows must have been relaxed. */
    void advance() {
        double[] old = now;
        now = next;
        next = old;
    }
}
