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
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.SavesWhenAsked;
import org.posthouse.system.jobs.SendsThenWaits;

/** An operator asks a job for checkpoints at one of its relays. Real processes, TLS. */
@Timeout(600)
class CheckpointNowTest {
    private static final int RANKS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void ranksAtBothRelaysSaveThemselvesAndAKilledOneGoesOnFromThere() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        try (Relays a = relay(authority, "site-a", List.of());
                Relays b = relay(authority, "site-b", List.of("--peer", "site-a=" + a.ready().links()));
                Command job = Command.start(
                        folder, "run", "-n", "" + RANKS, "--durability", "process", "--relay", a.ranks(), "--relay", b.ranks(), "-cp", Jobs.classPath(),
                        SavesWhenAsked.class.getName(), folder.toString())) {
            await().atMost(PATIENCE).until(() -> checkpoints(a).size() == RANKS || !job.handle().isAlive());
            Map<Integer, Integer> before = checkpoints(a);
            assertThat(before).as("each rank's state at Checkpoint.restored: %s", job.err()).hasSize(RANKS);
            Command.Result asked = ask(a, id(a));
            assertThat(asked.status()).as(asked.err()).isZero();
            assertThat(asked.out().lines()).containsExactly("site-a: 2 ranks are asked", "site-b: 2 ranks are asked");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(checkpoints(a)).allSatisfy((rank, count) -> assertThat(count)
                    .as("checkpoints of rank %d", rank).isGreaterThan(before.get(rank))));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(a.get("/api/v1/grid").at("/jobs/0/ranks")).hasSize(RANKS)
                    .allSatisfy(rank -> assertThat(rank.path("lastCheckpointAt").asLong()).as("last checkpoint of %s", rank).isPositive()));
            Files.createFile(folder.resolve("die"));
            await().atMost(PATIENCE).until(() -> began().containsKey("1/2") || !job.handle().isAlive());
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(texts(a, "RANK_RECOVERED")).as("the parts of the restart")
                    .singleElement().asString().contains("rank 1 caught up after", "detected", "JVM", "replayed"));
            Files.createFile(folder.resolve("end"));
            Command.Result ended = job.await();
            assertThat(ended.status()).as(ended.err()).isZero();
            assertThat(ended.out()).contains("Verification: SUCCESSFUL");
            assertThat(began().get("1/2")).as("the step at which rank 1's second process began").isPositive();
        }
    }

    @Test
    void aJobWithoutALogHasNone() throws Exception {
        try (Relays a = Relays.start(folder, "site-a");
                Command job = Command.start(
                        folder, "run", "-n", "2", "--relay", a.ranks(), "-cp", Jobs.classPath(), SendsThenWaits.class.getName(),
                        folder.resolve("end").toString())) {
            await().atMost(PATIENCE).until(() -> !a.get("/api/v1/grid").path("jobs").isEmpty() || !job.handle().isAlive());
            Command.Result asked = ask(a, id(a));
            assertThat(asked.status()).isEqualTo(1);
            assertThat(asked.err()).contains("it was started without --durability");
            Command.Result unknown = ask(a, "1f");
            assertThat(unknown.status()).isEqualTo(1);
            assertThat(unknown.err()).contains("\"1f\" that runs");
        }
    }

    private Command.Result ask(Relays at, String job) throws Exception {
        return Command.run(folder, "jobs", "checkpoint", job, "--ops", at.ready().console());
    }

    private Relays relay(GridAuthority authority, String site, List<String> more) throws Exception {
        Path keys = folder.resolve("keys-" + site);
        authority.issue(site, 2, keys);
        List<String> arguments = new ArrayList<>(
                List.of("--keys", keys.toString(), "--links", "127.0.0.1:0", "--data", folder.resolve(site).toString()));
        arguments.addAll(more);
        return Relays.start(folder, site, arguments.toArray(String[]::new));
    }

    private static String id(Relays at) throws IOException {
        return at.get("/api/v1/grid").at("/jobs/0/id").asText();
    }

    /** How many each rank has. */
    private static Map<Integer, Integer> checkpoints(Relays at) throws IOException {
        Map<Integer, Integer> counts = new TreeMap<>();
        at.get("/api/v1/grid");
        for (JsonNode event : at.get("/api/v1/event-log?kind=CHECKPOINT").path("events")) {
            counts.merge(event.path("rank").asInt(), 1, Integer::sum);
        }
        return counts;
    }

    private static List<String> texts(Relays at, String kind) throws IOException {
        List<String> texts = new ArrayList<>();
        at.get("/api/v1/grid");
        at.get("/api/v1/event-log?kind=" + kind).path("events").forEach(event -> texts.add(event.path("text").asText()));
        return texts;
    }

    /** The step at which each process began, by its rank and incarnation. */
    private Map<String, Integer> began() throws IOException {
        Map<String, Integer> began = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("began"))) {
            began.put(line.substring(0, line.indexOf(' ')), Integer.valueOf(line.substring(line.indexOf(' ') + 1)));
        }
        return began;
    }
}
