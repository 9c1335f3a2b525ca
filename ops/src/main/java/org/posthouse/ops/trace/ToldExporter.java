package org.posthouse.ops.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An exporter whose failures are told in the relay's own log: one line when the collector is lost, and one when it is back. Thread-safe. */
final class ToldExporter implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(ToldExporter.class);

    private final SpanExporter exporter;
    private final String endpoint;
    private final AtomicBoolean isLost = new AtomicBoolean();

    ToldExporter(SpanExporter exporter, String endpoint) {
        this.exporter = exporter;
        this.endpoint = endpoint;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(() -> {
            if (!result.isSuccess() && isLost.compareAndSet(false, true)) {
                LOG.warn("traces cannot be sent to {}: {}; spans are lost until it takes them", endpoint, why(result.getFailureThrowable()));
            } else if (result.isSuccess() && isLost.compareAndSet(true, false)) {
                LOG.info("traces are sent to {} again", endpoint);
            }
        });
    }

    /** What came in place of an answer is the cause; without one the collector has answered. */
    private static String why(Throwable failure) {
        Throwable cause = failure == null ? null : failure.getCause();
        return cause == null ? "it refuses them, so it may be no collector of OTLP over HTTP" : Causes.text(cause);
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
