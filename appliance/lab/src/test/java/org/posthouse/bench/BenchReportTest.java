package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.experiment.BenchEnvironment;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Statistics;
import org.posthouse.keys.RelayId;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;
import org.w3c.dom.Document;

/** The three forms of a report, from made-up times. */
class BenchReportTest {
    private static final Variant NONE = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty());
    private static final Variant CHAIN =
            new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, true, BufferKind.DIRECT, "bcast=chain", Optional.of(new Settings(4096)));

    @TempDir
    private Path folder;

    private static BenchReport report(Benchmark... tests) {
        BenchPlan plan = new BenchPlan(
                List.of(tests), 4, 2, 1, 1, List.of(1000, 1_000_000), List.of(NONE, CHAIN), true, 2, 10, 100);
        List<Figure> figures = new ArrayList<>();
        for (Benchmark test : tests) {
            for (int bytes : plan.sizesOf(test)) {
                long nanos = 10_000 + bytes;
                for (Series series : plan.seriesOf(test)) {
                    figures.add(figure(plan, test, series, bytes, nanos));
                    nanos *= 2;
                }
            }
        }
        return new BenchReport(plan, figures, Optional.empty());
    }

    private static Figure figure(BenchPlan plan, Benchmark test, Series series, int bytes, long nanos) {
        Figure figure = new Figure(test, series, bytes, plan.groups(test));
        figure.times().add(Statistics.phase(List.of(new long[] {nanos}), true, 1));
        figure.times().add(Statistics.phase(List.of(new long[] {nanos}), true, 1));
        figure.addCost(new Cost(12.5, 150, 3, bytes, 40));
        return figure;
    }

    @Test
    void jsonNamesCommandMachineBaselineAndEveryFigure() throws IOException {
        Path file = folder.resolve("figures.json");
        report(Benchmark.PINGPONG, Benchmark.BARRIER).writeJson("posthouse bench pingpong barrier", file);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("command").asText()).isEqualTo("posthouse bench pingpong barrier");
        assertThat(json.path("baseline").asText()).contains("raw", "forwarder");
        assertThat(json.path("at").asText()).startsWith("20").endsWith("Z");
        assertThat(json.path("machine").path("processors").asInt()).isPositive();
        assertThat(json.path("machine").path("os").asText()).isNotBlank();
        assertThat(json.path("machine").path("java").asText()).isNotBlank();
        assertThat(new ObjectMapper().convertValue(json.path("environment"), Map.class)).isEqualTo(BenchEnvironment.found());
        assertThat(json.path("figures")).hasSize(5 * 2 + 2);
        JsonNode raw = json.path("figures").get(0);
        assertThat(raw.path("carrier").asText()).isEqualTo("raw");
        assertThat(raw.path("layout").asText()).isEqualTo("free");
        assertThat(List.of("mode", "transport", "durability", "buffers", "algorithm", "eagerMaxBytes")).as("of relays alone").noneMatch(raw::has);
        JsonNode relay = json.path("figures").get(4);
        assertThat(relay.path("carrier").asText()).isEqualTo("relay");
        assertThat(relay.path("durability").asText()).isEqualTo("process");
        assertThat(relay.path("algorithm").asText()).isEqualTo("bcast=chain");
        assertThat(relay.path("eagerMaxBytes").asInt()).isEqualTo(4096);
        assertThat(relay.path("timesRaw").asDouble()).isBetween(15.8, 16.2);
        assertThat(relay.path("timesForwarder").asDouble()).isBetween(7.9, 8.1);
        assertThat(relay.path("relayCost").path("framesPerOperation").asDouble()).isEqualTo(3);
        assertThat(relay.path("relayCost").path("heapBytesPerOperation").asDouble()).isEqualTo(150);
        assertThat(relay.path("medianMicrosOfRepetitions")).hasSize(2);
        JsonNode barrier = json.path("figures").get(10);
        assertThat(barrier.has("megabytesPerSecond")).isFalse();
        assertThat(barrier.has("timesRaw")).isFalse();
    }

    @Test
    void findsRankSettingsInEnvironment() {
        assertThat(BenchEnvironment.in(Map.of(
                "POSTHOUSE_AHEAD", "off", "POSTHOUSE_TOKEN", "secret", "PATH", "/bin", "POSTHOUSE_EAGER_MAX", "0", "POSTHOUSE_RANK_JAVA_HOME", "/jdk-17")))
                .containsExactly(
                        Map.entry("POSTHOUSE_EAGER_MAX", "0"), Map.entry("POSTHOUSE_AHEAD", "off"), Map.entry("POSTHOUSE_RANK_JAVA_HOME", "/jdk-17"));
    }

    @Test
    void throughputCountsTurnoverAndPairs() throws IOException {
        Path file = folder.resolve("figures.json");
        report(Benchmark.PINGPONG, Benchmark.EXCHANGE).writeJson("", file);
        JsonNode figures = new ObjectMapper().readTree(file.toFile()).path("figures");
        // Two pairs, 1000 bytes in 11 µs each; then four times 1000 bytes in 11 µs.
        assertThat(figures.get(0).path("megabytesPerSecond").asDouble()).isBetween(181.0, 183.0);
        assertThat(figures.get(10).path("megabytesPerSecond").asDouble()).isBetween(362.0, 365.0);
    }

    @Test
    void tablesHaveALineForEveryFigureAndRatiosWhereThereAreBaselines() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        report(Benchmark.PINGPONG, Benchmark.BCAST).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String[] tables = bytes.toString(StandardCharsets.UTF_8).split("\n\n");
        assertThat(tables).hasSize(2);
        assertThat(tables[0].lines()).hasSize(2 + 10);
        assertThat(tables[0]).startsWith("pingpong, 2 pairs, one site; t is half a round trip").contains("x raw", "16.00", "vertx forwarder",
                "selector forwarder");
        assertThat(tables[1].lines()).hasSize(2 + 4);
        assertThat(tables[1]).startsWith("bcast, 4 ranks, one site").contains("multiplexed process bcast=chain").doesNotContain("x raw");
    }

    @Test
    void deliveriesAreComparedBySize() throws IOException {
        List<Variant> variants = Variant.delivered(List.of(NONE), List.of(Delivery.NSD_NRD, Delivery.FSD_FRD));
        BenchPlan plan = new BenchPlan(List.of(Benchmark.PINGPONG), 2, 1, 2, 1, List.of(1000, 1_000_000), variants, false, 2, 10, 100);
        List<Figure> figures = new ArrayList<>();
        for (int bytes : plan.sizes()) {
            plan.seriesOf(Benchmark.PINGPONG).forEach(series -> figures.add(figure(plan, Benchmark.PINGPONG, series, bytes, 10_000 + bytes)));
        }
        BenchReport report = new BenchReport(plan, figures, Optional.empty());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String[] tables = bytes.toString(StandardCharsets.UTF_8).split("\n\n");
        assertThat(tables).hasSize(3);
        assertThat(tables[0]).startsWith("pingpong, 1 pair, 2 sites").contains("multiplexed none nsd-nrd", "multiplexed none fsd-frd");
        assertThat(tables[1].lines().map(String::strip)).hasSize(4).contains("bytes    nsd-nrd    fsd-frd", "1000       11.0       11.0");
        assertThat(tables[2]).startsWith("MB/s");
        Path file = folder.resolve("delivery.json");
        report.writeJson("", file);
        assertThat(new ObjectMapper().readTree(file.toFile()).path("figures").findValuesAsText("delivery"))
                .containsExactly("nsd-nrd", "fsd-frd", "nsd-nrd", "fsd-frd");
    }

    /** Gateways reach each other; a node reaches its own gateway only. */
    @Test
    void nearRanksAreAtHomeBehindTheirGateway() {
        assertThat(Delivery.NSD_FRD.relays()).map(RelayId::toString).containsExactly("site-a", "site-b", "site-a/node");
        assertThat(Delivery.NSD_FRD.homes()).map(RelayId::toString).containsExactly("site-a/node", "site-b");
        assertThat(Delivery.dials(RelayId.parse("site-b"), RelayId.parse("site-a"))).isTrue();
        assertThat(Delivery.dials(RelayId.parse("site-b/node"), RelayId.parse("site-b"))).isTrue();
        assertThat(Delivery.dials(RelayId.parse("site-b/node"), RelayId.parse("site-a"))).isFalse();
        assertThat(Delivery.dials(RelayId.parse("site-b/node"), RelayId.parse("site-a/node"))).isFalse();
    }

    @Test
    void plotIsOneDrawingWithALineForEverySeries() throws Exception {
        Path file = folder.resolve("plot.svg");
        report(Benchmark.PINGPONG, Benchmark.BARRIER).writePlot(file);
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Document drawing = factory.newDocumentBuilder().parse(file.toFile());
        assertThat(drawing.getDocumentElement().getLocalName() == null ? drawing.getDocumentElement().getNodeName() : "")
                .isEqualTo("svg");
        String svg = Files.readString(file);
        assertThat(svg).contains("posthouse bench", "message size (bytes)", "median time", "multiplexed none", "bcast=chain", "selector forwarder");
        assertThat(svg).doesNotContain("barrier");
        assertThat(svg.split("fill=\"none\"", -1).length - 1).as("lines").isGreaterThanOrEqualTo(4);
    }

    @Test
    void plotOfNothingIsRefused() {
        assertThatThrownBy(() -> report(Benchmark.BARRIER).writePlot(folder.resolve("none.svg")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none of the tests has bytes");
    }
}
