package org.posthouse.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Medians;
import org.posthouse.bench.statistics.Statistics;

/** One line of the report: one test at one size in one series. Filled by the driver, then read. */
public final class Figure {
    private final Benchmark test;
    private final Series series;
    private final int bytes;
    private final int groups;
    private final Statistics times = new Statistics();
    private final List<Cost> costs = new ArrayList<>();
    private Optional<Figure> pingPong = Optional.empty();

    /** @param groups number of groups of ranks that work at once, each on operations of its own */
    Figure(Benchmark test, Series series, int bytes, int groups) {
        this.test = test;
        this.series = series;
        this.bytes = bytes;
        this.groups = groups;
    }

    /** The test that was measured. */
    public Benchmark test() {
        return test;
    }

    /** The series that was measured. */
    public Series series() {
        return series;
    }

    int bytes() {
        return bytes;
    }

    /** The times of all phases so far. */
    public Statistics times() {
        return times;
    }

    /** Adds what one operation cost in one phase. */
    void addCost(Cost cost) {
        costs.add(cost);
    }

    /** Cost of one operation: the median over the phases. */
    Cost cost() {
        return Cost.median(costs);
    }

    /** Millions of bytes a second by the test's definition, at the median time, all groups together. */
    public double megabytesPerSecond() {
        return (double) bytes * test.turnover() * groups / times.medianMicros();
    }

    /** Operations a second at the median time, all groups together. */
    double operationsPerSecond() {
        return groups * 1e6 / times.medianMicros();
    }

    /** Sets the ping-pong of the same series and size that took turns with this. */
    void beside(Figure figure) {
        pingPong = Optional.of(figure);
    }

    /** The ping-pong that this is compared with, if it is. */
    Optional<Figure> pingPong() {
        return pingPong;
    }

    /** Ratio of the messages to those that the ping-pong alone would carry: the median over the phases. */
    double timesPingPong() {
        return pingPong.orElseThrow().times(this);
    }

    /** Ratio of the time to another series' time at the same size: the median over the phases. */
    public double times(Figure other) {
        return Medians.ratio(times.medians(), other.times.medians());
    }

    /** The raw connection's figure for the same test and size. */
    Optional<Figure> raw(List<Figure> figures) {
        return baselines(figures, Carrier.RAW::equals).findFirst();
    }

    /** The figure of the forwarder for the same test and size: of the better one of the two, by its median. */
    Optional<Figure> forwarder(List<Figure> figures) {
        return baselines(figures, Carrier::isForwarder).min(Comparator.comparingDouble(other -> other.times.medianMicros()));
    }

    /** The figure of the other programs' tunnel for the same test and size: of the better one, by its median. */
    Optional<Figure> tunnel(List<Figure> figures) {
        return baselines(figures, Carrier::isTunnel).min(Comparator.comparingDouble(other -> other.times.medianMicros()));
    }

    private Stream<Figure> baselines(List<Figure> figures, Predicate<Carrier> wanted) {
        return figures.stream()
                .filter(other -> other.test == test && other.bytes == bytes && other.series.layout() == series.layout() && wanted.test(other.series.carrier()));
    }
}
