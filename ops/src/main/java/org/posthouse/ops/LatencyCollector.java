package org.posthouse.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayMetrics.Latency;

/**
 * Shows the relays' histograms as they are. Micrometer has no meter for buckets that somebody else has filled; so this
 * stands beside its meters in the same Prometheus registry. Called by a worker that scrapes.
 */
final class LatencyCollector implements MultiCollector {

    private final Collection<RelayMeters> samples;

    private record Kind(String name, String help, Function<RelayMetrics, Latency> latency) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("posthouse_message_wait_seconds", "from a message's arrival at its mailbox to its match",
                    RelayMetrics::messageWaits),
            new Kind("posthouse_receive_wait_seconds", "from a receive's posting to its match", RelayMetrics::receiveWaits),
            new Kind("posthouse_loop_lag_seconds", "how late a timer of an event loop fires", RelayMetrics::loopLags));

    /** @param samples those of now, whenever it is asked; safe to walk by any thread */
    LatencyCollector(Collection<RelayMeters> samples) {
        this.samples = samples;
    }

    @Override
    public List<String> getPrometheusNames() {
        return KINDS.stream().map(Kind::name).toList();
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        for (Kind kind : KINDS) {
            HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(kind.name).help(kind.help);
            boolean any = false;
            for (RelayMeters sample : samples) {
                Latency latency = kind.latency.apply(sample.metrics());
                if (!latency.boundsSeconds().isEmpty()) {
                    any = true;
                    histogram.dataPoint(point(sample.name(), latency));
                }
            }
            if (any) {
                all.metricSnapshot(histogram.build());
            }
        }
        return all.build();
    }

    private static HistogramDataPointSnapshot point(MetricsPage.RelayName name, Latency latency) {
        List<Double> bounds = new ArrayList<>(latency.boundsSeconds());
        bounds.add(Double.POSITIVE_INFINITY);
        return HistogramDataPointSnapshot.builder()
                .labels(Labels.of("relay", name.relay(), "site", name.site()))
                .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, latency.counts()))
                .sum(latency.sumSeconds())
                .build();
    }
}
