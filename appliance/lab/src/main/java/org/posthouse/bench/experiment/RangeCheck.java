package org.posthouse.bench.experiment;

/** Checks the numbers of a plan. */
public final class RangeCheck {
    private RangeCheck() {}

    /**
     * Requires {@code value} to be in [{@code min}, {@code max}].
     *
     * @param what the number's name, with its unit
     * @throws IllegalArgumentException if it is not: the value, its name and the range
     */
    public static void check(String what, long value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(value + " " + what + ", expected " + min + " to " + max);
        }
    }
}
