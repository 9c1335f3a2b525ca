package org.posthouse.examples;

/**
 * One rank's part of the sequence that NAS IS sorts: the keys {@code [first, first + count)} of the whole.
 * Confined to its rank. The keys crowd around the middle of their range, each being the sum of four random numbers.
 */
final class IsKeys {

    private static final long SEED = 314_159_265L;
    private static final int DRAWS_LOG2 = 2;

    private final IsClass problem;
    private final int first;
    private final int[] keys;

    /** Draws the part of the given rank; all parts together do not depend on how many ranks there are. */
    IsKeys(IsClass problem, int rank, int size) {
        this.problem = problem;
        Partition shares = new Partition(problem.keys(), size);
        first = shares.first(rank);
        keys = new int[shares.count(rank)];
        NasRandom random = new NasRandom(SEED).skip((long) first << DRAWS_LOG2);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = draw(random);
        }
    }

    /** The mean of four numbers below 2⁴⁶, scaled to the range of keys. */
    private int draw(NasRandom random) {
        long sum = 0;
        for (int i = 0; i < 1 << DRAWS_LOG2; i++) {
            sum += random.nextBits();
        }
        return (int) (sum >>> (NasRandom.BITS + DRAWS_LOG2 - problem.maxKeyLog2()));
    }

    /** The keys of this rank; not a copy. */
    int[] array() {
        return keys;
    }

    /** Makes the two changes that the benchmark wants before the given iteration, counted from 1. */
    void alter(int iteration) {
        put(iteration, iteration);
        put(iteration + IsClass.ITERATIONS, problem.maxKey() - iteration);
    }

    /** Whether the key at the given place of the whole sequence is this rank's. */
    boolean holds(int index) {
        return first <= index && index < first + keys.length;
    }

    /** The key at the given place of the whole sequence, which this rank must hold. */
    int at(int index) {
        return keys[index - first];
    }

    private void put(int index, int key) {
        if (holds(index)) {
            keys[index - first] = key;
        }
    }
}
