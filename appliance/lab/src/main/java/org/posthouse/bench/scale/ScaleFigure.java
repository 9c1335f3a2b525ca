package org.posthouse.bench.scale;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Medians;

/** One line of the report of {@code bench scale}: one series at one size in one cell. Filled by the driver, then read. */
final class ScaleFigure {
    private final ScalePlan.Cell cell;
    private final ScaleSeries series;
    private final int bytes;
    private final List<Round> rounds = new ArrayList<>();
    private final List<Cost> costs = new ArrayList<>();

    ScaleFigure(ScalePlan.Cell cell, ScaleSeries series, int bytes) {
        this.cell = cell;
        this.series = series;
        this.bytes = bytes;
    }

    /**
     * One repetition.
     *
     * @param slowest round trips a second of the slowest pair
     * @param median of the median pair
     * @param total of all pairs together
     * @param medianNanos the median over the pairs of a pair's median round trip
     */
    private record Round(double slowest, double median, double total, double medianNanos) {
        static Round of(List<HostedRank.Outcome> pairs) {
            double[] rates = pairs.stream().mapToDouble(HostedRank.Outcome::perSecond).toArray();
            double slowest = rates[0];
            double total = 0;
            for (double rate : rates) {
                slowest = Math.min(slowest, rate);
                total += rate;
            }
            double[] times = pairs.stream().mapToDouble(HostedRank.Outcome::medianNanos).toArray();
            return new Round(slowest, Medians.of(rates), total, Medians.of(times));
        }
    }

    /** Adds a repetition: what each pair did, and what all of it cost. */
    void add(List<HostedRank.Outcome> pairs, Cost cost) {
        rounds.add(Round.of(pairs));
        long roundTrips = pairs.stream().mapToLong(HostedRank.Outcome::roundTrips).sum();
        costs.add(cost.per(2.0 * roundTrips));
    }

    ScalePlan.Cell cell() {
        return cell;
    }

    ScaleSeries series() {
        return series;
    }

    int bytes() {
        return bytes;
    }

    /** Cost of one message: the median over the repetitions. */
    Cost cost() {
        return Cost.median(costs);
    }

    /** NetPIPE's overall bandwidth of each repetition: the slowest pair's, X over half a round trip, times the pairs. */
    List<Double> overallMegabytes() {
        return rounds.stream().map(round -> megabytes(round.slowest) * cell.pairs()).toList();
    }

    /** Throughput of all pairs together, in each repetition. */
    List<Double> totalMegabytes() {
        return rounds.stream().map(round -> megabytes(round.total)).toList();
    }

    private double megabytes(double roundTripsPerSecond) {
        return 2.0 * bytes * roundTripsPerSecond / 1e6;
    }

    /** Half a round trip in each repetition, in microseconds. */
    List<Double> latencyMicros() {
        return rounds.stream().map(round -> round.medianNanos / 2e3).toList();
    }

    /** Fairness: the slowest pair's rate over the median pair's, the median over the repetitions. */
    double slowestOverMedian() {
        return Medians.of(rounds, round -> round.slowest / round.median);
    }

    /** This overall bandwidth over another series': the median over the repetitions. */
    double bandwidthTimes(ScaleFigure other) {
        return Medians.ratio(overallMegabytes(), other.overallMegabytes());
    }

    /** This latency over another series': the median over the repetitions. */
    double latencyTimes(ScaleFigure other) {
        return Medians.ratio(latencyMicros(), other.latencyMicros());
    }

    /** The raw connections' figure at the same place. */
    Optional<ScaleFigure> raw(List<ScaleFigure> figures) {
        return beside(figures, Carrier.RAW::equals).stream().findFirst();
    }

    /** The forwarder with the higher overall bandwidth at the same place. */
    Optional<ScaleFigure> widerForwarder(List<ScaleFigure> figures) {
        return beside(figures, Carrier::isForwarder).stream()
                .max(Comparator.comparingDouble(figure -> Medians.of(figure.overallMegabytes())));
    }

    /** The forwarder with the lower latency at the same place. */
    Optional<ScaleFigure> quickerForwarder(List<ScaleFigure> figures) {
        return beside(figures, Carrier::isForwarder).stream()
                .min(Comparator.comparingDouble(figure -> Medians.of(figure.latencyMicros())));
    }

    private List<ScaleFigure> beside(List<ScaleFigure> figures, Predicate<Carrier> wanted) {
        return figures.stream()
                .filter(other -> other.cell.equals(cell) && other.bytes == bytes && wanted.test(other.series.carrier()))
                .toList();
    }
}
