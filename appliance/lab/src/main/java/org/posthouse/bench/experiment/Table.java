package org.posthouse.bench.experiment;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A table for people: one header, then a line for each {@code F}, in columns of fixed width with a blank between them. */
public final class Table<F> {
    private final List<Column<F>> columns = new ArrayList<>();

    /** @param width characters at least; below 0, the text stands at the left */
    private record Column<F>(String name, int width, Function<F, String> text) {
        String fitted(String text) {
            return width == 0 ? text : String.format(Locale.ROOT, "%" + width + "s", text);
        }
    }

    /** Adds a column whose values are shown in {@code format}. */
    public Table<F> column(String name, int width, String format, Function<F, Object> value) {
        columns.add(new Column<>(name, width, line -> String.format(Locale.ROOT, format, value.apply(line))));
        return this;
    }

    /** Adds a column that is the same in every line, the header too: a rule or a gap. */
    public Table<F> between(String text) {
        columns.add(new Column<>(text, 0, line -> text));
        return this;
    }

    /** Prints the headings and one row for each of {@code lines}. */
    public void print(PrintStream out, List<F> lines) {
        out.println(columns.stream().map(column -> column.fitted(column.name)).collect(Collectors.joining(" ")));
        for (F line : lines) {
            out.println(columns.stream().map(column -> column.fitted(column.text.apply(line))).collect(Collectors.joining(" ")));
        }
    }
}
