package org.posthouse.cli.config;

import java.util.Collection;
import java.util.Comparator;

/** The name that somebody most likely meant. Stateless. */
final class Nearest {
    private Nearest() {}

    /** The one of {@code names} with the fewest letters to change. */
    static String of(String word, Collection<String> names) {
        return names.stream().min(Comparator.comparingInt((String name) -> distance(word, name)).thenComparing(Comparator.naturalOrder())).orElse("");
    }

    /** Levenshtein's: letters to insert, to delete or to replace. */
    static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
