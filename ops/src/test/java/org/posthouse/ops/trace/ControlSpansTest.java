package org.posthouse.ops.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.status.RelayEvent;

class ControlSpansTest {
    private static final String JOB = "1f4c9ae02b77d310";

    private final List<SpanData> ended = new ArrayList<>();
    private final ControlSpans spans = spans();
    private long id;

    private ControlSpans spans() {
        JobTraceIds ids = new JobTraceIds();
        SdkTracerProvider provider =
                SdkTracerProvider.builder().setIdGenerator(ids).addSpanProcessor(SimpleSpanProcessor.create(new SpanExporter() {
                    @Override
                    public CompletableResultCode export(Collection<SpanData> exported) {
                        ended.addAll(exported);
                        return CompletableResultCode.ofSuccess();
                    }

                    @Override
                    public CompletableResultCode flush() {
                        return CompletableResultCode.ofSuccess();
                    }

                    @Override
                    public CompletableResultCode shutdown() {
                        return CompletableResultCode.ofSuccess();
                    }
                })).build();
        return new ControlSpans(provider.get("test"), ids);
    }

    private void event(long at, String kind, String job, int rank) {
        spans.add(new RelayEvent(++id, at, "a", kind, job, rank, kind + " of " + rank));
    }

    private static long ms(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    @Test
    void aRestartIsASpanOfItsJobFromTheLossToTheCatchUp() {
        event(1_000, "JOB_OPENED", JOB, -1);
        event(2_000, "RANK_LOST", JOB, 3);
        event(2_200, "RANK_RESTARTED", JOB, 3);
        event(2_500, "RANK_CAUGHT_UP", JOB, 3);
        event(9_000, "JOB_ENDED", JOB, -1);
        assertThat(ended).extracting(SpanData::getName).containsExactly("restart of a rank", "job");
        SpanData restart = ended.getFirst();
        SpanData job = ended.getLast();
        assertThat(ms(restart.getStartEpochNanos())).isEqualTo(2_000);
        assertThat(ms(restart.getEndEpochNanos())).isEqualTo(2_500);
        assertThat(restart.getAttributes().get(AttributeKey.longKey("posthouse.rank"))).isEqualTo(3);
        assertThat(restart.getParentSpanId()).isEqualTo(job.getSpanId());
        assertThat(restart.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(ms(job.getStartEpochNanos())).isEqualTo(1_000);
        assertThat(ms(job.getEndEpochNanos())).isEqualTo(9_000);
        assertThat(job.getEvents()).extracting(EventData::getName)
                .containsExactly("job opened", "rank lost", "rank restarted", "rank caught up", "job ended");
    }

    @Test
    void relaysOfOneJobShareItsTraceAndOthersDoNot() {
        event(1, "JOB_OPENED", JOB, -1);
        event(2, "JOB_ENDED", JOB, -1);
        event(3, "JOB_OPENED", "7", -1);
        event(4, "JOB_ENDED", "7", -1);
        event(5, "MODE_CHANGED", "", -1);
        event(6, "MODE_CHANGED", "", -1);
        assertThat(ended).extracting(SpanData::getTraceId).startsWith(JobTraceIds.traceId(JOB), JobTraceIds.traceId("7")).doesNotHaveDuplicates();
        assertThat(JobTraceIds.traceId(JOB)).startsWith(JOB).hasSize(32);
    }

    @Test
    void aRankThatNeverCameBackAndAnAbortedJobAreErrors() {
        event(1, "JOB_OPENED", JOB, -1);
        event(2, "RANK_LOST", JOB, 3);
        event(3, "JOB_ABORTED", JOB, 0);
        event(4, "JOB_ENDED", JOB, -1);
        assertThat(ended).extracting(span -> span.getStatus().getStatusCode()).containsExactly(StatusCode.ERROR, StatusCode.ERROR);
    }

    @Test
    void whatIsOfNoJobIsASpanWithoutLength() {
        event(5, "MODE_CHANGED", "", -1);
        spans.ordered("user 0", "DrainOrder", 6);
        assertThat(ended).extracting(SpanData::getName).containsExactly("mode changed", "console order");
        assertThat(ended.getFirst().getStartEpochNanos()).isEqualTo(ended.getFirst().getEndEpochNanos());
    }

    @Test
    void jobsBeyondTheBoundAndEventsBehindAnEndOpenNoSpan() {
        for (int job = 1; job <= ControlSpans.JOBS_MAX + 1; job++) {
            event(1, "JOB_OPENED", Integer.toHexString(job), -1);
        }
        event(2, "JOB_ENDED", Integer.toHexString(ControlSpans.JOBS_MAX + 1), -1);
        assertThat(ended).as("the one beyond the bound").isEmpty();
        event(2, "JOB_ENDED", "1", -1);
        event(3, "RANK_LOST", "1", 0);
        event(4, "JOB_OPENED", "ffff", -1);
        event(5, "JOB_ENDED", "ffff", -1);
        assertThat(ended).as("the late event has taken no place").hasSize(2);
    }
}
