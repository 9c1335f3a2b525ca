package org.posthouse.ops.trace;

import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.sdk.trace.IdGenerator;

/**
 * Identifiers of traces and spans. All relays of a job choose the same trace for it, so that its spans of all sites stand together: the trace's number is made
 * of the job's. Other traces have random numbers. Confined to the thread that starts spans.
 */
final class JobTraceIds implements IdGenerator {
    private static final int HEX = 16;

    private final IdGenerator random = IdGenerator.random();
    private String next = "";

    /** The next root span is of this job. @param job its id in up to 16 hexadecimal digits; empty: of none */
    void ofJob(String job) {
        next = job;
    }

    @Override
    public String generateSpanId() {
        return random.generateSpanId();
    }

    @Override
    public String generateTraceId() {
        return next.isEmpty() ? random.generateTraceId() : traceId(next);
    }

    /** The trace of a job. */
    static String traceId(String job) {
        return TraceId.fromLongs(Long.parseUnsignedLong(job, HEX), Long.reverse(Long.parseUnsignedLong(job, HEX)));
    }
}
