package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;

/** docs/metrics.md against what live relays with a link and a log show: names, types, labels, and how many series. */
@Timeout(120)
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of(System.getProperty("basedir", ""), "..", "docs", "metrics.md");
    private static final Pattern ROW = Pattern.compile("\\| `(posthouse_\\w+)` \\| (\\w+) \\| ([\\w, ]+) \\| .*");
    private static final Pattern TYPE = Pattern.compile("# TYPE (posthouse_\\w+) (\\w+)");
    private static final Pattern PART_OF_HISTOGRAM = Pattern.compile("_(bucket|sum|count)$");
    private static final Pattern BOUND = Pattern.compile("at most (\\d+) series, and each link adds (\\d+)");

    /** Of one meter: its type and its labels. */
    private record Shape(String type, Set<String> labels) {}

    private static Map<String, Shape> documented() throws IOException {
        Map<String, Shape> shapes = new TreeMap<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                Set<String> labels = new TreeSet<>(List.of(row.group(3).split(", ")));
                labels.remove("none");
                shapes.put(row.group(1), new Shape(row.group(2), labels));
            }
        }
        return shapes;
    }

    private static Map<String, Shape> shown(Scrape scrape) throws IOException {
        Map<String, String> types = new TreeMap<>();
        scrape.lines().stream().map(TYPE::matcher).filter(Matcher::matches).forEach(line -> types.put(line.group(1), line.group(2)));
        Map<String, Shape> shapes = new TreeMap<>();
        for (Scrape.Sample sample : scrape.samples()) {
            String name = types.containsKey(sample.name()) ? sample.name() : PART_OF_HISTOGRAM.matcher(sample.name()).replaceFirst("");
            Set<String> labels = new TreeSet<>(sample.labels().keySet());
            labels.remove("le");
            shapes.put(name, new Shape(types.get(name), labels));
        }
        return shapes;
    }

    @Test
    void scrapeShowsExactlyTheDocumentedMetrics() throws Exception {
        Vertx vertx = EmbeddedGrid.vertx();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 2, 1, true, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
                Scrape scrape = new Scrape(grid::views)) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(shown(scrape)).isEqualTo(documented()));
            for (RelayConfig.Mode mode : RelayConfig.Mode.values()) {
                grid.switchMode(ModeConfig.of(mode));
            }
            checkBound(scrape);
        } finally {
            vertx.close().await();
        }
    }

    /** With all modes used and one link, a relay has no more series than the document says, and not half as many. */
    private static void checkBound(Scrape scrape) throws IOException {
        Matcher bound = BOUND.matcher(Files.readString(DOCUMENT).replace("\n", " "));
        assertThat(bound.find()).as("the sentence on the number of series").isTrue();
        int most = Integer.parseInt(bound.group(1)) + Integer.parseInt(bound.group(2));
        List<Scrape.Sample> ofOne = new ArrayList<>(scrape.samples());
        ofOne.removeIf(sample -> !"site-a".equals(sample.labels().get("site")));
        assertThat(ofOne).hasSizeBetween(most / 2, most);
    }
}
