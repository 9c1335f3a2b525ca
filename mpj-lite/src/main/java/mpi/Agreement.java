package mpi;

import java.util.BitSet;
import org.posthouse.wire.ReplayLimit;

/**
 * The agreement of the processes of a new communicator on its number (ADR 8). A reduction finds the numbers that are
 * free in all of them. Each takes the one that all choose, and a second reduction finds whether all could. If not,
 * another agreement was quicker somewhere; all give the number back and try again, choosing among more numbers each
 * time.
 *
 * <p>Nothing is held while others are waited for, so any number of agreements may be under way at once, in any order at
 * each process. Confined to the thread that runs it, until the communicator's number is asked for. For one use.
 */
final class Agreement {
    /** Joins the values of all processes bit by bit: a bit stays set if all have it. */
    interface Joining<E extends Exception> {
        void and(long[] values) throws E;
    }

    /** Rounds after which the choice does not widen any more: that from all numbers. */
    private static final int ROUNDS_WIDENING = 13;

    private final String call;
    private final Communicator parent;
    private final boolean member;
    private final int seed;

    /** -1 before it is known. */
    private int number = -1;

    /**
     * @param parent whose error it is if there is no number
     * @param seed the same in all processes, and rarely that of another agreement under way
     * @param member whether this process is in the new communicator, and so takes its number
     */
    Agreement(String call, Communicator parent, int seed, boolean member) {
        this.call = call;
        this.parent = parent;
        this.seed = seed;
        this.member = member;
    }

    /** To be called by the program's thread, before {@link #reach}; {@link #end} when the program has seen the end of that. */
    Agreement begin(Collectives in) {
        if (!parent.self.contexts().beginAgreement(in)) {
            parent.endpoint.limit(ReplayLimit.AGREEMENTS);
        }
        return this;
    }

    void end() {
        parent.self.contexts().endAgreement();
    }

    /**
     * Takes part. If the reduction throws, this process keeps the number that it took, if any, for ever: others may
     * have agreed on it, and send messages under it.
     *
     * @throws MPIException if there is no number that is free in all processes
     */
    <E extends Exception> void reach(Joining<E> all) throws E {
        Contexts contexts = parent.self.contexts();
        boolean scarce = false;
        for (int round = 0; number < 0; round++) {
            long[] free = scarce ? contexts.free() : contexts.rested();
            all.and(free);
            if (!scarce && BitSet.valueOf(free).isEmpty()) {
                scarce = true;
                continue;
            }
            int chosen = choose(BitSet.valueOf(free), round);
            boolean taken = member && contexts.tryTake(chosen);
            long[] agreed = {taken || !member ? 1 : 0};
            all.and(agreed);
            if (agreed[0] == 1) {
                number = chosen;
            } else if (taken) {
                contexts.putBack(chosen);
            }
        }
    }

    /** The lowest number; when another agreement takes it away, one of the lowest two, four, and so on. */
    private int choose(BitSet free, int round) {
        if (free.isEmpty()) {
            throw parent.check.error(
                    MPI.ERR_OTHER, call,
                    "there are " + Contexts.COUNT + " communicators, and no number for one more; free some, and wait for what is under way on them");
        }
        int choices = Math.min(free.cardinality(), 1 << Math.min(round, ROUNDS_WIDENING));
        // Multiplied by an odd number near 2^32 / golden ratio, as in Fibonacci hashing: the high bits are well mixed.
        int hash = (seed * 31 + round) * 0x9E3779B9 >>> Short.SIZE;
        return free.stream().skip(hash % choices).findFirst().orElseThrow();
    }

    /** The number that was agreed on. */
    int number() {
        return number;
    }
}
