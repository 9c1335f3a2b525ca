package org.posthouse.examples;

import java.util.Arrays;
import java.util.Locale;
import mpi.MPI;

/**
 * The words a user typed after the program's name, as {@code MPI.Init} returned them.
 * Rank 0 reads them and broadcasts what they mean, so a word that makes no sense ends the job with one line,
 * not with one line per rank.
 */
final class Arguments {

    private static final int ROOT = 0;

    private final String program;
    private final String[] words;

    Arguments(String program, String[] words) {
        this.program = program;
        this.words = words;
    }

    /** The whole number in word {@code index}, or {@code fallback} without that word; ends the job if out of range. */
    long number(int index, String name, long fallback, long min, long max) {
        try {
            return index < words.length ? parseNumber(name, words[index], min, max) : fallback;
        } catch (IllegalArgumentException e) {
            throw Report.refuse(program, e.getMessage());
        }
    }

    /**
     * The problem class in the first word of rank 0, or {@code fallback} without one, at every rank; collective.
     * Ends the job if there is no such class.
     */
    static <C extends Enum<C>> C sharedProblemClass(String program, String[] words, C fallback) {
        int[] ordinal = new int[1];
        if (MPI.COMM_WORLD.Rank() == ROOT) {
            ordinal[0] = new Arguments(program, words).problemClass(fallback).ordinal();
        }
        MPI.COMM_WORLD.Bcast(ordinal, 0, 1, MPI.INT, ROOT);
        return fallback.getDeclaringClass().getEnumConstants()[ordinal[0]];
    }

    /** The problem class in the first word, or {@code fallback} without one; ends the job if there is no such class. */
    <C extends Enum<C>> C problemClass(C fallback) {
        try {
            return words.length > 0 ? parseClass(words[0], fallback.getDeclaringClass()) : fallback;
        } catch (IllegalArgumentException e) {
            throw Report.refuse(program, e.getMessage());
        }
    }

    static long parseNumber(String name, String word, long min, long max) {
        try {
            long value = Long.parseLong(word);
            if (min <= value && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(complaint(name, word, min, max), e);
        }
        throw new IllegalArgumentException(complaint(name, word, min, max));
    }

    static <C extends Enum<C>> C parseClass(String word, Class<C> classes) {
        return Arrays.stream(classes.getEnumConstants())
                .filter(each -> each.name().equals(word.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("class is '" + word + "', expected one of "
                        + Arrays.toString(classes.getEnumConstants())));
    }

    private static String complaint(String name, String word, long min, long max) {
        return name + " is '" + word + "', expected a whole number from " + min + " to " + max;
    }
}
