package org.posthouse.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One line of the report: one test at one size in one series. Filled by the driver, then read. */
final class Figure {
    private final Benchmark test;
    private final Series series;
    private final int bytes;
    private final int groups;
    private final Statistics times = new Statistics();
    private final List<Cost> costs = new ArrayList<>();

    /** @param groups how many groups of ranks work at once, each on operations of its own */
    Figure(Benchmark test, Series series, int bytes, int groups) {
        this.test = test;
        this.series = series;
        this.bytes = bytes;
        this.groups = groups;
    }

    Benchmark test() {
        return test;
    }

    Series series() {
        return series;
    }

    int bytes() {
        return bytes;
    }

    Statistics times() {
        return times;
    }

    /** Adds what one operation cost in one phase. */
    void addCost(Cost cost) {
        costs.add(cost);
    }

    /** What one operation costs: the median over the phases. */
    Cost cost() {
        return Cost.median(costs);
    }

    /** Millions of bytes a second by the test's definition, at the median time, all groups together. */
    double megabytesPerSecond() {
        return (double) bytes * test.turnover() * groups / times.medianMicros();
    }

    /** How many times as long as another series at the same size: the median over the phases. */
    double times(Figure other) {
        return Medians.ratio(times.medians(), other.times.medians());
    }

    /** The figure of another carrier for the same test and size. */
    Optional<Figure> baseline(List<Figure> figures, Carrier carrier) {
        return figures.stream()
                .filter(other -> other.test == test && other.bytes == bytes && other.series.carrier() == carrier)
                .findFirst();
    }
}
