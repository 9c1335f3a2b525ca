package org.posthouse.examples;

/**
 * The keys that came to one rank in an iteration of NAS IS, and the rank of each: how many keys are smaller.
 *
 * <p>Confined to its rank. Knows all keys of the whole sequence in {@code [min, max)} and how many are smaller than
 * min; so the ranks found here are ranks in the whole sequence.
 */
final class RankedKeys {

    private final int[] keys;
    private final int count;
    private final int min;
    private final int[] below;
    private final long lesser;

    /**
     * Ranks the first {@code count} entries of {@code keys}, all in {@code [min, max)}; keeps the array itself.
     *
     * @param lesser how many keys of the whole sequence are below min
     */
    RankedKeys(int[] keys, int count, int min, int max, long lesser) {
        this.keys = keys;
        this.count = count;
        this.min = min;
        this.lesser = lesser;
        below = new int[max - min];
        for (int i = 0; i < count; i++) {
            below[keys[i] - min]++;
        }
        int smaller = 0;
        for (int value = 0; value < below.length; value++) {
            int equal = below[value];
            below[value] = smaller;
            smaller += equal;
        }
    }

    /** Whether the keys of this value are here; on one rank only, for any value. */
    boolean covers(int key) {
        return min <= key && key < min + below.length;
    }

    /** How many keys of the whole sequence are smaller than {@code key}, which must be covered here. */
    long rankOf(int key) {
        return lesser + below[key - min];
    }

    /** The keys in the order of their ranks, in a new array. */
    int[] sorted() {
        int[] place = below.clone();
        int[] sorted = new int[count];
        for (int i = 0; i < count; i++) {
            sorted[place[keys[i] - min]++] = keys[i];
        }
        return sorted;
    }

    /** Whether no key is smaller than the one before it; {@code previous} comes before the first. */
    static boolean isAscending(int[] keys, int previous) {
        int last = previous;
        for (int key : keys) {
            if (key < last) {
                return false;
            }
            last = key;
        }
        return true;
    }

    /** A sum that depends on which keys there are, but not on their order. */
    static long fingerprint(int[] keys) {
        long sum = 0;
        for (int key : keys) {
            long mixed = (key + 1L) * 0x9E3779B97F4A7C15L;
            sum += (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
        }
        return sum;
    }
}
