package org.posthouse.examples;

/**
 * What one rank found in its batches of NAS EP: sums of Gaussian deviates, and how many lie how far out.
 *
 * <p>Confined to its rank. Uniform pairs become Gaussian ones by acceptance and rejection (Marsaglia's polar method):
 * a pair outside the unit circle is dropped, one inside is stretched. {@code StrictMath} gives the same bits on every
 * machine, so a rank that is restarted elsewhere repeats itself exactly.
 */
final class EpTally {

    static final int BATCH_PAIRS_LOG2 = 16;
    static final int RINGS = 10;

    private static final long SEED = 271_828_183L;
    private static final int BATCH_PAIRS = 1 << BATCH_PAIRS_LOG2;

    private final double[] sums = new double[2];
    private final long[] counts = new long[RINGS];

    /** Draws the pairs of the given batch, counted from 0, and adds them in. */
    void addBatch(int batch) {
        NasRandom random = new NasRandom(SEED).skip(2L * BATCH_PAIRS * batch);
        for (int pair = 0; pair < BATCH_PAIRS; pair++) {
            double x = 2.0 * random.nextFraction() - 1.0;
            double y = 2.0 * random.nextFraction() - 1.0;
            double radius2 = x * x + y * y;
            if (radius2 <= 1.0) {
                double stretch = Math.sqrt(-2.0 * StrictMath.log(radius2) / radius2);
                addPair(x * stretch, y * stretch);
            }
        }
    }

    private void addPair(double x, double y) {
        sums[0] += x;
        sums[1] += y;
        counts[(int) Math.max(Math.abs(x), Math.abs(y))]++;
    }

    /** The sums of the x and of the y; not a copy. */
    double[] sums() {
        return sums;
    }

    /** Entry k: accepted pairs whose larger coordinate is in [k, k+1); not a copy. */
    long[] counts() {
        return counts;
    }
}
