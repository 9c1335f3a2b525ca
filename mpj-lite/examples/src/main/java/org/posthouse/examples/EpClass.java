package org.posthouse.examples;

/**
 * The problem classes of NAS EP and their published results (NPB up to 3.3; the number of accepted pairs as in 3.4).
 * Each draws 2 to the power {@code m} pairs, in batches of 2¹⁶.
 */
enum EpClass {
    S(24, -3.247834652034740e+3, -6.958407078382297e+3, 13_176_389),
    W(25, -2.863319731645753e+3, -6.320053679109499e+3, 26_354_769),
    A(28, -4.295875165629892e+3, -1.580732573678431e+4, 210_832_767);

    private static final double EPSILON = 1e-8;

    private final int m;
    private final double sumX;
    private final double sumY;
    private final long accepted;

    EpClass(int m, double sumX, double sumY, long accepted) {
        this.m = m;
        this.sumX = sumX;
        this.sumY = sumY;
        this.accepted = accepted;
    }

    int batches() {
        return 1 << (m - EpTally.BATCH_PAIRS_LOG2);
    }

    /** The random numbers drawn, two a pair: the size of the problem and its count of operations. */
    long randomNumbers() {
        return 2L << m;
    }

    /** Whether the sums agree with the published ones to 8 digits and the number of pairs agrees exactly. */
    boolean verifies(double[] sums, long pairs) {
        return relativeError(sums[0], sumX) <= EPSILON
                && relativeError(sums[1], sumY) <= EPSILON
                && pairs == accepted;
    }

    private static double relativeError(double actual, double expected) {
        return Math.abs((actual - expected) / expected);
    }
}
