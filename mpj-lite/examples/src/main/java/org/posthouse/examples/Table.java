package org.posthouse.examples;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Columns of numbers from a file of comma-separated values.
 *
 * @param names the columns' names, from the file's first line if no cell of it is a number, else "column 1" and so on
 * @param values row by row, as many in a row as there are names; finite all of them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of a large table helps nobody
record Table(List<String> names, double[] values) {

    private static final int VALUES_MAX = Integer.MAX_VALUE - 8;

    int columns() {
        return names.size();
    }

    int rows() {
        return values.length / columns();
    }

    /**
     * Reads all rows.
     *
     * @param chosen names of columns or their numbers from 1, separated by commas; null means every column that has a
     *     number in the first row
     * @throws IllegalArgumentException that names line and column of what is not as it should be
     */
    static Table read(Reader text, char separator, String chosen) throws IOException {
        CsvReader csv = new CsvReader(text, separator);
        List<String> first = csv.next();
        if (first == null) {
            throw new IllegalArgumentException("there is no line in it");
        }
        boolean hasHeader = first.stream().allMatch(cell -> Double.isNaN(parse(cell)));
        List<String> names = hasHeader ? first : numbered(first.size());
        List<String> row = hasHeader ? csv.next() : first;
        if (row == null) {
            throw new IllegalArgumentException("there is a header in line " + csv.line() + ", but no line of numbers");
        }
        int[] columns = chosen == null ? numeric(row, csv.line()) : choose(chosen, names);
        Numbers numbers = new Numbers();
        for (; row != null; row = csv.next()) {
            if (row.size() != names.size()) {
                throw new IllegalArgumentException("line " + csv.line() + " has " + row.size() + " columns, expected "
                        + names.size() + " as in the first line");
            }
            for (int column : columns) {
                numbers.add(number(row.get(column), csv.line(), column, names));
            }
        }
        return new Table(Arrays.stream(columns).mapToObj(names::get).toList(), numbers.toArray());
    }

    private static List<String> numbered(int columns) {
        return IntStream.rangeClosed(1, columns).mapToObj(i -> "column " + i).toList();
    }

    private static int[] numeric(List<String> row, int line) {
        int[] columns = IntStream.range(0, row.size())
                .filter(column -> !Double.isNaN(parse(row.get(column))))
                .toArray();
        if (columns.length == 0) {
            throw new IllegalArgumentException("line " + line + " has no number in any column");
        }
        return columns;
    }

    private static int[] choose(String chosen, List<String> names) {
        int[] columns = Arrays.stream(chosen.split(",", -1))
                .mapToInt(word -> find(word.strip(), names))
                .toArray();
        if (Arrays.stream(columns).distinct().count() < columns.length) {
            throw new IllegalArgumentException("'" + chosen + "' names a column twice");
        }
        return columns;
    }

    private static int find(String word, List<String> names) {
        int index = names.indexOf(word);
        if (index < 0 && word.matches("[1-9][0-9]{0,8}") && Integer.parseInt(word) <= names.size()) {
            index = Integer.parseInt(word) - 1;
        }
        if (index < 0) {
            throw new IllegalArgumentException("there is no column '" + word + "', expected some of " + names
                    + " or numbers from 1 to " + names.size());
        }
        return index;
    }

    private static double number(String cell, int line, int column, List<String> names) {
        double number = parse(cell);
        if (Double.isNaN(number)) {
            throw new IllegalArgumentException("line " + line + ", column " + (column + 1) + " (" + names.get(column)
                    + ") is '" + cell + "', expected a number");
        }
        return number;
    }

    /** The finite decimal number in a cell, or NaN: Java's own words and suffixes for numbers are none in a file. */
    private static double parse(String cell) {
        if (cell.isEmpty() || !cell.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0)) {
            return Double.NaN;
        }
        try {
            double number = Double.parseDouble(cell);
            return Double.isFinite(number) ? number : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN; // such as "1-2": a text, not a number
        }
    }

    /** Numbers whose count is not known before. */
    private static final class Numbers {
        private double[] values = new double[1024];
        private int count;

        void add(double value) {
            if (count == values.length) {
                if (count == VALUES_MAX) {
                    throw new IllegalArgumentException("there are more than " + VALUES_MAX + " numbers in it");
                }
                values = Arrays.copyOf(values, (int) Math.min(2L * count, VALUES_MAX));
            }
            values[count++] = value;
        }

        double[] toArray() {
            return Arrays.copyOf(values, count);
        }
    }
}
