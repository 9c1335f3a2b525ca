package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.SendsThenWaits;

/** What the console's page of a job knows of its ranks: their nodes and last deliveries. Real processes. */
@Timeout(600)
@Tag("long")
class JobPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void ranksHaveTheNodesThatRunThemAndTheTimesOfTheirLastDeliveries() throws Exception {
        long beganMs = System.currentTimeMillis() / 1_000 * 1_000;
        try (Relays relay = Relays.start(folder, "site-a");
                Command one = relay.agent("one", 2);
                Command two = relay.agent("two", 2);
                Command job = Command.start(
                        folder, "run", "-n", "4", "--relay", relay.ranks(), "-cp", Jobs.classPath(), SendsThenWaits.class.getName(),
                        folder.resolve("end").toString())) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(texts(ranks(relay), "node")).as("%s", job.err()).containsExactlyInAnyOrder("one", "one", "two", "two"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(ranks(relay)).allSatisfy(rank -> assertThat(rank.path("lastDeliveryAt").asLong())
                            .isBetween(beganMs, System.currentTimeMillis())));
            Files.createFile(folder.resolve("end"));
            assertThat(job.await().status()).isZero();
            assertThat(texts(ranks(relay), "node")).as("of a job that has ended").containsExactlyInAnyOrder("one", "one", "two", "two");
            assertThat(one.handle().isAlive() && two.handle().isAlive()).isTrue();
        }
    }

    @Test
    void theNewestLinesOfAllRanksAreAtEachRelay() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        try (Relays a = relay(authority, "site-a", List.of()); Relays b = relay(authority, "site-b", List.of("--peer", "site-a=" + a.ready().links()))) {
            try (Command job = start(a, b, SendsThenWaits.class)) {
                await().atMost(PATIENCE).until(() -> !b.get("/api/v1/grid").path("jobs").isEmpty() || !job.handle().isAlive());
                String output = "/api/v1/jobs/" + b.get("/api/v1/grid").at("/jobs/0/id").asText() + "/output";
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(lines(b.get(output))).as("%s", job.err())
                                .containsExactlyInAnyOrder("0 out waits", "1 out waits", "2 out waits", "3 out waits"));
                assertThat(lines(b.get(output + "?search=WAIT&rank=2"))).containsExactly("2 out waits");
                assertThat(lines(b.get(output + "?search=absent"))).isEmpty();
                assertThat(b.get(output + "?lines=3").path("older").asInt()).isEqualTo(1);
                Files.createFile(folder.resolve("end"));
                assertThat(job.await().status()).isZero();
                assertThat(lines(b.get(output))).as("of a job that has ended").hasSize(4);
                Command.Result shown = Command.run(folder, "jobs", "output", output.split("/")[4], "--rank", "3", "--ops", a.ready().console());
                assertThat(shown.out()).as(shown.err()).isEqualTo("waits" + System.lineSeparator());
            }
            try (Command job = start(a, b, SendsThenWaits.class, "--no-output-tail")) {
                Command.Result ended = job.await();
                assertThat(ended.out()).as(ended.err()).contains("[3] waits");
                String hidden = "/api/v1/jobs/" + a.get("/api/v1/grid").at("/jobs/0/id").asText() + "/output";
                assertThat(lines(a.get(hidden))).isEmpty();
            }
        }
    }

    private Command start(Relays a, Relays b, Class<?> program, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", "4", "--relay", a.ranks(), "--relay", b.ranks()));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-cp", Jobs.classPath(), program.getName(), folder.resolve("end").toString()));
        return Command.start(folder, arguments.toArray(String[]::new));
    }

    private Relays relay(GridAuthority authority, String site, List<String> more) throws Exception {
        Path keys = folder.resolve("keys-" + site);
        authority.issue(site, 2, keys);
        List<String> arguments = new ArrayList<>(List.of("--keys", keys.toString(), "--links", "127.0.0.1:0", "--data", folder.resolve(site).toString()));
        arguments.addAll(more);
        return Relays.start(folder, site, arguments.toArray(String[]::new));
    }

    private static List<String> lines(JsonNode output) {
        return StreamSupport.stream(output.path("lines").spliterator(), false)
                .map(line -> line.path("rank").asInt() + " " + line.path("stream").asText() + " " + line.path("text").asText())
                .toList();
    }

    private static JsonNode ranks(Relays at) throws IOException {
        return at.get("/api/v1/grid").at("/jobs/0/ranks");
    }

    private static List<String> texts(JsonNode array, String key) {
        return StreamSupport.stream(array.spliterator(), false).map(node -> node.path(key).asText()).toList();
    }
}
