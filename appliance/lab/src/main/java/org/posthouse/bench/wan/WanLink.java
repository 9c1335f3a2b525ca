package org.posthouse.bench.wan;

import java.util.List;
import java.util.Optional;
import org.posthouse.bench.Figure;
import org.posthouse.bench.Series;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.wan.WanShape;

/**
 * Measurements between two sites. Immutable.
 *
 * @param shape the network between them
 * @param figures ping-pong and stream in each series; none if that was not measured
 * @param besides round trips beside a stream; none if they were not measured
 */
record WanLink(String one, String other, WanShape shape, List<Figure> figures, List<WanBeside> besides) {
    private static final double NANOS_PER_MS = 1e6;

    String name() {
        return name(one, other);
    }

    static String name(String one, String other) {
        return one + "-" + other;
    }

    /** The series, in their order. */
    List<Series> series() {
        return figures.stream().map(Figure::series).distinct().toList();
    }

    /** Half a round trip of the shortest message. */
    double latencyMs(Series series) {
        return find(Benchmark.PINGPONG, series).orElseThrow().times().medianMicros() / 1e3;
    }

    double megabits(Series series) {
        return find(Benchmark.STREAM, series).orElseThrow().megabytesPerSecond() * 8;
    }

    /** The share of the way's bandwidth that a stream fills. */
    double ofLink(Series series) {
        return megabits(series) / askedMegabits();
    }

    double askedLatencyMs() {
        return shape.delayNanos() / NANOS_PER_MS;
    }

    /** 0 if there is no limit. */
    double askedMegabits() {
        return shape.bytesPerSecond() * 8 / 1e6;
    }

    private Optional<Figure> find(Benchmark test, Series series) {
        return figures.stream().filter(figure -> figure.test() == test && figure.series().equals(series)).findFirst();
    }
}
