package org.posthouse.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How the ranks share a matrix product C = A·B: they stand in a grid, row after row, and each has one block of each
 * matrix. Constant.
 *
 * @param rows rows of A and C
 * @param columns columns of B and C
 * @param inner columns of A and rows of B
 * @param gridRows rows of the grid
 * @param gridColumns columns of the grid
 */
record MatmulGrid(int rows, int columns, int inner, int gridRows, int gridColumns) {

    /** The most columns of A, and rows of B, in a panel: narrow enough that a panel of B stays in a cache. */
    static final int PANEL_MAX = 64;

    /**
     * A step of the algorithm: the columns {@code [from, to)} of A and the same rows of B.
     *
     * @param gridColumn where in each row of the grid the panel of A is
     * @param gridRow where in each column of the grid the panel of B is
     */
    record Panel(int from, int to, int gridColumn, int gridRow) {
        int width() {
            return to - from;
        }
    }

    /** The grid of {@code ranks} ranks in which each rank gets the fewest values: as square as its blocks can be. */
    static MatmulGrid of(int ranks, int rows, int columns, int inner) {
        return IntStream.rangeClosed(1, ranks)
                .filter(gridRows -> ranks % gridRows == 0)
                .mapToObj(gridRows -> new MatmulGrid(rows, columns, inner, gridRows, ranks / gridRows))
                .reduce((best, next) -> next.edge() < best.edge() ? next : best)
                .orElseThrow();
    }

    /** Half the circumference of a block of C: what comes in a step is in proportion to it. */
    private double edge() {
        return (double) rows / gridRows + (double) columns / gridColumns;
    }

    int gridRow(int rank) {
        return rank / gridColumns;
    }

    int gridColumn(int rank) {
        return rank % gridColumns;
    }

    int rank(int gridRow, int gridColumn) {
        return gridRow * gridColumns + gridColumn;
    }

    /** The rank's block of A. */
    Tile blockOfA(int rank) {
        return block(rank, rows, inner);
    }

    /** The rank's block of B. */
    Tile blockOfB(int rank) {
        return block(rank, inner, columns);
    }

    /** The rank's block of C. */
    Tile blockOfC(int rank) {
        return block(rank, rows, columns);
    }

    private Tile block(int rank, int ofRows, int ofColumns) {
        Partition shares = new Partition(ofRows, gridRows);
        Partition sharesAcross = new Partition(ofColumns, gridColumns);
        int row = gridRow(rank);
        int column = gridColumn(rank);
        return new Tile(shares.first(row), shares.count(row), sharesAcross.first(column), sharesAcross.count(column));
    }

    /** The steps: each panel lies in one column of the grid in A, and in one row of the grid in B. */
    List<Panel> panels() {
        Partition ofA = new Partition(inner, gridColumns);
        Partition ofB = new Partition(inner, gridRows);
        List<Panel> panels = new ArrayList<>();
        int from = 0;
        while (from < inner) {
            int gridColumn = ofA.owner(from);
            int gridRow = ofB.owner(from);
            int end = Math.min(ofA.first(gridColumn + 1), ofB.first(gridRow + 1));
            int to = Math.min(end, from + PANEL_MAX);
            panels.add(new Panel(from, to, gridColumn, gridRow));
            from = to;
        }
        return panels;
    }
}
