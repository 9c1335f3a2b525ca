package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Route;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** openapi.json is written by hand; it says the same as the routes and the records. */
@Timeout(120)
class OpenApiTest {

    @Test
    void listsExactlyTheRoutes() throws Exception {
        Set<String> routed = routedPaths();
        routed.removeAll(Set.of("/", "/console/", "/webjars/"));
        assertThat(names(document().path("paths"))).isEqualTo(routed);
    }

    @ParameterizedTest
    @CsvSource({
        "Relay, org.posthouse.ops.RelaySnapshot, jobs, ready reasons",
        "Counters, org.posthouse.ops.RelaySnapshot$Counters, '', ''",
        "Log, org.posthouse.ops.RelaySnapshot$LogView, '', ''",
        "Keys, org.posthouse.ops.KeysView, '', ''",
        "Streams, org.posthouse.ops.StreamsView, '', ''",
        "Forward, org.posthouse.ops.StreamsView$ForwardView, '', ''",
        "KnownRelay, org.posthouse.ops.RelaySnapshot$KnownRelay, '', ''",
        "Link, org.posthouse.ops.LinkView, '', ''",
        "Lane, org.posthouse.ops.LaneView, '', ''",
        "LinkStreams, org.posthouse.ops.LinkStreamsView, '', ''",
        "Packing, org.posthouse.ops.PackingView, '', ''",
        "Parked, org.posthouse.ops.ParkedView, '', ''",
        "ParkedJob, org.posthouse.ops.ParkedView$Job, '', ''",
        "Job, org.posthouse.ops.JobView, '', ''",
        "Rank, org.posthouse.ops.RankView, '', ''",
        "NotReady, org.posthouse.ops.OpsJson$NotReady, '', ''",
        "ModeReport, org.posthouse.ops.ModeReport, '', ''"
    })
    void describesEveryComponentOfTheRecords(String schema, String record, String left, String added) throws Exception {
        Set<String> expected = Arrays.stream(Class.forName(record).getRecordComponents())
                .map(RecordComponent::getName).collect(Collectors.toCollection(TreeSet::new));
        expected.removeAll(List.of(left.split(" ")));
        Arrays.stream(added.split(" ")).filter(name -> !name.isEmpty()).forEach(expected::add);
        JsonNode described = document().at("/components/schemas/" + schema);
        assertThat(names(described.path("properties"))).isEqualTo(expected);
        assertThat(words(described.path("required"))).isEqualTo(expected);
    }

    @Test
    void listsTheStates() throws Exception {
        assertThat(words(document().at("/components/schemas/Rank/properties/state/enum")))
                .isEqualTo(names(RankView.State.values()));
        assertThat(words(document().at("/components/schemas/Link/properties/state/enum")))
                .isEqualTo(names(LinkView.State.values()));
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
            OpsRoutes routes = new OpsRoutes(vertx, List::of, registry, new RelayMeters(registry), new ConsoleConnections(vertx, 1, 1_000));
            return routes.router(OpsConfig.loopback(0), ConsoleAssets.load(), new EventStream(List::of))
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

    private static Set<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> words(JsonNode array) {
        Set<String> words = new TreeSet<>();
        array.forEach(word -> words.add(word.asText()));
        return words;
    }
}
