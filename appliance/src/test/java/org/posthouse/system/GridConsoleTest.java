package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
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
import org.posthouse.system.jobs.Deadlock;
import org.posthouse.system.jobs.SendsThenWaits;

/** The console of one relay shows the relays that it is linked with. Real processes, TLS. */
@Timeout(600)
@Tag("long")
class GridConsoleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(240);

    @TempDir
    private Path folder;

    @Test
    void oneConsoleShowsTheRelaysAndRanksOfBothSites() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        try (Relays a = relay(authority, "site-a"); Relays b = relay(authority, "site-b", "--peer", "site-a=" + a.ready().links())) {
            await().atMost(PATIENCE).until(() -> relays(a).equals(List.of("site-a", "site-b")));
            Path end = folder.resolve("end");
            try (Command job = Command.start(
                    folder, "run", "-n", "4", "--durability", "process", "--relay", a.ranks(), "--relay", b.ranks(), "-cp", Jobs.classPath(),
                    SendsThenWaits.class.getName(), end.toString())) {
                await().atMost(PATIENCE).until(() -> connected(a) == 4 || !job.handle().isAlive());
                JsonNode grid = a.get("/api/v1/grid");
                assertThat(sites(grid)).as(job.err()).containsExactly("site-a", "site-a", "site-b", "site-b");
                assertThat(grid.at("/relays/1/here").asBoolean()).isFalse();
                assertThat(grid.at("/relays/1/links/0/peerRelay").asText()).isEqualTo("site-a");
                assertThat(events(a)).contains("site-a JOB_OPENED", "site-a RANK_CONNECTED", "site-a LINK_UP", "site-b JOB_OPENED", "site-b RANK_CONNECTED");
                String matrix = "/api/v1/jobs/" + grid.at("/jobs/0/id").asText() + "/matrix";
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(cells(a.get(matrix)))
                        .containsExactlyInAnyOrder("[0,1,1,10]", "[1,2,2,20]", "[2,3,3,30]", "[3,0,4,40]"));
                assertThat(a.get(matrix).path("missing")).isEmpty();
                String timeline = matrix.replace("matrix", "timeline");
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(sums(a.get(timeline))).containsExactly("0: 1 4", "1: 2 1", "2: 3 2", "3: 4 3"));
                b.kill();
                await().atMost(PATIENCE).untilAsserted(() -> {
                    JsonNode later = a.get("/api/v1/grid");
                    assertThat(later.path("at").asLong() - later.at("/relays/1/asOf").asLong()).as("silence of the killed relay, ms").isGreaterThan(3_000);
                });
                assertThat(events(a)).contains("site-a LINK_DOWN");
                assertThat(a.get(matrix).path("missing").toString()).isEqualTo("[\"site-b\"]");
                assertThat(cells(a.get(matrix))).as("those of the relay that is there").containsExactlyInAnyOrder("[0,1,1,10]", "[3,0,4,40]");
            }
        }
    }

    private Relays relay(GridAuthority authority, String site, String... more) throws Exception {
        Path keys = folder.resolve("keys-" + site);
        authority.issue(site, 2, keys);
        List<String> arguments = new ArrayList<>(List.of("--keys", keys.toString(), "--links", "127.0.0.1:0", "--data", folder.resolve(site).toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, site, arguments.toArray(String[]::new));
    }

    private static List<String> relays(Relays at) throws IOException {
        return texts(at.get("/api/v1/grid").path("relays"), "relay");
    }

    private static List<String> cells(JsonNode matrix) {
        return StreamSupport.stream(matrix.path("cells").spliterator(), false).map(JsonNode::toString).toList();
    }

    /** Of each rank what it has sent and got. */
    private static List<String> sums(JsonNode timeline) {
        return StreamSupport.stream(timeline.path("ranks").spliterator(), false)
                .map(rank -> rank.path("rank").asInt() + ": " + sum(rank.path("sent")) + " " + sum(rank.path("delivered")))
                .toList();
    }

    private static long sum(JsonNode values) {
        return StreamSupport.stream(values.spliterator(), false).mapToLong(JsonNode::asLong).sum();
    }

    @Test
    void ranksThatWaitForEachOtherAreACycle() throws Exception {
        try (Relays a = Relays.start(folder, "site-a");
                Command job = Command.start(
                        folder, "run", "-n", "2", "--relay", a.ranks(), "-cp", Jobs.classPath(), Deadlock.class.getName())) {
            await().atMost(PATIENCE).until(() -> !a.get("/api/v1/grid").path("jobs").isEmpty() || !job.handle().isAlive());
            String id = a.get("/api/v1/grid").at("/jobs/0/id").asText();
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode waits = a.get("/api/v1/jobs/" + id + "/waits");
                assertThat(waits.path("cycles").toString()).as("%s %s", waits, job.err()).isEqualTo("[[0,1]]");
                assertThat(waits.at("/waits/0/peers/0").asInt()).isEqualTo(1);
                assertThat(waits.at("/waits/0/call").asText()).startsWith("Recv");
            });
        }
    }

    private static List<String> events(Relays at) throws IOException {
        JsonNode events = at.get("/api/v1/event-log").path("events");
        return StreamSupport.stream(events.spliterator(), false).map(event -> event.path("relay").asText() + " " + event.path("kind").asText()).toList();
    }

    private static List<String> sites(JsonNode grid) {
        return texts(grid.at("/jobs/0/ranks"), "site");
    }

    private static long connected(Relays at) throws IOException {
        return texts(at.get("/api/v1/grid").at("/jobs/0/ranks"), "state").stream().filter("CONNECTED"::equals).count();
    }

    private static List<String> texts(JsonNode array, String key) {
        return StreamSupport.stream(array.spliterator(), false).map(node -> node.path(key).asText()).toList();
    }
}
