package org.posthouse.bench.statistics;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The times of one line of the report, gathered phase by phase. Times are kept with three significant digits. Confined
 * to the driver's thread.
 */
public final class Statistics {
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Histogram all = new Histogram(DIGITS);
    private final List<Double> medians = new ArrayList<>();

    /**
     * The times of one phase's operations.
     *
     * @param times one array a rank whose times count
     * @param slowest whether an operation is over when its slowest rank is; else each rank's operations are its own
     * @param legs number of operations that each time covers
     */
    public static Histogram phase(List<long[]> times, boolean slowest, int legs) {
        Histogram phase = new Histogram(DIGITS);
        if (!slowest) {
            times.forEach(nanos -> record(phase, nanos, legs));
            return phase;
        }
        long[] worst = times.get(0).clone();
        for (long[] nanos : times) {
            for (int i = 0; i < worst.length; i++) {
                worst[i] = Math.max(worst[i], nanos[i]);
            }
        }
        record(phase, worst, legs);
        return phase;
    }

    private static void record(Histogram phase, long[] nanos, int legs) {
        for (long time : nanos) {
            phase.recordValue(time / legs);
        }
    }

    /** The median of a phase, in microseconds. */
    public static double medianMicros(Histogram phase) {
        return phase.getValueAtPercentile(50) / NANOS_PER_MICRO;
    }

    /** Adds the times of a phase. */
    public void add(Histogram phase) {
        all.add(phase);
        medians.add(medianMicros(phase));
    }

    /** The number of operations in all phases. */
    public long operations() {
        return all.getTotalCount();
    }

    /** The shortest time, in microseconds. */
    public double minMicros() {
        return all.getMinValue() / NANOS_PER_MICRO;
    }

    /** The mean time, in microseconds. */
    public double averageMicros() {
        return all.getMean() / NANOS_PER_MICRO;
    }

    /** The median time, in microseconds. */
    public double medianMicros() {
        return medianMicros(all);
    }

    /** The 99th percentile, in microseconds. */
    public double p99Micros() {
        return all.getValueAtPercentile(99) / NANOS_PER_MICRO;
    }

    /** The longest time, in microseconds. */
    public double maxMicros() {
        return all.getMaxValue() / NANOS_PER_MICRO;
    }

    /** The median of each phase, in order. */
    public List<Double> medians() {
        return List.copyOf(medians);
    }
}
