package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.statistics.Statistics;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;

/** What a line of the report says beside others. */
class FigureTest {
    private final List<Figure> figures = new ArrayList<>();

    private Figure figure(Benchmark test, Carrier carrier, int bytes, long... nanos) {
        return figure(test, carrier, ProcessLayout.FREE, bytes, nanos);
    }

    private Figure figure(Benchmark test, Carrier carrier, ProcessLayout layout, int bytes, long... nanos) {
        Variant variant = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty());
        Figure figure = new Figure(test, new Series(carrier, variant, layout), bytes, 2);
        for (long phase : nanos) {
            figure.times().add(Statistics.phase(List.of(new long[] {phase}), false, 1));
        }
        figures.add(figure);
        return figure;
    }

    @Test
    void theForwarderIsTheBetterOneAtEachSize() {
        Figure small = figure(Benchmark.PINGPONG, Carrier.VERTX, 1, 10_000);
        figure(Benchmark.PINGPONG, Carrier.SELECTOR, 1, 12_000);
        figure(Benchmark.PINGPONG, Carrier.VERTX, 1_000, 30_000);
        Figure large = figure(Benchmark.PINGPONG, Carrier.SELECTOR, 1_000, 20_000);
        figure(Benchmark.STREAM, Carrier.SELECTOR, 1_000, 1_000);
        Figure raw = figure(Benchmark.PINGPONG, Carrier.RAW, 1_000, 1_000);
        Figure relay = figure(Benchmark.PINGPONG, Carrier.RELAY, 1_000, 22_000);
        assertThat(relay.forwarder(figures)).containsSame(large);
        assertThat(relay.raw(figures)).containsSame(raw);
        assertThat(figure(Benchmark.PINGPONG, Carrier.RELAY, 1, 11_000).forwarder(figures)).containsSame(small);
        assertThat(figure(Benchmark.PINGPONG, Carrier.RELAY, 7, 11_000).forwarder(figures)).isEmpty();
    }

    @Test
    void baselinesAreThoseOfTheSameLayout() {
        Figure free = figure(Benchmark.PINGPONG, Carrier.SELECTOR, 1, 1_000);
        Figure apart = figure(Benchmark.PINGPONG, Carrier.SELECTOR, ProcessLayout.APART, 1, 20_000);
        assertThat(figure(Benchmark.PINGPONG, Carrier.RELAY, 1, 22_000).forwarder(figures)).containsSame(free);
        assertThat(figure(Benchmark.PINGPONG, Carrier.RELAY, ProcessLayout.APART, 1, 22_000).forwarder(figures)).containsSame(apart);
        assertThat(apart.series().label()).isEqualTo("apart selector forwarder");
    }

    @Test
    void aStreamIsSoManyTimesThePingPongsRate() {
        Figure stream = figure(Benchmark.STREAM, Carrier.RELAY, 64, 1_000, 2_000, 1_000);
        stream.beside(figure(Benchmark.PINGPONG, Carrier.RELAY, 64, 30_000, 20_000, 20_000));
        assertThat(stream.timesPingPong()).isCloseTo(20, within(0.1));
        assertThat(stream.operationsPerSecond()).as("two pairs").isCloseTo(2e6, within(2e3));
    }
}
