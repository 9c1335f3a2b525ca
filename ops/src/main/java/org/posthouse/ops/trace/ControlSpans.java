package org.posthouse.ops.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.status.RelayEvent;

/**
 * Makes spans of a relay's events. A job is a span from its opening to its end. The restart of a rank is a span below it, from the rank's loss until it has
 * caught up. Other events of a job are events of its span, and an event that is of no job is a span without a length. Confined to one thread.
 */
final class ControlSpans {
    /** Jobs whose spans are open at once; the events of others are left out. */
    static final int JOBS_MAX = 1_024;

    private static final Set<String> OPENINGS = Set.of("JOB_OPENED", "JOB_RECOVERED");
    private static final AttributeKey<String> JOB = AttributeKey.stringKey("posthouse.job");
    private static final AttributeKey<Long> RANK = AttributeKey.longKey("posthouse.rank");
    private static final AttributeKey<String> TEXT = AttributeKey.stringKey("posthouse.text");
    private static final AttributeKey<String> WHO = AttributeKey.stringKey("posthouse.who");

    /** A job's span, and by rank those of its restarts. */
    private record OpenSpans(Span job, Map<Integer, Span> restarts) {}

    private final Tracer tracer;
    private final JobTraceIds ids;
    private final Map<String, OpenSpans> jobs = new HashMap<>();

    ControlSpans(Tracer tracer, JobTraceIds ids) {
        this.tracer = tracer;
        this.ids = ids;
    }

    /** Takes the next event. */
    void add(RelayEvent event) {
        if (event.job().isEmpty()) {
            instant(words(event.kind()), event.at(), TEXT, event.text());
            return;
        }
        OpenSpans open = jobs.get(event.job());
        if (open == null && OPENINGS.contains(event.kind()) && jobs.size() < JOBS_MAX) {
            open = open(event);
        }
        if (open != null) {
            add(open, event);
        }
    }

    /** An order that came over the console, when it was carried out. */
    void ordered(String who, String what, long at) {
        Span span = tracer.spanBuilder("console order").setNoParent().setStartTimestamp(at, TimeUnit.MILLISECONDS).startSpan();
        span.setAttribute(WHO, who);
        span.setAttribute(TEXT, what);
        span.end(at, TimeUnit.MILLISECONDS);
    }

    private OpenSpans open(RelayEvent event) {
        ids.ofJob(event.job());
        Span span = started("job", event, tracer.spanBuilder("job").setNoParent());
        ids.ofJob("");
        OpenSpans open = new OpenSpans(span, new HashMap<>());
        jobs.put(event.job(), open);
        return open;
    }

    private static Span started(String name, RelayEvent event, SpanBuilder builder) {
        Span span = builder.setStartTimestamp(event.at(), TimeUnit.MILLISECONDS).startSpan();
        span.updateName(name);
        span.setAttribute(JOB, event.job());
        return span;
    }

    private void add(OpenSpans open, RelayEvent event) {
        open.job.addEvent(words(event.kind()), attributes(event), event.at(), TimeUnit.MILLISECONDS);
        Span restart = open.restarts.get(event.rank());
        switch (event.kind()) {
            case "RANK_LOST" -> {
                if (restart == null) {
                    Span span = started("restart of a rank", event, tracer.spanBuilder("restart").setParent(Context.root().with(open.job)));
                    span.setAttribute(RANK, event.rank());
                    open.restarts.put(event.rank(), span);
                }
            }
            case "RANK_RESTARTED" -> {
                if (restart != null) {
                    restart.addEvent(words(event.kind()), attributes(event), event.at(), TimeUnit.MILLISECONDS);
                }
            }
            case "RANK_CAUGHT_UP" -> {
                if (restart != null) {
                    open.restarts.remove(event.rank()).end(event.at(), TimeUnit.MILLISECONDS);
                }
            }
            case "JOB_ABORTED" -> open.job.setStatus(StatusCode.ERROR, event.text());
            case "JOB_ENDED" -> end(event);
            default -> {} // It is told of as an event.
        }
    }

    /** A rank that never came back is a restart that failed. */
    private void end(RelayEvent event) {
        OpenSpans open = jobs.remove(event.job());
        open.restarts.values().forEach(restart -> {
            restart.setStatus(StatusCode.ERROR, "the job ended before");
            restart.end(event.at(), TimeUnit.MILLISECONDS);
        });
        open.job.end(event.at(), TimeUnit.MILLISECONDS);
    }

    private void instant(String name, long at, AttributeKey<String> key, String value) {
        Span span = tracer.spanBuilder(name).setNoParent().setStartTimestamp(at, TimeUnit.MILLISECONDS).startSpan();
        span.setAttribute(key, value);
        span.end(at, TimeUnit.MILLISECONDS);
    }

    private static Attributes attributes(RelayEvent event) {
        Attributes text = Attributes.of(TEXT, event.text());
        return event.rank() < 0 ? text : text.toBuilder().put(RANK, event.rank()).build();
    }

    private static String words(String kind) {
        return kind.toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
