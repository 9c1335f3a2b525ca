package org.posthouse.examples;

/**
 * The random numbers of the NAS Parallel Benchmarks: x becomes 5¹³·x mod 2⁴⁶.
 *
 * <p>Confined to its rank. Whole numbers of 64 bits hold all of it: what a product loses at the top is beyond 2⁴⁶
 * anyway. Because n steps are one multiplication by (5¹³)ⁿ, a rank can start anywhere in the sequence at once, and
 * all ranks together draw exactly the numbers that one rank would have drawn.
 */
final class NasRandom {

    /** Every value is below 2 to this power. */
    static final int BITS = 46;

    private static final long MULTIPLIER = 1_220_703_125L;
    private static final long MASK = (1L << BITS) - 1;
    private static final double UNIT = 0x1p-46;

    private long x;

    NasRandom(long seed) {
        x = seed;
    }

    /** The next value, from 0 to 2⁴⁶-1. */
    long nextBits() {
        x = x * MULTIPLIER & MASK;
        return x;
    }

    /** The next value as a fraction in (0, 1); exact. */
    double nextFraction() {
        return nextBits() * UNIT;
    }

    /** Goes on as if {@code steps} values had been drawn; steps is 0 or more. */
    NasRandom skip(long steps) {
        long factor = MULTIPLIER;
        for (long left = steps; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                x = x * factor & MASK;
            }
            factor = factor * factor & MASK;
        }
        return this;
    }
}
