package org.posthouse.ops.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.posthouse.ops.RelayView;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayStatus;
import org.slf4j.LoggerFactory;

/**
 * Sends spans of one relay's control operations to a collector (OTLP over HTTP). Once a second a thread of its own reads the relay's events; messages never
 * wait for it. At most 2,048 spans wait for the collector; more are dropped, and the relay's log says that the collector does not take them.
 */
public final class ControlTraces implements AutoCloseable {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ControlTraces.class);
    private static final String PATH = "/v1/traces";
    /** More than a relay keeps. */
    private static final int EVENTS_AT_ONCE = 4_096;
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final int FLUSH_MS = 2_000;

    /** Strongly held: a logger that nobody holds forgets its level. */
    private static final Logger SDK_LOGGER = Logger.getLogger("io.opentelemetry");

    private final RelayView relay;
    private final SdkTracerProvider provider;
    private final ControlSpans spans;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("posthouse-traces").factory());
    private long heard;

    private ControlTraces(RelayView relay, SdkTracerProvider provider, JobTraceIds ids) {
        this.relay = relay;
        this.provider = provider;
        this.spans = new ControlSpans(provider.get("org.posthouse"), ids);
    }

    /**
     * Begins with the events that the relay has.
     *
     * @param endpoint of {@link #endpoint}
     * @param everyMs milliseconds between two looks, 1 or more
     */
    public static ControlTraces start(URI endpoint, RelayView relay, long everyMs) {
        SDK_LOGGER.setLevel(Level.OFF); // It would print in another form than the relay's log.
        OtlpHttpSpanExporter exporter = OtlpHttpSpanExporter.builder().setEndpoint(endpoint.toString()).setTimeout(ANSWER).build();
        JobTraceIds ids = new JobTraceIds();
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setIdGenerator(ids)
                .setResource(resource(relay.snapshot()))
                .addSpanProcessor(BatchSpanProcessor.builder(new ToldExporter(exporter, endpoint.toString())).build())
                .build();
        ControlTraces traces = new ControlTraces(relay, provider, ids);
        traces.thread.scheduleWithFixedDelay(traces::look, everyMs, everyMs, TimeUnit.MILLISECONDS);
        return traces;
    }

    /**
     * The address of a collector, with its path if none is given.
     *
     * @throws IllegalArgumentException in one line, if it is none
     */
    public static URI endpoint(String text) {
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--traces \"" + text + "\" is no address, expected one such as http://127.0.0.1:4318", e);
        }
        if (uri.getHost() == null || !List.of("http", "https").contains(uri.getScheme())) {
            throw new IllegalArgumentException("--traces \"" + text + "\", expected the address of an OTLP collector, such as http://127.0.0.1:4318");
        }
        return uri.getPath().isEmpty() || uri.getPath().equals("/") ? uri.resolve(PATH) : uri;
    }

    private static Resource resource(RelayStatus relay) {
        return Resource.getDefault().merge(Resource.create(Attributes.of(
                AttributeKey.stringKey("service.name"), "posthouse-relay",
                AttributeKey.stringKey("service.version"), relay.version(),
                AttributeKey.stringKey("service.instance.id"), relay.relay(),
                AttributeKey.stringKey("posthouse.site"), relay.site())));
    }

    private void look() {
        try {
            for (RelayEvent event : relay.events(heard, EVENTS_AT_ONCE)) {
                heard = event.id();
                spans.add(event);
            }
        } catch (RuntimeException e) {
            LOG.warn("an event is in no trace", e); // An executor would not call this again.
        }
    }

    /** An order that came over the console was carried out. May be called by any thread. */
    public void ordered(String who, String what) {
        long at = System.currentTimeMillis();
        thread.execute(() -> spans.ordered(who, what, at));
    }

    /** Sends what waits, for two seconds at most. The console is closed before, so that no order comes later. */
    @Override
    public void close() {
        thread.execute(this::look);
        thread.shutdown();
        try {
            if (!thread.awaitTermination(FLUSH_MS, TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        provider.shutdown().join(FLUSH_MS, TimeUnit.MILLISECONDS);
    }
}
