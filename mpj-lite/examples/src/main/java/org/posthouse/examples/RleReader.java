package org.posthouse.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a pattern of the game of life in run-length encoding, the format in which patterns are collected: a header
 * {@code x = 3, y = 3, rule = B3/S23}, which may be missing, lines of comment that begin with #, then runs of b (dead),
 * o (alive) and $ (end of a row), and ! at the end.
 *
 * <p>What is not of that form is an IllegalArgumentException that names the line.
 */
final class RleReader {

    private static final int SIDE_MAX = 1 << 20;
    private static final Pattern HEADER = Pattern.compile(
            "x\\s*=\\s*\\d+\\s*,\\s*y\\s*=\\s*\\d+\\s*(?:,\\s*rule\\s*=\\s*(\\S+)\\s*)?", Pattern.CASE_INSENSITIVE);
    private static final List<String> RULES = List.of("b3/s23", "23/3", "life", "conway");

    private final List<int[]> cells = new ArrayList<>();
    private int line;
    private int row;
    private int column;
    private int run;
    private boolean isEnded;

    private RleReader() {}

    /** The living cells, each as row and column from 0, in the order of rows and then of columns. */
    static List<int[]> read(String text) {
        RleReader reader = new RleReader();
        for (String each : text.lines().toList()) {
            reader.line++;
            reader.readLine(each.strip());
        }
        if (!reader.isEnded) {
            throw reader.complaint("there is no ! at the end");
        }
        return reader.cells;
    }

    private void readLine(String text) {
        if (isEnded || text.isEmpty() || text.charAt(0) == '#') {
            return;
        }
        if (text.charAt(0) == 'x' || text.charAt(0) == 'X') {
            readHeader(text);
            return;
        }
        for (int i = 0; i < text.length() && !isEnded; i++) {
            readCharacter(text.charAt(i));
        }
    }

    private void readHeader(String text) {
        Matcher header = HEADER.matcher(text);
        if (!header.matches()) {
            throw complaint("the header is '" + text + "', expected such as x = 3, y = 3, rule = B3/S23");
        }
        if (header.group(1) != null && !RULES.contains(header.group(1).toLowerCase(Locale.ROOT))) {
            throw complaint("the rule is " + header.group(1) + ", expected B3/S23");
        }
    }

    private void readCharacter(char character) {
        switch (character) {
            case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> run = limited(10L * run + character - '0');
            case 'b' -> column = limited((long) column + takeRun());
            case 'o' -> addCells(takeRun());
            case '$' -> {
                row = limited((long) row + takeRun());
                column = 0;
            }
            case '!' -> isEnded = true;
            case ' ', '\t' -> {}
            default -> throw complaint("there is '" + character + "', expected a number, b, o, $ or !");
        }
    }

    private void addCells(int count) {
        limited((long) column + count);
        for (int i = 0; i < count; i++) {
            cells.add(new int[] {row, column});
            column++;
        }
    }

    private int takeRun() {
        int taken = Math.max(1, run);
        run = 0;
        return taken;
    }

    private int limited(long value) {
        if (value > SIDE_MAX) {
            throw complaint("the pattern is larger than " + SIDE_MAX + " cells");
        }
        return (int) value;
    }

    private IllegalArgumentException complaint(String what) {
        return new IllegalArgumentException("line " + line + ": " + what);
    }
}
