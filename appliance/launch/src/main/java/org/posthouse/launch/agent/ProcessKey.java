package org.posthouse.launch.agent;

import java.util.Comparator;

/** One process of a rank: the rank, and the number of the process among those of the rank. */
record ProcessKey(int rank, int incarnation) implements Comparable<ProcessKey> {
    private static final Comparator<ProcessKey> ORDER = Comparator.comparingInt(ProcessKey::rank).thenComparingInt(ProcessKey::incarnation);

    @Override
    public int compareTo(ProcessKey other) {
        return ORDER.compare(this, other);
    }
}
