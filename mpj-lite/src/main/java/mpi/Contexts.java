package mpi;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * Which communicator numbers are free in this process. All processes of a new communicator agree on one that is free in
 * each of them, and give it back when they free the communicator, so that the relays keep state for as many contexts as
 * there ever were communicators at once. The agreement is a reduction over the old communicator (the way of MPICH).
 *
 * <p>Thread-safe. Two threads may make communicators out of different ones at once: the numbers are offered by one of
 * them at a time, the one with the lowest old communicator first; the others offer none, and try again.
 */
final class Contexts {
    /** Communicators that may exist at once. */
    static final int COUNT = 8192;

    static final int WORLD = 0;
    static final int SELF = 1;

    private final long[] free = new long[COUNT / Long.SIZE];
    private final TreeSet<Integer> waiting = new TreeSet<>();
    private Integer offering;

    Contexts() {
        Arrays.fill(free, -1L);
        take(WORLD);
        take(SELF);
    }

    /** A value that each process contributes and that is combined with {@code &}. */
    static final int OFFER_LONGS = COUNT / Long.SIZE + 1;

    /** The free numbers, then whether they were offered: none are while another thread's are under way. */
    synchronized long[] offer(int parent) {
        waiting.add(parent);
        long[] offer = new long[OFFER_LONGS];
        if (offering == null && waiting.first() == parent) {
            offering = parent;
            System.arraycopy(free, 0, offer, 0, free.length);
            offer[free.length] = -1;
        }
        return offer;
    }

    /**
     * Ends a round of agreement.
     *
     * @param agreed all processes' offers, combined
     * @param member whether this process is in the new communicator, and so takes its number
     * @return the number, or -1 if some process offered none and all must try again
     * @throws MPIException if there is no number left that is free in all processes
     */
    synchronized int settle(String call, int parent, long[] agreed, boolean member) {
        if (offering != null && offering == parent) {
            offering = null;
        }
        for (int word = 0; word < free.length; word++) {
            if (agreed[word] != 0) {
                waiting.remove(parent);
                int number = word * Long.SIZE + Long.numberOfTrailingZeros(agreed[word]);
                if (member) {
                    take(number);
                }
                return number;
            }
        }
        if (agreed[free.length] != 0) {
            waiting.remove(parent);
            throw new MPIException(
                    MPI.ERR_OTHER, call + ": there are " + COUNT + " communicators, and no number for one more; free some");
        }
        return -1;
    }

    private void take(int number) {
        free[number / Long.SIZE] &= ~(1L << number);
    }

    /** Gives a communicator's number back. */
    synchronized void release(int number) {
        free[number / Long.SIZE] |= 1L << number;
    }
}
