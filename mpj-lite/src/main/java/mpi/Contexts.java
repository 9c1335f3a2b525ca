package mpi;

import java.util.Arrays;

/**
 * Which communicator numbers are free in this process. All processes of a new communicator agree on one that is free in
 * each of them ({@link Agreement}), and give it back when they free the communicator, so that the relays keep state for
 * about as many contexts as there ever were communicators at once. Thread-safe.
 */
final class Contexts {
    /** Communicators that may exist at once. */
    static final int COUNT = 8192;

    static final int WORLD = 0;
    static final int SELF = 1;

    private final long[] free = new long[COUNT / Long.SIZE];

    Contexts() {
        Arrays.fill(free, -1L);
        tryTake(WORLD);
        tryTake(SELF);
    }

    /** A bit for each number, set if it is free: a copy. */
    synchronized long[] free() {
        return free.clone();
    }

    /** Takes a number, unless it is taken. */
    synchronized boolean tryTake(int number) {
        long bit = 1L << number;
        boolean taken = (free[number / Long.SIZE] & bit) == 0;
        free[number / Long.SIZE] &= ~bit;
        return !taken;
    }

    /** Gives a number back. */
    synchronized void release(int number) {
        free[number / Long.SIZE] |= 1L << number;
    }
}
