package org.posthouse.examples;

/**
 * Where a block lies in a matrix: {@code rows} rows from {@code firstRow} on, {@code columns} columns from
 * {@code firstColumn} on. Its values are kept row by row, without gaps.
 */
record Tile(int firstRow, int rows, int firstColumn, int columns) {

    /** How many values it has. */
    int size() {
        return Math.multiplyExact(rows, columns);
    }
}
