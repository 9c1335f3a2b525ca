package org.posthouse.mpj;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * The words that a launcher puts before a program's own arguments. A program expects those of the MPI implementation
 * for which it was written. {@code Init} removes them.
 */
public enum ArgumentWords {
    /** No words: the program's own arguments begin at {@code args[0]}. */
    DEFAULT,
    /** Rank, configuration, device: the program's own arguments begin at {@code args[3]}. */
    MPJEXPRESS("posthouse.conf", "posthouse"),
    /** Rank: the program's own arguments begin at {@code args[1]}. */
    MPIJAVA();

    /** The variable that names one of these to a rank, in lower case; the default is none. */
    public static final String VARIABLE = "POSTHOUSE_ARGS";

    private final String[] behindRank;

    ArgumentWords(String... behindRank) {
        this.behindRank = behindRank;
    }

    /**
     * The choice in the environment.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static ArgumentWords of(Map<String, String> environment) {
        String name = environment.getOrDefault(VARIABLE, "default");
        for (ArgumentWords words : values()) {
            if (words.word().equals(name)) {
                return words;
            }
        }
        throw new IllegalArgumentException(VARIABLE + "=" + name + ", expected default, mpjexpress or mpijava");
    }

    /** The name that a user gives. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The arguments for main. */
    public String[] before(String[] own, int rank) {
        String[] words = words(rank);
        String[] all = Arrays.copyOf(words, words.length + own.length);
        System.arraycopy(own, 0, all, words.length, own.length);
        return all;
    }

    /** The program's own part of its arguments to Init: all of them, unless they begin with these very words. */
    public String[] strip(String[] given, int rank) {
        String[] words = words(rank);
        boolean begins = given.length >= words.length
                && Arrays.equals(words, 0, words.length, given, 0, words.length);
        return Arrays.copyOfRange(given, begins ? words.length : 0, given.length);
    }

    private String[] words(int rank) {
        if (this == DEFAULT) {
            return new String[0];
        }
        String[] words = new String[1 + behindRank.length];
        words[0] = Integer.toString(rank);
        System.arraycopy(behindRank, 0, words, 1, behindRank.length);
        return words;
    }
}
