package org.posthouse.examples;

import java.util.Arrays;

/**
 * How the ranks share rows, keys or anything else that is counted: in order, as evenly as whole ones allow.
 * With more parts than there is to share, some parts are empty.
 *
 * @param total how many there are to share, 0 or more
 * @param parts how many share them, 1 or more
 */
record Partition(int total, int parts) {

    /** The first one that is part {@code part}'s; for {@code part == parts} the total. */
    int first(int part) {
        return (int) ((long) total * part / parts);
    }

    int count(int part) {
        return first(part + 1) - first(part);
    }

    /** The part that the given one of {@code [0, total)} belongs to. */
    int owner(int index) {
        return (int) (((index + 1L) * parts - 1) / total);
    }

    /** The counts of all parts, as the v-forms of MPI's collectives want them, for {@code width} elements each. */
    int[] counts(int width) {
        int[] counts = new int[parts];
        Arrays.setAll(counts, part -> count(part) * width);
        return counts;
    }

    /** Where each part begins in one array of all, for {@code width} elements each. */
    int[] displacements(int width) {
        int[] displacements = new int[parts];
        Arrays.setAll(displacements, part -> first(part) * width);
        return displacements;
    }
}
