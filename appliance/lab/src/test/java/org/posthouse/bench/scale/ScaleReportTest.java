package org.posthouse.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.relay.config.RelayConfig.Mode;

/** The arithmetic and the forms of the report of {@code bench scale}, from made-up round trips. */
class ScaleReportTest {
    private static final long SECOND = 1_000_000_000;
    private static final Cost COST = new Cost(300, 90_000, 900, 0, 0);

    @TempDir
    private Path folder;

    private static HostedRank.Outcome pair(long roundTrips, long medianMicros) {
        return new HostedRank.Outcome("", roundTrips, SECOND, medianMicros * 1_000);
    }

    private static ScaleFigure figure(ScalePlan.Cell cell, ScaleSeries series, int bytes) {
        return new ScaleFigure(cell, series, bytes);
    }

    @Test
    void overallBandwidthIsTheSlowestPairsTimesThePairs() {
        ScaleFigure figure = figure(new ScalePlan.Cell(6, 1), ScaleSeries.relayed(Mode.MULTIPLEXED, false), 1_000_000);
        figure.add(List.of(pair(60, 10), pair(50, 20), pair(40, 60)), COST);
        // 40 round trips carry 40 times 1 MB each way in a second.
        assertThat(figure.overallMegabytes()).containsExactly(3 * 80.0);
        assertThat(figure.totalMegabytes()).containsExactly(300.0);
        assertThat(figure.slowestOverMedian()).isCloseTo(0.8, within(1e-9));
        assertThat(figure.latencyMicros()).containsExactly(10.0);
        assertThat(figure.cost()).isEqualTo(new Cost(1, 300, 3, 0, 0));
    }

    @Test
    void ratiosAreMediansOverRepetitionsBesideTheBetterForwarderOfTheSameCell() {
        ScalePlan.Cell cell = new ScalePlan.Cell(2, 1);
        List<ScaleFigure> figures = new ArrayList<>();
        for (Carrier carrier : List.of(Carrier.RAW, Carrier.VERTX, Carrier.SELECTOR)) {
            figures.add(figure(cell, ScaleSeries.baseline(carrier), 1));
        }
        ScaleFigure relay = figure(cell, ScaleSeries.relayed(Mode.MULTIPLEXED, false), 1);
        ScaleFigure elsewhere = figure(new ScalePlan.Cell(4, 1), ScaleSeries.baseline(Carrier.SELECTOR), 1);
        elsewhere.add(List.of(pair(100_000, 1), pair(100_000, 1)), COST);
        figures.addAll(List.of(relay, elsewhere));
        for (int speed : new int[] {100, 10, 100}) {
            figures.get(0).add(List.of(pair(80L * speed, 10)), COST);
            figures.get(1).add(List.of(pair(30L * speed, 20)), COST);
            figures.get(2).add(List.of(pair(40L * speed, 25)), COST);
            relay.add(List.of(pair(20L * speed, 30)), COST);
        }
        assertThat(relay.bandwidthTimes(relay.raw(figures).orElseThrow())).isCloseTo(0.25, within(1e-9));
        assertThat(relay.widerForwarder(figures)).containsSame(figures.get(2));
        assertThat(relay.quickerForwarder(figures)).containsSame(figures.get(1));
        assertThat(relay.latencyTimes(figures.get(1))).isCloseTo(1.5, within(1e-9));
    }

    private static ScaleReport report() {
        ScalePlan plan = new ScalePlan(
                List.of(2, 4), List.of(1, 2), List.of(Mode.MULTIPLEXED), List.of(false, true), List.of(1, 65_536), 1, 10, 2);
        List<ScaleFigure> figures = new ArrayList<>();
        for (ScalePlan.Cell cell : plan.cells()) {
            for (int bytes : plan.sizes()) {
                for (ScaleSeries series : plan.series()) {
                    ScaleFigure figure = figure(cell, series, bytes);
                    List<HostedRank.Outcome> pairs = new ArrayList<>();
                    for (int pair = 0; pair < cell.pairs(); pair++) {
                        pairs.add(pair(1_000 - 100L * pair, 40));
                    }
                    figure.add(pairs, COST);
                    figures.add(figure);
                }
            }
        }
        return new ScaleReport(plan, figures);
    }

    @Test
    void aTableForEachCellWithALineForEachSeriesAtEachSize() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        report().print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String[] tables = bytes.toString(StandardCharsets.UTF_8).split("\n\n");
        assertThat(tables).hasSize(3);
        assertThat(tables[2]).startsWith("scale, 4 clients, 2 relays, 2 pairs").contains("slow/med", "0.95", "multiplexed process");
        assertThat(tables[2].lines()).hasSize(2 + 2 * 5);
    }

    @Test
    void jsonHasEveryFigureWithItsPlace() throws IOException {
        Path file = folder.resolve("scale.json");
        report().writeJson("posthouse bench scale", file);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("machine").path("processors").asInt()).isPositive();
        assertThat(json.path("figures")).hasSize(3 * 2 * 5);
        JsonNode last = json.path("figures").get(29);
        assertThat(last.path("clients").asInt()).isEqualTo(4);
        assertThat(last.path("relays").asInt()).isEqualTo(2);
        assertThat(last.path("mode").asText()).isEqualTo("multiplexed");
        assertThat(last.path("durability").asText()).isEqualTo("process");
        assertThat(last.path("overallMegabytesPerSecond").asDouble()).isCloseTo(2 * 2 * 65_536 * 900 / 1e6, within(1e-6));
        assertThat(last.path("bandwidthTimesForwarder").asDouble()).isEqualTo(1);
        assertThat(last.path("latencyMicrosOfRepetitions")).hasSize(1);
        assertThat(json.path("figures").get(0).has("mode")).isFalse();
    }

    @Test
    void bandwidthAndLatencyAreDrawnEachInItsFile() throws IOException {
        report().writePlot(folder.resolve("scale.svg"));
        assertThat(Files.readString(folder.resolve("scale.svg")))
                .contains("overall bandwidth (MB/s)", "multiplexed process", "2 relays", "64k bytes")
                .as("panels that have no room")
                .doesNotContain("height=\"-");
        assertThat(Files.readString(folder.resolve("scale-latency.svg")))
                .contains("half a round trip", "1 bytes")
                .doesNotContain("64k bytes");
    }
}
