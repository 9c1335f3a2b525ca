package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** /metrics shows relays, Vert.x and Java, with bounded labels. */
@Timeout(60)
class OpsMetricsTest {

    private static final Pattern LABEL = Pattern.compile("[{,]([a-z_]+)=\"");

    private OpsFixture ops;

    @BeforeEach
    void open() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    @Test
    void showsTheRelaysNumbersOfNow() throws Exception {
        ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1234, List.of(Scenes.job(Scenes.JOB, List.of(
                Scenes.rank(0, "rennes-a", RankView.State.CONNECTED, 1, 5),
                Scenes.rank(1, "rennes-a", RankView.State.LOST, 1, 5),
                Scenes.rank(2, "orsay-a", RankView.State.CONNECTED, 1, 5)))));
        ops.relay.readiness = Readiness.notReady("draining");
        assertThat(ops.get("/metrics").body().lines()).contains(
                "posthouse_messages_total{direction=\"in\",relay=\"rennes-a\",site=\"rennes\"} 1234.0",
                "posthouse_messages_total{direction=\"out\",relay=\"rennes-a\",site=\"rennes\"} 7.0",
                "posthouse_bytes_total{direction=\"in\",relay=\"rennes-a\",site=\"rennes\"} 4096.0",
                "posthouse_bytes_total{direction=\"out\",relay=\"rennes-a\",site=\"rennes\"} 1024.0",
                "posthouse_matched_total{relay=\"rennes-a\",site=\"rennes\"} 6.0",
                "posthouse_unexpected{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_posted{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_credit_outstanding_bytes{relay=\"rennes-a\",site=\"rennes\"} 65536.0",
                "posthouse_links{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_links_up{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_jobs{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_ranks{relay=\"rennes-a\",site=\"rennes\",state=\"connected\"} 1.0",
                "posthouse_ranks{relay=\"rennes-a\",site=\"rennes\",state=\"lost\"} 1.0",
                "posthouse_ready{relay=\"rennes-a\",site=\"rennes\"} 0.0",
                "posthouse_start_time_seconds{relay=\"rennes-a\",site=\"rennes\"} 5.0",
                "posthouse_log_position{relay=\"rennes-a\",site=\"rennes\"} 42.0",
                "posthouse_log_bytes{relay=\"rennes-a\",site=\"rennes\"} 8192.0");
    }

    @Test
    void showsJavaAndVertxToo() throws Exception {
        ops.get("/healthz");
        String text = ops.get("/metrics").body();
        assertThat(text).contains("jvm_memory_used_bytes{", "jvm_threads_live_threads", "vertx_http_server_");
        assertThat(ops.get("/metrics").headers().firstValue("content-type"))
                .hasValue("text/plain; version=0.0.4; charset=utf-8");
    }

    @Test
    void keepsClientsTextRanksAndJobsOutOfTheLabels() throws Exception {
        ops.send("BREW", "/marker-in-path");
        ops.get("/api/v1/jobs/" + Scenes.JOB);
        String text = ops.get("/metrics").body();
        assertThat(text).doesNotContain("BREW").doesNotContain("marker-in-path").doesNotContain(Scenes.JOB);
        Set<String> ours = text.lines().filter(line -> line.startsWith("posthouse_"))
                .flatMap(line -> LABEL.matcher(line).results().map(m -> m.group(1))).collect(Collectors.toSet());
        assertThat(ours).containsExactlyInAnyOrder("site", "relay", "direction", "state");
    }

    @Test
    void forgetsARelayThatIsGoneAndShowsOneThatCame() throws Exception {
        assertThat(ops.get("/metrics").body()).contains("relay=\"rennes-a\"");
        ops.relays.clear();
        ops.relays.add(new Scenes.MovingRelay(Scenes.withoutLog(Scenes.relay("orsay", "orsay-a", 3, List.of()))));
        String text = ops.get("/metrics").body();
        assertThat(text).doesNotContain("relay=\"rennes-a\"").contains("relay=\"orsay-a\"")
                .doesNotContain("posthouse_log_");
    }

    @Test
    void showsNoMoreRelaysThanTheLimit() {
        RelayMeters meters = new RelayMeters(ops.metrics.registry());
        List<Overview.RelayStatus> many = new ArrayList<>();
        IntStream.range(0, RelayMeters.RELAYS_MAX + 5).forEach(i -> many.add(
                new Overview.RelayStatus(Scenes.relay("site" + i, "relay" + i, i, List.of()), Readiness.ok())));
        meters.refresh(new Overview(many));
        assertThat(ops.metrics.registry().find("posthouse.matched").functionCounters()).hasSize(RelayMeters.RELAYS_MAX);
        meters.close();
        assertThat(ops.metrics.registry().find("posthouse.matched").functionCounters()).isEmpty();
    }
}
