package org.posthouse.ops;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A question for lines that a job's ranks have printed.
 *
 * @param job    the job's id
 * @param rank   the rank; {@link #ALL} for all of them
 * @param lines  the newest so many, 1 to {@value #LINES_MAX}
 * @param search only lines with this text, in capitals or not; empty for all
 */
public record OutputQuery(String job, int rank, int lines, String search) {
    /** In place of a rank. */
    public static final int ALL = -1;

    static final int LINES_DEFAULT = 200;
    static final int LINES_MAX = 2_000;

    /** Longest text that is searched for, in bytes of UTF-8: a question over a link has little room. */
    static final int SEARCH_BYTES_MAX = 256;

    private static final Pattern WORDS = Pattern.compile("output ([0-9a-f]{1,32}) (-1|\\d{1,9}) (\\d{1,4}) (.*)", Pattern.DOTALL);

    /** The question as it is asked over a link. */
    String words() {
        return "output " + job + " " + rank + " " + lines + " " + search;
    }

    /** Reads such a question; empty if it is none. */
    static Optional<OutputQuery> parse(String words) {
        Matcher found = WORDS.matcher(words);
        return found.matches()
                ? Optional.of(new OutputQuery(
                        found.group(1), Integer.parseInt(found.group(2)), Math.min(LINES_MAX, Integer.parseInt(found.group(3))), found.group(4)))
                : Optional.empty();
    }

    /** @throws IllegalArgumentException in one line, if a value of the request is none */
    static OutputQuery of(String job, String rank, String lines, String search) {
        int bytes = search.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > SEARCH_BYTES_MAX) {
            throw new IllegalArgumentException("search has " + bytes + " bytes, expected at most " + SEARCH_BYTES_MAX);
        }
        int asked = number("lines", lines, LINES_DEFAULT);
        if (asked < 1 || asked > LINES_MAX) {
            throw new IllegalArgumentException("lines=" + asked + ", expected 1 to " + LINES_MAX);
        }
        return new OutputQuery(job, number("rank", rank, ALL), asked, search);
    }

    private static int number(String name, String text, int otherwise) {
        if (text.isEmpty()) {
            return otherwise;
        }
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(name + "=\"" + Responses.shortened(text) + "\", expected a whole number of at most 9 digits");
        }
        return Integer.parseInt(text);
    }
}
