package org.posthouse.ops;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.posthouse.status.RelayStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the numbers of the relays as meters named {@code posthouse_…} (docs/metrics.md, against which it is tested).
 * Confined to the console's event loop, except that a scrape on a worker reads the samples.
 *
 * <p>{@link #refresh} is called once per scrape, so all numbers of one scrape come from the same look at the relays. No
 * label is a rank, a job or an address, so the count of time series is bounded: {@link #RELAYS_MAX} times what
 * {@link RelayMeters} says. Meters of a relay that is gone are removed.
 */
final class MetricsPage {

    /** Relays of one process that are shown as meters. */
    static final int RELAYS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(MetricsPage.class);

    private final PrometheusMeterRegistry registry;
    private final Map<RelayName, RelayMeters> samples = new ConcurrentHashMap<>();
    private final LatencyCollector latencies = new LatencyCollector(samples.values());
    private boolean limitTold;

    /** The values of the labels site and relay. */
    record RelayName(String site, String relay) {}

    MetricsPage(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /** Called once, before the first scrape: of all consoles of a registry one may be open. */
    void open() {
        registry.getPrometheusRegistry().register(latencies);
    }

    /** Makes what these relays tell now what the next scrape shows. */
    void refresh(List<RelayView> views) {
        Set<RelayName> present = new HashSet<>();
        for (RelayView view : views) {
            RelayStatus snapshot = view.snapshot();
            RelayName name = new RelayName(snapshot.site(), snapshot.relay());
            present.add(name);
            RelayMeters sample = sample(name);
            if (sample != null) {
                sample.refresh(snapshot, view.readiness(), view.metrics());
            }
        }
        for (RelayName name : List.copyOf(samples.keySet())) {
            if (!present.contains(name)) {
                samples.remove(name).remove();
            }
        }
    }

    /** Removes all meters. */
    void close() {
        refresh(List.of());
        registry.getPrometheusRegistry().unregister(latencies);
    }

    private RelayMeters sample(RelayName name) {
        RelayMeters sample = samples.get(name);
        if (sample == null && samples.size() < RELAYS_MAX) {
            sample = new RelayMeters(registry, name);
            samples.put(name, sample);
        } else if (sample == null && !limitTold) {
            limitTold = true;
            LOG.warn("relay {} of site {} has no meters: {} relays have, the limit", name.relay, name.site, RELAYS_MAX);
        }
        return sample;
    }
}
