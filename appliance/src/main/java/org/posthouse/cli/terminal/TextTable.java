package org.posthouse.cli.terminal;

import java.util.List;
import java.util.function.IntPredicate;

/** Rows as aligned columns, two blanks between. Stateless. */
public final class TextTable {
    private TextTable() {}

    /**
     * The rows, a line each.
     *
     * @param rows the first is the head; all have as many columns
     * @param numbers columns that are aligned at their right
     */
    public static String of(List<List<String>> rows, IntPredicate numbers) {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = rows.stream().mapToInt(other -> other.get(at).length()).max().orElse(0);
                String padding = " ".repeat(width - row.get(column).length());
                line.append(numbers.test(column) ? padding + row.get(column) : row.get(column) + padding).append("  ");
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
    }
}
