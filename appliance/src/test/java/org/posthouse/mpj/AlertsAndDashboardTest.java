package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** ops/alerts and ops/grafana against what live relays with a link and a log export: names of metrics, labels and their values. */
@Timeout(120)
class AlertsAndDashboardTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
    private static final Path ALERTS = ROOT.resolve("ops/alerts/posthouse.yaml");
    private static final Pattern SAMPLE = Pattern.compile("([a-z]\\w+)(?:\\{(.*)})? \\S+");
    private static final Pattern SELECTOR = Pattern.compile("\\b((?:posthouse|jvm|process)_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|=)\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
    private static final Pattern SHOWN_LABEL = Pattern.compile("\\{\\{ *(?:\\$labels\\.)?(\\w+) *}}");
    private static final Pattern ALARM = Pattern.compile("(?m)^- `(posthouse_.*|[a-z_]+\\(.*)`");

    /** Of each metric, the values of its labels. */
    private static final Map<String, Map<String, Set<String>>> EXPORTED = new TreeMap<>();

    private static Vertx vertx;

    @BeforeAll
    static void scrape() throws Exception {
        vertx = EmbeddedGrid.vertx();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 2, 1, true, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
                Scrape scrape = new Scrape(grid::views)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> scrape.sum("posthouse_links_up") == 2 && scrape.series().toString().contains("link_bytes"));
            scrape.lines().stream().map(SAMPLE::matcher).filter(Matcher::matches).forEach(AlertsAndDashboardTest::learn);
        }
    }

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    private static void learn(Matcher sample) {
        Map<String, Set<String>> labels = EXPORTED.computeIfAbsent(sample.group(1), unseen -> new TreeMap<>());
        if (sample.group(2) != null) {
            MATCHER.matcher(sample.group(2)).results().forEach(label -> labels.computeIfAbsent(label.group(1), unseen -> new TreeSet<>()).add(label.group(3)));
        }
    }

    /** Labels that the expression's metrics have, or that Prometheus adds. */
    private static Set<String> check(String expression) {
        Set<String> labels = new HashSet<>(Set.of("instance", "le"));
        int found = 0;
        Matcher selectors = SELECTOR.matcher(expression);
        while (selectors.find()) {
            Map<String, Set<String>> exported = EXPORTED.get(selectors.group(1));
            assertThat(exported).as("%s in %s", selectors.group(1), expression).isNotNull();
            labels.addAll(exported.keySet());
            MATCHER.matcher(selectors.group(2) == null ? "" : selectors.group(2)).results().forEach(wanted -> {
                assertThat(exported).as(expression).containsKey(wanted.group(1));
                if (!wanted.group(3).startsWith("$")) {
                    assertThat(exported.get(wanted.group(1))).as(expression).contains(wanted.group(3));
                }
            });
            found++;
        }
        assertThat(found).as(expression).isPositive();
        GROUPED.matcher(expression).results().flatMap(by -> Arrays.stream(by.group(1).split(", *")))
                .forEach(label -> assertThat(labels).as(expression).contains(label));
        return labels;
    }

    private static void checkText(String text, Set<String> labels) {
        assertThat(SHOWN_LABEL.matcher(text).results().map(label -> label.group(1))).as(text).isSubsetOf(labels);
    }

    private static List<Map<?, ?>> rules() throws IOException {
        Map<?, ?> file = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(ALERTS));
        List<Map<?, ?>> rules = new ArrayList<>();
        for (Object group : (List<?>) file.get("groups")) {
            ((List<?>) ((Map<?, ?>) group).get("rules")).forEach(rule -> rules.add((Map<?, ?>) rule));
        }
        return rules;
    }

    @Test
    void alertsUseMetricsAndLabelsThatRelaysExport() throws IOException {
        assertThat(rules()).hasSizeGreaterThan(5).allSatisfy(rule -> {
            assertThat(rule.keySet().stream().map(String::valueOf)).isSubsetOf("alert", "expr", "for", "labels", "annotations");
            Set<String> labels = check((String) rule.get("expr"));
            ((Map<?, ?>) rule.get("annotations")).values().forEach(text -> checkText((String) text, labels));
        });
    }

    /** The list of docs/metrics.md. */
    @Test
    void eachDocumentedAlarmIsARule() throws IOException {
        List<String> alarms = ALARM.matcher(Files.readString(ROOT.resolve("docs/metrics.md"))).results().map(line -> line.group(1)).toList();
        assertThat(alarms).hasSizeGreaterThan(5);
        assertThat(rules().stream().map(rule -> (String) rule.get("expr"))).containsAll(alarms);
    }

    /** Where Prometheus is installed its own tool reads the rules too. */
    @Test
    void prometheusReadsTheRules() throws Exception {
        Path tool = Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, "promtool")).filter(Files::isExecutable).findFirst().orElse(null);
        assumeTrue(tool != null, "no promtool here (Debian's package prometheus): it does not check ops/alerts");
        Process check = new ProcessBuilder(tool.toString(), "check", "rules", ALERTS.toString()).redirectErrorStream(true).start();
        String told = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(told).isZero();
    }

    @Test
    void dashboardUsesMetricsAndLabelsThatRelaysExport() throws IOException {
        JsonNode dashboard = new ObjectMapper().readTree(ROOT.resolve("ops/grafana/posthouse.json").toFile());
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        int expressions = 0;
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).as("id of %s", panel.get("title")).isTrue();
            occupy(panel, cells);
            for (JsonNode target : panel.path("targets")) {
                checkText(target.get("legendFormat").asText(), check(target.get("expr").asText()));
                expressions++;
            }
        }
        assertThat(expressions).isGreaterThan(15);
        assertThat(dashboard.toString()).contains("label_values(posthouse_ready, site)").doesNotContain("http");
    }

    /** No panel is on another one. */
    private static void occupy(JsonNode panel, Set<String> cells) {
        JsonNode at = panel.get("gridPos");
        assertThat(at.get("x").asInt() + at.get("w").asInt()).isLessThanOrEqualTo(24);
        for (int x = at.get("x").asInt(); x < at.get("x").asInt() + at.get("w").asInt(); x++) {
            for (int y = at.get("y").asInt(); y < at.get("y").asInt() + at.get("h").asInt(); y++) {
                assertThat(cells.add(x + "," + y)).as("place of %s", panel.get("title")).isTrue();
            }
        }
    }
}
