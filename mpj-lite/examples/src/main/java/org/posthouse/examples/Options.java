package org.posthouse.examples;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The words a user typed after the program's name, of the form {@code --name value}. Constant once made.
 * Every complaint is an IllegalArgumentException whose message is meant for the user.
 */
final class Options {

    private final Map<String, String> values = new HashMap<>();

    /**
     * Takes the words apart.
     *
     * @param known all names that the program knows, each once, with their hyphens
     */
    Options(String[] words, String... known) {
        for (int i = 0; i < words.length; i += 2) {
            String name = words[i];
            if (!List.of(known).contains(name)) {
                throw new IllegalArgumentException(
                        "there is no option '" + name + "', expected one of " + String.join(", ", known));
            }
            if (i + 1 == words.length || List.of(known).contains(words[i + 1])) {
                throw new IllegalArgumentException(name + " needs a value behind it");
            }
            if (values.put(name, words[i + 1]) != null) {
                throw new IllegalArgumentException(name + " is given twice");
            }
        }
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    boolean isGiven(String name) {
        return values.containsKey(name);
    }

    /** The whole number given for {@code name}, or {@code fallback}; complains if it is not in {@code [min, max]}. */
    long number(String name, long fallback, long min, long max) {
        return text(name).map(word -> Arguments.parseNumber(name, word, min, max)).orElse(fallback);
    }
}
