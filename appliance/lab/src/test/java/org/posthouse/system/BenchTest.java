package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.relay.config.RelayConfig.Mode;

/** {@code posthouse bench}: that it measures and counts, not how fast anything is. */
@Timeout(900)
class BenchTest {
    private static final int BYTES = 65_536;

    @TempDir
    private Path folder;

    private JsonNode figures(String... arguments) throws IOException, InterruptedException {
        Path json = folder.resolve("figures.json");
        String[] all = new String[arguments.length + 7];
        all[0] = "bench";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        System.arraycopy(
                new String[] {"--repetitions", "1", "--phase-ms", "20", "--json", json.toString()}, 0, all, arguments.length + 1, 6);
        Command.Result result = Command.run(folder, all);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.err()).as("a progress bar is for terminals").doesNotContain("\r", "%");
        return new ObjectMapper().readTree(json.toFile()).path("figures");
    }

    private static void assertPlausible(JsonNode figure) {
        double median = figure.path("medianMicros").asDouble();
        assertThat(figure.path("operations").asInt()).as(figure.toString()).isGreaterThanOrEqualTo(5);
        assertThat(figure.path("minMicros").asDouble()).as(figure.toString()).isPositive().isLessThanOrEqualTo(median);
        assertThat(figure.path("p99Micros").asDouble()).as(figure.toString()).isGreaterThanOrEqualTo(median);
        assertThat(figure.path("maxMicros").asDouble()).as(figure.toString()).isGreaterThanOrEqualTo(median);
    }

    @Test
    void pingPongIsMeasuredBesideItsBaselinesAndLoggedBesideNot() throws Exception {
        JsonNode figures = figures("pingpong", "bcast", "--pairs", "2", "--sizes", "1,100k", "--durability", "none,process");
        assertThat(figures).hasSize(10 + 4);
        figures.forEach(BenchTest::assertPlausible);
        for (int i = 0; i < 10; i++) {
            JsonNode figure = figures.get(i);
            assertThat(figure.path("timesRaw").asDouble()).isPositive();
            double frames = figure.path("relayCost").path("framesPerOperation").asDouble();
            if (figure.path("carrier").asText().equals("relay")) {
                // One message: its frames in and out, and the receive that was posted, if it is long.
                assertThat(frames).isGreaterThanOrEqualTo(figure.path("bytes").asInt() == 1 ? 2 : 3);
                assertThat(figure.path("timesForwarder").asDouble()).isPositive();
                assertThat(figure.path("relayCost").path("heapBytesPerOperation").asDouble()).isPositive();
                assertThat(figure.path("relayCost").path("payloadBytesPerOperation").asDouble())
                        .isEqualTo(figure.path("bytes").asDouble());
            } else {
                assertThat(frames).isZero();
            }
        }
        // Three short messages of two frames each, and now and then a CREDIT or AHEAD; none of the barrier before it. The last frame may be counted behind the last operation.
        assertThat(figures.get(10).path("test").asText()).isEqualTo("bcast");
        assertThat(figures.get(10).path("relayCost").path("framesPerOperation").asDouble()).isBetween(5.5, 8.0);
    }

    /** A near rank's messages cross a link more: their relay's to the gateway. */
    @Tag("long")
    @Test
    void nearAndFarDeliveryAreMeasuredInOneRun() throws Exception {
        JsonNode figures = figures("pingpong", "--sizes", "1", "--no-baselines", "--delivery", "nsd-nrd,fsd-nrd,fsd-frd");
        assertThat(figures).hasSize(3);
        figures.forEach(BenchTest::assertPlausible);
        assertThat(figures.findValuesAsText("delivery")).containsExactly("nsd-nrd", "fsd-nrd", "fsd-frd");
        List<Double> linkBytes = figures.findValuesAsText("linkBytesPerOperation").stream().map(Double::valueOf).toList();
        assertThat(linkBytes.getFirst()).isGreaterThan(linkBytes.get(1));
        assertThat(linkBytes.get(1)).isGreaterThan(linkBytes.getLast());
    }

    @Test
    @Tag("long")
    void aStreamIsMeasuredBesideItsPingPong() throws Exception {
        JsonNode figures = figures("stream", "--sizes", "64", "--window", "500", "--buffers", "direct,array");
        assertThat(figures).extracting(figure -> figure.path("carrier").asText())
                .containsExactly("raw", "vertx", "selector", "relay", "relay");
        assertThat(figures.get(3).path("buffers").asText()).isEqualTo("direct");
        assertThat(figures.get(4).path("buffers").asText()).isEqualTo("array");
        for (JsonNode figure : figures) {
            assertPlausible(figure);
            assertThat(figure.path("messagesPerSecond").asDouble())
                    .isCloseTo(1e6 / figure.path("medianMicros").asDouble(), Percentage.withPercentage(0.1));
            assertThat(figure.path("timesPingPong").asDouble()).as("a window beside one at a time").isPositive();
        }
        JsonNode cost = figures.get(3).path("relayCost");
        assertThat(cost.path("payloadBytesPerOperation").asDouble()).as("64 bytes, and a 500th of the answer").isBetween(64.0, 64.01);
        assertThat(cost.path("framesPerOperation").asDouble()).isBetween(2.0, 2.5);
    }

    @Tag("long")
    @Test
    @EnabledOnOs(OS.LINUX)
    void everyLayoutHasItsOwnBaselines() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "two processors");
        JsonNode figures = figures("pingpong", "--sizes", "1", "--layouts", "together,split");
        assertThat(figures).extracting(figure -> figure.path("layout").asText() + " " + figure.path("carrier").asText())
                .containsExactly(
                        "together raw", "together vertx", "together selector", "together relay",
                        "split raw", "split vertx", "split selector", "split relay");
        figures.forEach(BenchTest::assertPlausible);
        JsonNode report = new ObjectMapper().readTree(folder.resolve("figures.json").toFile());
        assertThat(report.path("machine").path("processors").asInt())
                .as("what it may use, wherever it was put meanwhile")
                .isEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    @Tag("long")
    void everyModeIsMeasuredInOneRun() throws Exception {
        JsonNode figures = figures("pingpong", "--modes", "all", "--sizes", "1", "--no-baselines", "--busy-poll", "20");
        assertThat(figures).allMatch(figure -> figure.path("busyPollMicros").asInt() == 20);
        assertThat(figures).extracting(figure -> figure.path("mode").asText())
                .containsExactly(Arrays.stream(Mode.values()).map(Mode::word).toArray(String[]::new));
        figures.forEach(figure -> {
            assertPlausible(figure);
            assertThat(figure.path("relayCost").path("framesPerOperation").asDouble()).isBetween(2.0, 2.5);
        });
    }

    @Tag("long")
    @Test
    void everyTestVerifiesOnThreeRanksAtTwoSites() throws Exception {
        JsonNode figures = figures(
                "pingping", "sendrecv", "exchange", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall",
                "barrier", "-n", "3", "--sites", "2", "--sizes", "64k", "--plot", folder.resolve("plot.svg").toString());
        assertThat(figures).hasSize(11);
        assertThat(folder.resolve("plot.svg")).isNotEmptyFile();
        for (JsonNode figure : figures) {
            assertPlausible(figure);
            JsonNode cost = figure.path("relayCost");
            assertThat(cost.path("framesPerOperation").asDouble()).as(figure.toString()).isPositive();
            assertThat(cost.path("payloadBytesPerOperation").asDouble() / BYTES)
                    .as(figure.toString())
                    .isBetween(blocksDelivered(figure.path("test").asText()), 2 * blocksDelivered(figure.path("test").asText()));
        }
        assertThat(figures.get(3).path("relayCost").path("linkBytesPerOperation").asDouble() / BYTES)
                .as("times that a broadcast's bytes cross the link")
                .isBetween(1.0, 1.05);
    }

    @Tag("long")
    @Test
    void wholeJobsAreRunInTurnsWithALogAndWithout() throws Exception {
        Path json = folder.resolve("job.json");
        Command.Result result = Command.run(
                folder, "bench", "job", "--job", "example:nas-is", "-n", "2", "--repetitions", "2", "--json", json.toString(), "S");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsPattern("(?m)^none +[0-9.]+ .* 1\\.000$").containsPattern("(?m)^process +[0-9.]+ ");
        JsonNode process = new ObjectMapper().readTree(json.toFile()).path("figures").get(1);
        assertThat(process.path("durability").asText()).isEqualTo("process");
        assertThat(process.path("toldSeconds")).hasSize(2);
        assertThat(process.path("initToEndSeconds")).hasSize(2).allMatch(seconds -> seconds.asDouble() > 0);
    }

    /** What is told of it, and what of those before it, is the subject of {@code BenchJobTest}. */
    @Tag("long")
    @Test
    void aJobThatFailsEndsTheBench() throws Exception {
        Command.Result failing = Command.run(folder, "bench", "job", "--job", "example:nas-is", "-n", "2", "Z");
        assertThat(failing.status()).isEqualTo(1);
        assertThat(failing.err()).contains("a run failed");
    }

    @Tag("long")
    @Test
    void muchGoesThroughASmallLogThatNeverTakesMoreThanItMay() throws Exception {
        Path json = folder.resolve("flow.json");
        Command.Result result = Command.run(
                folder, "bench", "logflow", "--bytes", "96m", "--log-limit", "64m", "--checkpoint-every", "200ms", "--json", json.toString());
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("every byte came").contains("within its limit of 64.0 MiB");
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.path("payloadBytes").asLong()).isEqualTo(96L << 20);
        assertThat(report.path("logBytesMax").asLong())
                .isGreaterThan(16 << 20)
                .isLessThanOrEqualTo((64 << 20) + report.path("fileBytesMax").asLong());
        assertThat(report.path("fileBytesMax").asLong()).isBetween(16L << 20, 32L << 20);
        assertThat(report.path("samples").asLong()).isGreaterThan(5);
    }

    @Tag("long")
    @Test
    void jobsRunOnTheNodesThatTheirAllocationNames() throws Exception {
        Path json = folder.resolve("allocation.json");
        Path plot = folder.resolve("allocation.svg");
        Command.Result result = Command.run(
                folder, "bench", "allocation", "--jobs", "nas-ep:S", "-n", "2", "--nodes-per-site", "1", "--slots", "2", "--round-trip", "20",
                "--repetitions", "1", "--json", json.toString(), "--plot", plot.toString());
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode figures = new ObjectMapper().readTree(json.toFile()).path("figures");
        assertThat(figures).extracting(figure -> figure.path("strategy").asText() + " " + figure.path("hosts") + " " + figure.path("sites"))
                .containsExactly("spread 2 2", "concentrate 1 1");
        assertThat(figures).allSatisfy(figure -> assertThat(figure.path("medianSeconds").asDouble()).isPositive());
        assertThat(figures.get(1).path("timesConcentrate").asDouble()).isEqualTo(1);
        assertThat(plot).content().contains("<svg", "concentrate");
    }

    @Test
    void anAllocationThatTheNodesCannotHoldIsRefused() throws Exception {
        Command.Result result = Command.run(folder, "bench", "allocation", "-n", "17");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("17 ranks, expected 1 to 16");
    }

    @Tag("long")
    @Test
    void linksAreAsFarApartAsTheProfileSaysAndCarryNoMore() throws Exception {
        Path json = folder.resolve("wan.json");
        Path plot = folder.resolve("wan.svg");
        Command.Result result = Command.run(
                folder, "bench", "wan", "--profile", "modern", "--megabits", "200", "--jitter", "2", "--bytes", "256k", "--seconds", "0.1", "--repetitions",
                "1", "--phase-ms", "1", "--jobs", "nas-ep:S", "-n", "2", "--job-repetitions", "1", "--json", json.toString(), "--plot",
                plot.toString());
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.path("profile").asText()).isEqualTo("modern, up to 2.0 ms more");
        JsonNode link = report.path("links").get(0);
        assertThat(link.path("emulatedLatencyMs").asDouble()).isEqualTo(50);
        assertThat(link.path("emulatedMegabitsPerSecond").asDouble()).isEqualTo(200);
        assertThat(link.path("series")).allSatisfy(series -> {
            assertThat(series.path("latencyMs").asDouble()).isGreaterThanOrEqualTo(50);
            assertThat(series.path("megabitsPerSecond").asDouble()).isBetween(1.0, 200.0);
        });
        assertThat(link.path("beside")).extracting(beside -> beside.path("durability").asText()).containsExactly("none", "process");
        assertThat(link.path("beside")).allSatisfy(beside -> {
            assertThat(beside.path("idleMs").asDouble()).isGreaterThanOrEqualTo(50);
            assertThat(beside.path("besideMs").asDouble()).isGreaterThanOrEqualTo(50);
            assertThat(beside.path("allowedMs").asDouble()).isGreaterThan(2 * beside.path("idleMs").asDouble());
            assertThat(beside.path("streamMegabitsPerSecond").asDouble()).isBetween(1.0, 200.0);
        });
        assertEveryTunnelIsMeasuredOrLeftOut(report);
        assertThat(report.path("jobs").get(0).path("figures")).extracting(figure -> figure.path("durability").asText())
                .containsExactly("none", "process");
        assertThat(plot).isNotEmptyFile();
        assertThat(folder.resolve("wan-latency.svg")).isNotEmptyFile();
        assertThat(folder.resolve("wan-jobs.svg")).isNotEmptyFile();
    }

    @Tag("long")
    @Test
    void aLinkOnTheLoopbackIsMeasuredBesideOtherTunnels() throws Exception {
        Path json = folder.resolve("wan.json");
        String layouts = OS.LINUX.isCurrentOs() && Runtime.getRuntime().availableProcessors() >= 2 ? "free,sites" : "free";
        Command.Result result = Command.run(
                folder, "bench", "wan", "--profile", "none", "--sizes", "1", "--bytes", "64k", "--window", "4", "--durability", "none",
                "--layouts", layouts, "--repetitions", "1", "--phase-ms", "2", "--json", json.toString());
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEveryTunnelIsMeasuredOrLeftOut(report);
        assertThat(report.path("links").get(0).path("figures").findValuesAsText("layout")).containsOnly(layouts.split(","));
        for (JsonNode figure : report.path("links").get(0).path("figures")) {
            assertPlausible(figure);
            assertThat(figure.path("timesRaw").asDouble()).isPositive();
            assertThat(figure.has("timesTunnel")).isEqualTo(report.path("leftOut").size() < 2);
            boolean overLink = figure.path("carrier").asText().equals("relay");
            assertThat(figure.path("relayCost").path("linkBytesPerOperation").asDouble())
                    .isGreaterThanOrEqualTo(overLink ? figure.path("bytes").asDouble() : 0);
        }
    }

    private static void assertEveryTunnelIsMeasuredOrLeftOut(JsonNode report) {
        List<String> carriers = report.path("links").get(0).path("figures").findValuesAsText("carrier");
        assertThat(carriers).contains("raw", "relay");
        for (String tunnel : List.of("ssh", "stunnel")) {
            assertThat(carriers.contains(tunnel)).as(tunnel + " is measured").isNotEqualTo(report.path("leftOut").has(tunnel));
        }
    }

    /** Which cells there are is the subject of {@code ScalePlanTest}. */
    @Tag("long")
    @Test
    void scaleMeasuresEveryPairAtEveryNumberOfRelaysInEveryMode() throws Exception {
        Path plot = folder.resolve("scale.svg");
        JsonNode figures = figures(
                "scale", "--clients", "4", "--relays", "1,2", "--durability", "none,process", "--sizes", "1,100k", "--plot",
                plot.toString());
        int series = 3 + 2 * Mode.values().length;
        assertThat(figures).hasSize(2 * 2 * series);
        for (JsonNode figure : figures) {
            assertThat(figure.path("overallMegabytesPerSecond").asDouble()).as(figure.toString()).isPositive();
            assertThat(figure.path("totalMegabytesPerSecond").asDouble())
                    .as(figure.toString())
                    .isGreaterThanOrEqualTo(figure.path("overallMegabytesPerSecond").asDouble());
            assertThat(figure.path("slowestOverMedian").asDouble()).as(figure.toString()).isBetween(1e-6, 1.0);
            assertThat(figure.path("latencyMicros").asDouble()).as(figure.toString()).isPositive();
            // A message takes its frames in and out, and its receive if it is long; one of 100 KiB two chunks more each way.
            double frames = figure.path("relayCost").path("framesPerMessage").asDouble();
            double fewest = figure.path("bytes").asInt() > 1 ? 7 : 2;
            assertThat(frames).as(figure.toString()).isBetween(figure.has("mode") ? fewest : 0, figure.has("mode") ? 2 * fewest : 0);
        }
        assertThat(plot).isNotEmptyFile();
        assertThat(folder.resolve("scale-latency.svg")).isNotEmptyFile();
    }

    @Tag("long")
    @Test
    void anInterruptOfScaleLeavesNothingBehind() throws Exception {
        try (Command command = Command.start(
                folder, "bench", "scale", "--clients", "4", "--durability", "process", "--sizes", "1", "--repetitions", "900")) {
            Awaitility.await().until(() -> command.handle().children().count() == 2);
            List<ProcessHandle> hosts = command.handle().children().toList();
            new ProcessBuilder("kill", "-INT", Long.toString(command.handle().pid())).start().waitFor();
            assertThat(command.await().status()).as(command.err()).isEqualTo(130);
            assertThat(hosts).noneMatch(ProcessHandle::isAlive);
        }
    }

    /** The relay is a JVM that has begun to start when the interrupt comes. */
    @Tag("long")
    @Test
    void anInterruptOfReplicasDoesNotWaitForARelayThatDoesNotServeYet() throws Exception {
        try (Command command = Command.start(folder, "bench", "replicas", "--degrees", "1,2", "--sizes", "1", "--repetitions", "900")) {
            Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> command.handle().children().count() == 1);
            List<ProcessHandle> relays = command.handle().children().toList();
            new ProcessBuilder("kill", "-INT", Long.toString(command.handle().pid())).start().waitFor();
            Command.Result result = command.await();
            assertThat(result.status()).as(result.err()).isEqualTo(130);
            assertThat(result.err()).doesNotContain("not everything was put away");
            assertThat(relays).noneMatch(ProcessHandle::isAlive);
            assertThat(folder).isDirectoryNotContaining(file -> file.getFileName().toString().startsWith("posthouse-relays-"));
        }
    }

    @Test
    void aModeThatIsNoneIsRefusedByName() {
        InProcess.Result result = InProcess.run("bench", "scale", "--modes", "quick");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\"quick\" is no mode, expected all or multiplexed");
        assertThat(InProcess.run("bench").err()).contains("Missing required parameter: 'TEST'");
    }

    /** Blocks of X bytes that an operation of three ranks must bring to another rank at least, whatever its algorithm. */
    private static double blocksDelivered(String test) {
        return switch (test) {
            case "pingping", "bcast", "reduce", "gather", "scatter" -> 2;
            case "sendrecv" -> 3;
            case "exchange", "alltoall", "allgather" -> 6;
            case "allreduce" -> 4;
            case "barrier" -> 0;
            default -> throw new IllegalArgumentException(test);
        };
    }

    @Tag("long")
    @Test
    void replicasArePairsOfEachDegreeInTurns() throws Exception {
        JsonNode figures = figures("replicas", "--degrees", "1,2", "--sizes", "1,100k", "--plot", folder.resolve("replicas.svg").toString());
        assertThat(figures.findValuesAsText("degree")).containsExactly("1", "2", "1", "2");
        figures.forEach(figure -> {
            assertThat(figure.path("medianMicros").asDouble()).as(figure.toString()).isPositive();
            assertThat(figure.path("cpuMicrosLeaders").asDouble()).as(figure.toString()).isNotNegative();
        });
        assertThat(folder.resolve("replicas.svg")).isNotEmptyFile();
    }

    @Tag("long")
    @Test
    void killedLeadersAreFollowedWhereThereAreFollowersAndRestartedElsewhere() throws Exception {
        Path json = folder.resolve("pause.json");
        Command.Result result = Command.run(folder, "bench", "replicas", "--pause", "--kills", "2", "--json", json.toString());
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode pauses = new ObjectMapper().readTree(json.toFile()).path("pauses");
        assertThat(pauses.findValuesAsText("degree")).containsExactly("1", "2");
        assertThat(pauses.get(0).path("samples").findValues("startedMs")).allSatisfy(started -> assertThat(started.asDouble()).isPositive());
        assertThat(pauses.get(1).path("samples").findValues("startedMs")).hasSize(2).allSatisfy(started -> assertThat(started.asDouble()).isZero());
    }
}
