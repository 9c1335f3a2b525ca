package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.status.DetectorCounts;
import org.posthouse.status.FollowerCounts;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.Traffic;

/** /metrics shows relays, Vert.x and Java, with bounded labels. */
@Timeout(120)
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

    /** Relays that are linked may have a new name each time. */
    @Test
    void metersThatAreGoneLeaveRoomForOthers() {
        try (OpsMetrics metrics = OpsMetrics.create()) {
            MeterRegistry registry = metrics.registry();
            for (int i = 0; i <= OpsMetrics.METERS_MAX; i++) {
                registry.remove(registry.counter("gone", "name", String.valueOf(i)));
            }
            registry.counter("here");
            assertThat(metrics.registry().scrape()).contains("here_total").doesNotContain("gone_total");
            for (int i = 0; i < OpsMetrics.METERS_MAX; i++) {
                registry.counter("many", "name", String.valueOf(i));
            }
            registry.counter("last");
            assertThat(registry.getMeters()).hasSize(OpsMetrics.METERS_MAX);
            assertThat(metrics.registry().scrape()).doesNotContain("last_total");
        }
    }

    @Test
    void showsTheRelaysNumbersOfNow() throws Exception {
        ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1234, List.of(Scenes.job(Scenes.JOB, List.of(
                Scenes.rank(0, "rennes-a", RankStatus.State.CONNECTED, 1, 5),
                Scenes.rank(1, "rennes-a", RankStatus.State.LOST, 1, 5),
                Scenes.rank(2, "orsay-a", RankStatus.State.CONNECTED, 1, 5)))));
        ops.relay.readiness = Readiness.notReady("draining");
        assertThat(ops.get("/metrics").body().lines()).contains(
                "posthouse_matched_total{relay=\"rennes-a\",site=\"rennes\"} 6.0",
                "posthouse_unexpected{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_posted{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_credit_outstanding_bytes{relay=\"rennes-a\",site=\"rennes\"} 65536.0",
                "posthouse_credit_outstanding_messages{relay=\"rennes-a\",site=\"rennes\"} 64.0",
                "posthouse_lines_waiting_bytes{relay=\"rennes-a\",site=\"rennes\"} 9000.0",
                "posthouse_link_up{link=\"lille\",relay=\"rennes-a\",site=\"rennes\"} 0.0",
                "posthouse_link_parked_messages{link=\"lille\",relay=\"rennes-a\",site=\"rennes\"} 41.0",
                "posthouse_link_parked_bytes{link=\"lille\",relay=\"rennes-a\",site=\"rennes\"} 3100.0",
                "posthouse_link_parked_ranks{link=\"lille\",relay=\"rennes-a\",site=\"rennes\"} 3.0",
                "posthouse_link_parked_messages{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 0.0",
                "posthouse_link_down_seconds{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 0.0",
                "posthouse_link_waiting_bytes{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 5000.0",
                "posthouse_link_lanes{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 7.0",
                "posthouse_link_packing{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_link_packed_before_bytes_total{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 31.0",
                "posthouse_link_packed_after_bytes_total{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 32.0",
                "posthouse_link_packing_samples_total{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 33.0",
                "posthouse_link_hops{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_link_moves_total{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 8.0",
                "posthouse_link_streams{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_link_stream_bytes_total{direction=\"in\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 51.0",
                "posthouse_link_stream_bytes_total{direction=\"out\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 52.0",
                "posthouse_link_stream_tokens{direction=\"in\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 53.0",
                "posthouse_link_stream_tokens{direction=\"out\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 54.0",
                "posthouse_link_lane_bytes_total{direction=\"in\",lane=\"1\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 44.0",
                "posthouse_link_lane_bytes_total{direction=\"out\",lane=\"7\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 48.0",
                "posthouse_carried_lanes{relay=\"rennes-a\",site=\"rennes\"} 9.0",
                "posthouse_carried_bytes_total{relay=\"rennes-a\",site=\"rennes\"} 4000.0",
                "posthouse_drained{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_link_frames_repeated_total{link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 6.0",
                "posthouse_link_frames_total{direction=\"out\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 62.0",
                "posthouse_link_frame_bytes_total{direction=\"in\",link=\"orsay/2\",relay=\"rennes-a\",site=\"rennes\"} 63.0",
                "posthouse_links{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_links_up{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_nodes{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_node_slots{relay=\"rennes-a\",site=\"rennes\"} 8.0",
                "posthouse_node_slots_free{relay=\"rennes-a\",site=\"rennes\"} 3.0",
                "posthouse_jobs{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_ranks{relay=\"rennes-a\",site=\"rennes\",state=\"connected\"} 1.0",
                "posthouse_ranks{relay=\"rennes-a\",site=\"rennes\",state=\"lost\"} 1.0",
                "posthouse_ready{relay=\"rennes-a\",site=\"rennes\"} 0.0",
                "posthouse_start_time_seconds{relay=\"rennes-a\",site=\"rennes\"} 5.0",
                "posthouse_log_position{relay=\"rennes-a\",site=\"rennes\"} 42.0",
                "posthouse_log_bytes{relay=\"rennes-a\",site=\"rennes\"} 8192.0",
                "posthouse_keys_not_after_seconds{certificate=\"site\",relay=\"rennes-a\",site=\"rennes\"} 2.0E9",
                "posthouse_keys_not_after_seconds{certificate=\"authority\",relay=\"rennes-a\",site=\"rennes\"} 2.1E9",
                "posthouse_keys_warnings{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_keys_revoked{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_streams{relay=\"rennes-a\",site=\"rennes\"} 2.0",
                "posthouse_streams_opened_total{relay=\"rennes-a\",site=\"rennes\"} 5.0",
                "posthouse_streams_refused_total{relay=\"rennes-a\",site=\"rennes\"} 1.0",
                "posthouse_stream_bytes_total{direction=\"in\",relay=\"rennes-a\",site=\"rennes\"} 700.0",
                "posthouse_stream_bytes_total{direction=\"out\",relay=\"rennes-a\",site=\"rennes\"} 800.0",
                "posthouse_stream_waits_total{relay=\"rennes-a\",site=\"rennes\"} 3.0",
                "posthouse_stream_buffers_used{relay=\"rennes-a\",site=\"rennes\"} 24.0",
                "posthouse_stream_buffers{relay=\"rennes-a\",site=\"rennes\"} 1024.0",
                "posthouse_log_pinned_bytes{relay=\"rennes-a\",site=\"rennes\"} 4096.0",
                "posthouse_log_limit_bytes{relay=\"rennes-a\",site=\"rennes\"} 65536.0");
    }

    @Test
    void showsForHowLongALinkIsDown() throws Exception {
        double before = downSeconds();
        Matcher down = Pattern.compile("posthouse_link_down_seconds\\{link=\"lille\"[^}]*\\} ([0-9.]+)").matcher(ops.get("/metrics").body());
        assertThat(down.find()).isTrue();
        assertThat(Double.parseDouble(down.group(1))).isBetween(before, downSeconds());
    }

    private static double downSeconds() {
        return (System.currentTimeMillis() - Scenes.DOWN_SINCE) / 1e3;
    }

    @Test
    void exposesCountersSinceStart() throws Exception {
        ops.relay.metrics = new RelayMetrics(
                List.of(
                        new RelayMetrics.Flow("pooled", "", new Traffic(1234, 7, 4096, 1024)),
                        new RelayMetrics.Flow("pooled", "orsay/2", new Traffic(5, 6, 7, 8))),
                9,
                8,
                65,
                new RelayMetrics.Latency(List.of(0.00001, 1.0), List.of(3L, 2L, 1L), 11.5),
                RelayMetrics.Latency.NONE,
                RelayMetrics.Latency.NONE,
                List.of(0, 17),
                3,
                1,
                Map.of("limit", 4L),
                Map.of("expired", 2L),
                Map.of("packet", 3L),
                new RelayMetrics.Staging(71, 72, 73),
                new DetectorCounts(81, 82, 83, 84, 85, 86),
                new FollowerCounts(91, 95, 3));
        String relay = "relay=\"rennes-a\",site=\"rennes\"";
        assertThat(ops.get("/metrics").body().lines()).contains(
                "posthouse_messages_total{direction=\"in\",mode=\"pooled\"," + relay + "} 1234.0",
                "posthouse_messages_total{direction=\"out\",mode=\"pooled\"," + relay + "} 7.0",
                "posthouse_bytes_total{direction=\"in\",mode=\"pooled\"," + relay + "} 4096.0",
                "posthouse_link_bytes_total{direction=\"out\",link=\"orsay/2\",mode=\"pooled\"," + relay + "} 8.0",
                "posthouse_stored_total{" + relay + "} 9.0",
                "posthouse_staged_bytes_total{direction=\"in\"," + relay + "} 71.0",
                "posthouse_staged_bytes_total{direction=\"out\"," + relay + "} 72.0",
                "posthouse_stage_cache_bytes{" + relay + "} 73.0",
                "posthouse_followers{" + relay + "} 0.0",
                "posthouse_followers_behind{" + relay + "} 0.0",
                "posthouse_followers_ended_total{fate=\"promoted\"," + relay + "} 91.0",
                "posthouse_followers_ended_total{fate=\"lost\"," + relay + "} 92.0",
                "posthouse_followers_ended_total{fate=\"diverged\"," + relay + "} 3.0",
                "posthouse_detector_messages_total{fate=\"passed\"," + relay + "} 81.0",
                "posthouse_detector_messages_total{fate=\"dropped\"," + relay + "} 82.0",
                "posthouse_detector_suspicions_total{" + relay + "} 83.0",
                "posthouse_detector_verdicts_total{" + relay + ",verdict=\"lives\"} 84.0",
                "posthouse_detector_verdicts_total{" + relay + ",verdict=\"dead\"} 85.0",
                "posthouse_detector_false_verdicts_total{" + relay + "} 86.0",
                "posthouse_pushed_total{" + relay + "} 8.0",
                "posthouse_divergences_total{" + relay + "} 65.0",
                "posthouse_message_wait_seconds_bucket{" + relay + ",le=\"1.0E-5\"} 3",
                "posthouse_message_wait_seconds_bucket{" + relay + ",le=\"1.0\"} 5",
                "posthouse_message_wait_seconds_bucket{" + relay + ",le=\"+Inf\"} 6",
                "posthouse_message_wait_seconds_sum{" + relay + "} 11.5",
                "posthouse_strand_queued_peak{relay=\"rennes-a\",shard=\"1\",site=\"rennes\"} 17.0",
                "posthouse_connections{" + relay + "} 3.0",
                "posthouse_connections_slow{" + relay + "} 1.0",
                "posthouse_refusals_total{reason=\"limit\"," + relay + "} 4.0",
                "posthouse_link_refusals_total{kind=\"expired\"," + relay + "} 2.0");
    }

    /** Vert.x makes the meters of an HTTP server when its port is open already: who asked in between was not answered. */
    @Test
    void showsJavaAndVertxTooButNotOfTheConsoleItself() throws Exception {
        ops.get("/healthz");
        String text = ops.get("/metrics").body();
        assertThat(text).contains("jvm_memory_used_bytes{", "jvm_threads_live_threads", "vertx_pool_").doesNotContain("vertx_http_server_");
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
        assertThat(ours).containsExactlyInAnyOrder("site", "relay", "direction", "fate", "verdict", "state", "link", "lane", "certificate", "version", "java");
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
        try (OpsMetrics metrics = OpsMetrics.create()) {
            MetricsPage meters = new MetricsPage(metrics.registry());
            List<RelayView> many = new ArrayList<>();
            IntStream.range(0, MetricsPage.RELAYS_MAX + 5).forEach(
                    i -> many.add(new Scenes.MovingRelay(Scenes.relay("site" + i, "relay" + i, i, List.of()))));
            meters.open();
            meters.refresh(many);
            assertThat(metrics.registry().find("posthouse.matched").functionCounters()).hasSize(MetricsPage.RELAYS_MAX);
            meters.close();
            assertThat(metrics.registry().find("posthouse.matched").functionCounters()).isEmpty();
            assertThat(metrics.registry().scrape()).doesNotContain("posthouse_");
        }
    }

    @Test
    void showsOmittedMetersOnceThereIsRoom() {
        try (OpsMetrics metrics = OpsMetrics.create()) {
            MeterRegistry registry = metrics.registry();
            List<Meter> others = new ArrayList<>();
            for (int kept = registry.getMeters().size(); kept < OpsMetrics.METERS_MAX - 1; kept++) {
                others.add(registry.counter("other", "name", String.valueOf(kept)));
            }
            MetricsPage meters = new MetricsPage(metrics.registry());
            RelayView relay = new Scenes.MovingRelay(Scenes.relay("rennes", "rennes-a", 1, List.of()));
            meters.refresh(List.of(relay));
            assertThat(registry.find("posthouse.matched").functionCounters()).isEmpty();
            others.forEach(registry::remove);
            meters.refresh(List.of(relay));
            assertThat(registry.find("posthouse.matched").functionCounters()).hasSize(1);
            assertThat(registry.find("posthouse.link.up").gauges()).isNotEmpty();
            meters.close();
            assertThat(metrics.registry().scrape()).doesNotContain("posthouse_");
        }
    }

    @Test
    void showsNoMoreLinksThanTheLimit() {
        try (OpsMetrics metrics = OpsMetrics.create()) {
            MetricsPage meters = new MetricsPage(metrics.registry());
            List<LinkStatus> links = links("site", RelayMeters.LINKS_MAX + 5);
            RelayStatus relay = Scenes.relay("rennes", "rennes-a", 1, List.of());
            meters.refresh(List.of(new Scenes.MovingRelay(Scenes.withLinks(relay, links))));
            assertThat(metrics.registry().find("posthouse.link.up").gauges()).hasSize(RelayMeters.LINKS_MAX);
            meters.refresh(List.of(new Scenes.MovingRelay(Scenes.withLinks(relay, links("other", 1)))));
            assertThat(metrics.registry().find("posthouse.link.up").gauges())
                    .as("the others are gone")
                    .extracting(gauge -> gauge.getId().getTag("link"))
                    .containsExactly("other0");
        }
    }

    private static List<LinkStatus> links(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new LinkStatus(prefix + i, prefix + i, LinkStatus.State.UP, 0, Traffic.NONE, 0, 0, 0, 0, 0, 0, 0, 0,
                        List.of(), new LinkStatus.Packing(false, 0, 0, 0), List.of(), 0, Scenes.NO_STREAMS, Optional.empty(), "", ""))
                .toList();
    }
}
