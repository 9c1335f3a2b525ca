package org.posthouse.bench.statistics;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Medians: the middle value, or the mean of the two in the middle. */
public final class Medians {
    private Medians() {}

    /** The median of {@code values}, of which there is at least one. */
    public static double of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The median of {@code values}, of which there is at least one. */
    public static double of(List<Double> values) {
        return of(values, Double::doubleValue);
    }

    /** The median of one part of each. */
    public static <T> double of(List<T> values, ToDoubleFunction<T> part) {
        return of(values.stream().mapToDouble(part).toArray());
    }

    /** The median of the ratios of two lists' elements, place by place: drift from place to place drops out. */
    public static double ratio(List<Double> values, List<Double> baseline) {
        double[] ratios = new double[values.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = values.get(i) / baseline.get(i);
        }
        return of(ratios);
    }
}
