package org.posthouse.bench.statistics;

import java.util.stream.IntStream;

/**
 * The straight line with the least squares through some points. Immutable.
 *
 * @param intercept at 0
 * @param slope for each 1
 * @param determination R², the share of the values' variance that the line explains: 1 on the line; NaN if all values are equal
 * @param deviation the largest distance of a value from the line, as a share of the line's
 */
public record LinearFit(double intercept, double slope, double determination, double deviation) {
    /** Through at least two points at different places. */
    public static LinearFit of(double[] x, double[] y) {
        double meanX = IntStream.range(0, x.length).mapToDouble(i -> x[i]).average().orElseThrow();
        double meanY = IntStream.range(0, y.length).mapToDouble(i -> y[i]).average().orElseThrow();
        double xx = IntStream.range(0, x.length).mapToDouble(i -> (x[i] - meanX) * (x[i] - meanX)).sum();
        double xy = IntStream.range(0, x.length).mapToDouble(i -> (x[i] - meanX) * (y[i] - meanY)).sum();
        double yy = IntStream.range(0, y.length).mapToDouble(i -> (y[i] - meanY) * (y[i] - meanY)).sum();
        double slope = xy / xx;
        double intercept = meanY - slope * meanX;
        double residual = IntStream.range(0, x.length).mapToDouble(i -> y[i] - intercept - slope * x[i]).map(each -> each * each).sum();
        double deviation = IntStream.range(0, x.length)
                .mapToDouble(i -> Math.abs(y[i] / (intercept + slope * x[i]) - 1))
                .max().orElseThrow();
        return new LinearFit(intercept, slope, 1 - residual / yy, deviation);
    }
}
