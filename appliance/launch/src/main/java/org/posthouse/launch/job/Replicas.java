package org.posthouse.launch.job;

import java.util.Arrays;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many processes each rank of a job has ({@code --replicas}): one leads and the others follow it. Immutable.
 *
 * @param degree processes of a replicated rank, 1 to {@value #DEGREE_MAX}; 1: no rank is replicated
 * @param ranks the replicated ranks as they were given, such as {@code 0,3,7-9}; empty: all
 */
public record Replicas(int degree, String ranks) {
    /** More copies than that cost more than they save: see {@code posthouse plan}. */
    public static final int DEGREE_MAX = 16;

    /** One process of each rank. */
    public static final Replicas NONE = new Replicas(1, "");

    private static final Pattern WORD = Pattern.compile("(\\d{1,9})(?::(.*))?");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    public Replicas {
        if (degree < 1 || degree > DEGREE_MAX) {
            throw new IllegalArgumentException("degree " + degree + ", expected 1 to " + DEGREE_MAX);
        }
        if (!ranks.isEmpty()) {
            parse(ranks, Integer.MAX_VALUE);
        }
    }

    /**
     * Reads {@code DEGREE} or {@code DEGREE:RANKS}.
     *
     * @throws IllegalArgumentException with what is wrong and what is expected
     */
    public static Replicas of(String word) {
        Matcher parts = WORD.matcher(word);
        if (!parts.matches() || parts.group(2) != null && parts.group(2).isEmpty()) {
            throw new IllegalArgumentException("\"" + word + "\", expected a degree such as 2, or a degree and ranks such as 2:0,3,7-9");
        }
        return new Replicas(Integer.parseInt(parts.group(1)), parts.group(2) == null ? "" : parts.group(2));
    }

    /** Whether any rank has more than one process. */
    public boolean areWanted() {
        return degree > 1;
    }

    /**
     * Number of processes of each rank of a job.
     *
     * @throws IllegalArgumentException if a rank is named that the job has not
     */
    public int[] degrees(int size) {
        BitSet named = ranks.isEmpty() ? null : parse(ranks, size);
        int[] degrees = new int[size];
        for (int rank = 0; rank < size; rank++) {
            degrees[rank] = named == null || named.get(rank) ? degree : 1;
        }
        return degrees;
    }

    /** Number of processes of a job: its ranks, and those that follow them. */
    public int processes(int size) {
        return Arrays.stream(degrees(size)).sum();
    }

    private static BitSet parse(String ranks, int size) {
        BitSet named = new BitSet();
        for (String part : ranks.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                throw new IllegalArgumentException("\"" + part + "\" in \"" + ranks + "\", expected a rank such as 3 or a range such as 7-9");
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first) {
                throw new IllegalArgumentException("range " + part + " ends before it begins");
            }
            if (last >= size) {
                throw new IllegalArgumentException(
                        "rank " + last + " of a job of " + size + (size == 1 ? " rank" : " ranks") + ", which has ranks 0 to " + (size - 1));
            }
            if (size != Integer.MAX_VALUE) {
                named.set(first, last + 1);
            }
        }
        return named;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return ranks.isEmpty() ? Integer.toString(degree) : degree + ":" + ranks;
    }
}
