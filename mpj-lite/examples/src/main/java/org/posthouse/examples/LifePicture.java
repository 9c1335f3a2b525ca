package org.posthouse.examples;

import java.util.List;
import java.util.stream.IntStream;

/** Draws a board in characters: of a large board, each stands for a rectangle of cells. */
final class LifePicture {

    private static final int LINES_MAX = 40;
    private static final int WIDTH_MAX = 80;

    private LifePicture() {}

    /** The lines of the picture: # where any cell lives, a dot elsewhere. */
    static List<String> of(LifeBlock board) {
        int height = (board.rows() - 1) / LINES_MAX + 1;
        int width = (board.columns() - 1) / WIDTH_MAX + 1;
        return IntStream.iterate(0, row -> row < board.rows(), row -> row + height)
                .mapToObj(row -> line(board, row, height, width))
                .toList();
    }

    private static String line(LifeBlock board, int firstRow, int height, int width) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < board.columns(); column += width) {
            line.append(isAnyAlive(board, firstRow, height, column, width) ? '#' : '.');
        }
        return line.toString();
    }

    private static boolean isAnyAlive(LifeBlock board, int firstRow, int height, int firstColumn, int width) {
        int rowEnd = Math.min(firstRow + height, board.rows());
        int columnEnd = Math.min(firstColumn + width, board.columns());
        return IntStream.range(firstRow, rowEnd)
                .anyMatch(row -> IntStream.range(firstColumn, columnEnd).anyMatch(c -> board.isAlive(row + 1, c)));
    }
}
