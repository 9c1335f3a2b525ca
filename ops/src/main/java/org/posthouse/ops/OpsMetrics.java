package org.posthouse.ops;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The process's registry of meters: Java's own (garbage collection, memory, threads, processor) from the start,
 * Vert.x's by {@link #vertx}, the relays' by {@link OpsServer}. Thread-safe. Whoever creates it closes it, after the
 * Vert.x instances made from it.
 *
 * <p>Bound: labels never carry a client's text, address, rank or job, and past {@link #METERS_MAX} meters new ones are
 * not kept.
 */
public final class OpsMetrics implements AutoCloseable {

    /** Meters kept: 64 relays × 85, 500 links × 28, about 150 of Java and Vert.x, and room. */
    static final int METERS_MAX = 20_000;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicInteger kept = new AtomicInteger();
    private final JvmGcMetrics gc = new JvmGcMetrics();

    private OpsMetrics() {
        // Not maximumAllowableMetrics, which counts those too that are gone: names of relays may be any number.
        registry.config()
                .onMeterAdded(added -> kept.incrementAndGet())
                .onMeterRemoved(removed -> kept.decrementAndGet())
                .meterFilter(MeterFilter.deny(unseen -> kept.get() >= METERS_MAX));
        new ClassLoaderMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        gc.bindTo(registry);
    }

    /** A new registry that has the meters of this Java process. */
    public static OpsMetrics create() {
        return new OpsMetrics();
    }

    /** The registry, for meters of one's own and for {@link OpsServer#start}. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /**
     * A Vert.x that reports to this registry. The caller closes it.
     *
     * @param options anything; metrics options in it are replaced
     * @param transport what its sockets are made of
     */
    public Vertx vertx(VertxOptions options, Transport transport) {
        // Not REMOTE: that is whoever connects. Not of HTTP servers: Vert.x makes their meters when the port is open already,
        // and whoever asks in between gets no answer.
        MicrometerMetricsOptions bounded = new MicrometerMetricsOptions()
                .setEnabled(true)
                .addDisabledMetricsCategory(MetricsDomain.HTTP_SERVER.toCategory())
                .setLabels(EnumSet.of(Label.POOL_TYPE, Label.POOL_NAME, Label.EB_SIDE));
        return Vertx.builder()
                .with(new VertxOptions(options).setMetricsOptions(bounded))
                .withMetrics(new MicrometerMetricsFactory(registry))
                .withTransport(transport)
                .build();
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }
}
