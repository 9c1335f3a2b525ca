package org.posthouse.examples;

/**
 * The problem classes of NAS IS: sizes, and the published ranks of five test keys.
 *
 * <p>Sizes are powers of two, given by their exponents. Every iteration changes two keys, which shifts the rank of a
 * test key by one: the first {@code rising} ones upwards, the others downwards.
 */
enum IsClass {
    S(16, 11, 9,
            new int[] {48427, 17148, 23627, 62548, 4431},
            new int[] {0, 18, 346, 64917, 65463}, 3, 0, 0),
    W(20, 16, 10,
            new int[] {357773, 934767, 875723, 898999, 404505},
            new int[] {1249, 11698, 1039987, 1043896, 1048018}, 2, 2, 0),
    A(23, 19, 10,
            new int[] {2112377, 662041, 5336171, 3642833, 4250760},
            new int[] {104, 17523, 123928, 8288932, 8388264}, 3, 1, 1);

    /** Timed iterations of the benchmark. */
    static final int ITERATIONS = 10;
    /** Test keys looked up in each iteration. */
    static final int TESTS = 5;

    private final int keysLog2;
    private final int maxKeyLog2;
    private final int bucketsLog2;
    @SuppressWarnings("ImmutableEnumChecker") // never written to, never handed out
    private final int[] testIndexes;

    @SuppressWarnings("ImmutableEnumChecker") // never written to, never handed out
    private final int[] testRanks;

    private final int rising;
    private final int risingSince;
    private final int fallingSince;

    IsClass(int keysLog2, int maxKeyLog2, int bucketsLog2,
            int[] testIndexes, int[] testRanks, int rising, int risingSince, int fallingSince) {
        this.keysLog2 = keysLog2;
        this.maxKeyLog2 = maxKeyLog2;
        this.bucketsLog2 = bucketsLog2;
        this.testIndexes = testIndexes;
        this.testRanks = testRanks;
        this.rising = rising;
        this.risingSince = risingSince;
        this.fallingSince = fallingSince;
    }

    int keys() {
        return 1 << keysLog2;
    }

    /** Keys are in {@code [0, maxKey)}. */
    int maxKey() {
        return 1 << maxKeyLog2;
    }

    int maxKeyLog2() {
        return maxKeyLog2;
    }

    int buckets() {
        return 1 << bucketsLog2;
    }

    /** A bucket holds the keys that agree in all but this many low bits. */
    int bucketShift() {
        return maxKeyLog2 - bucketsLog2;
    }

    /** Where in the whole sequence the given test key stands. */
    int testIndex(int test) {
        return testIndexes[test];
    }

    /** How many smaller keys there must be than the given test key, in the iteration counted from 1. */
    long expectedRank(int test, int iteration) {
        return test < rising
                ? testRanks[test] + iteration - risingSince
                : testRanks[test] - iteration + fallingSince;
    }
}
