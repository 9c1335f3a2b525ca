package org.posthouse.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The game of life that a user asked for. Constant; made by rank 0 only.
 *
 * @param source what the user calls the cells: a pattern's name or a file
 * @param pattern the built-in pattern, or null if the cells came from a file
 * @param cells living cells, each as row and column from 0
 * @param hasPicture whether the last generation is to be drawn
 */
record LifeTask(
        String source, LifePattern pattern, List<int[]> cells, int rows, int columns, int generations,
        boolean hasPicture) {

    private static final int SIDE_MAX = 1 << 15;
    private static final int FILE_GENERATIONS = 1000;
    private static final int FILE_SIDE_MIN = 512;

    /** Reads the words a user typed; every complaint is an IllegalArgumentException for the user's eyes. */
    static LifeTask read(String[] words) {
        Options options = new Options(
                words, "--pattern", "--rle", "--generations", "--rows", "--columns", "--picture");
        Optional<String> file = options.text("--rle");
        if (file.isPresent() && options.isGiven("--pattern")) {
            throw new IllegalArgumentException("there are both --pattern and --rle, expected one of them");
        }
        String source = file.orElse(options.text("--pattern").orElse(LifePattern.R_PENTOMINO.word()));
        LifePattern pattern = file.isPresent() ? null : LifePattern.named(source);
        List<int[]> cells = pattern == null ? readFile(source) : RleReader.read(pattern.rle());
        int side = pattern == null ? Math.max(FILE_SIDE_MIN, 2 * Math.max(extent(cells, 0), extent(cells, 1)))
                : pattern.side();
        int generations = pattern == null ? FILE_GENERATIONS : pattern.generations();
        return new LifeTask(
                source, pattern, cells,
                (int) options.number("--rows", Math.min(side, SIDE_MAX), 1, SIDE_MAX),
                (int) options.number("--columns", Math.min(side, SIDE_MAX), 1, SIDE_MAX),
                (int) options.number("--generations", generations, 0, Integer.MAX_VALUE),
                isYes(options.text("--picture").orElse("no")));
    }

    private static List<int[]> readFile(String file) {
        try {
            return RleReader.read(Files.readString(Path.of(file)));
        } catch (IOException | IllegalArgumentException e) {
            throw Report.unusable(file, e);
        }
    }

    private static boolean isYes(String word) {
        return switch (word) {
            case "yes" -> true;
            case "no" -> false;
            default -> throw new IllegalArgumentException("--picture is '" + word + "', expected yes or no");
        };
    }

    private static int extent(List<int[]> cells, int dimension) {
        return cells.stream().mapToInt(cell -> cell[dimension] + 1).max().orElse(0);
    }

    /** A new board with the cells in its middle; complains if they do not fit. */
    LifeBlock board() {
        int height = extent(cells, 0);
        int width = extent(cells, 1);
        if (height > rows || width > columns) {
            throw new IllegalArgumentException(source + " has " + height + " rows and " + width
                    + " columns of cells, the board only " + rows + " and " + columns + ": give --rows and --columns");
        }
        LifeBlock board = new LifeBlock(rows, columns);
        for (int[] cell : cells) {
            board.bear(1 + (rows - height) / 2 + cell[0], (columns - width) / 2 + cell[1]);
        }
        return board;
    }

    /** Whether it is known how many cells live at the end. */
    boolean hasKnownEnd() {
        return pattern != null && generations == pattern.generations() && Math.min(rows, columns) >= pattern.side();
    }
}
