package org.posthouse.core;

/** Notices two processes that take a rank's connection from each other. Confined to the relay core. */
final class Flapping {
    private static final int TIMES_MAX = 3;
    private static final long WITHIN_NANOS = 10_000_000_000L;

    private final long[] at = new long[TIMES_MAX];
    private int times;

    /** A living connection was replaced by one of the same incarnation. @return whether that has come too often */
    boolean replaced(long nanos) {
        at[times % TIMES_MAX] = nanos;
        times++;
        return times >= TIMES_MAX && nanos - at[times % TIMES_MAX] <= WITHIN_NANOS;
    }
}
