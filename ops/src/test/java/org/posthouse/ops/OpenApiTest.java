package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Route;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.ops.access.Logins;
import org.posthouse.status.StreamStatus;

/** openapi.json is written by hand; it says the same as the routes and the records. */
@Timeout(120)
class OpenApiTest {

    @Test
    void listsExactlyTheRoutes() throws Exception {
        Set<String> routed = routedPaths();
        routed.removeAll(Set.of("/console/", "/webjars/"));
        ConsoleAssets.PAGES.forEach(page -> routed.remove(page.replace(":id", "{id}")));
        assertThat(names(document().path("paths"))).isEqualTo(routed);
    }

    /** A field that a record has and the document has not, or the other way round, shows as a difference of lines. */
    @ParameterizedTest
    @CsvSource({
        "Relay, org.posthouse.status.RelayStatus",
        "Counters, org.posthouse.status.RelayStatus$Counters",
        "Log, org.posthouse.status.RelayStatus$Log",
        "KnownRelay, org.posthouse.status.RelayStatus$KnownRelay",
        "Keys, org.posthouse.status.KeysStatus",
        "Node, org.posthouse.status.NodeStatus",
        "Streams, org.posthouse.status.StreamStatus",
        "Forward, org.posthouse.status.StreamStatus$Forward",
        "Link, org.posthouse.status.LinkStatus",
        "Lane, org.posthouse.status.LinkStatus$Lane",
        "LinkStreams, org.posthouse.status.LinkStatus$Streams",
        "Packing, org.posthouse.status.LinkStatus$Packing",
        "Parked, org.posthouse.status.LinkStatus$Parked",
        "ParkedJob, org.posthouse.status.LinkStatus$ParkedJob",
        "Job, org.posthouse.status.JobStatus",
        "Rank, org.posthouse.status.RankStatus",
        "Follower, org.posthouse.status.FollowerStatus",
        "Event, org.posthouse.status.RelayEvent",
        "Names, org.posthouse.status.NamesStatus",
        "BoundName, org.posthouse.status.NamesStatus$BoundName",
        "NameChange, org.posthouse.status.NamesStatus$NameChange",
        "RankActivity, org.posthouse.status.RankActivity",
        "WaitSpan, org.posthouse.status.RankActivity$Span",
        "Timeline, org.posthouse.ops.JobTimeline",
        "Mark, org.posthouse.ops.JobTimeline$Mark",
        "Waits, org.posthouse.ops.JobWaits",
        "Wait, org.posthouse.ops.JobWaits$Wait",
        "Matrix, org.posthouse.ops.JobMatrix",
        "NotReady, org.posthouse.ops.OpsJson$NotReady",
        "ModeReport, org.posthouse.ops.ModeReport",
        "DrainReport, org.posthouse.ops.DrainReport",
        "NodeDrainReport, org.posthouse.ops.NodeDrainReport",
        "Account, org.posthouse.ops.OpsJson$Account",
        "LoginForms, org.posthouse.ops.OpsJson$LoginForms",
        "EndJobReport, org.posthouse.ops.EndJobReport"
    })
    void describesEveryComponentOfTheRecords(String schema, String record) throws Exception {
        List<String> expected = RecordSchema.of(Class.forName(record));
        JsonNode described = document().at("/components/schemas/" + schema);
        if (schema.equals("Relay")) {
            expected.addAll(List.of("ready boolean", "reasons [string]", "here boolean", "asOf int64"));
        }
        assertThat(RecordSchema.described(described)).isEqualTo(expected);
        assertThat(RecordSchema.required(described)).isEqualTo(expected.stream().map(line -> line.split(" ")[0]).toList());
    }

    @Test
    void isServed() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            assertThat(ops.json("/openapi.json")).isEqualTo(document());
        }
    }

    private static JsonNode document() throws Exception {
        try (var in = OpenApiTest.class.getResourceAsStream("/org/posthouse/ops/openapi.json")) {
            return OpsFixture.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static Set<String> routedPaths() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            EventBoard events = new EventBoard(0);
            OpsRoutes routes = new OpsRoutes(
                    vertx, List::of, new OpsRoutes.Known(
                            new GridStatus(vertx.getOrCreateContext(), List::of, events, () -> 0), events, new SpeedHistory(),
                            Logins.open(vertx, Optional.empty(), Optional.empty(), () -> 0).await(60, TimeUnit.SECONDS)),
                    registry, new MetricsPage(registry),
                    new ConsoleConnections(vertx, 1, 1_000));
            return routes.router(OpsConfig.loopback(0), ConsoleAssets.load(), new EventStream(() -> new Overview(List.of()), events))
                    .getRoutes().stream()
                    .map(Route::getPath).filter(Objects::nonNull).map(path -> path.replace(":id", "{id}"))
                    .collect(Collectors.toCollection(TreeSet::new));
        } finally {
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
