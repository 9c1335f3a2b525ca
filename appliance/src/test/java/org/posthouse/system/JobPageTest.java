package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.SendsThenWaits;

/** What the console's page of a job knows of its ranks: their nodes and last deliveries. Real processes. */
@Timeout(600)
class JobPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void ranksHaveTheNodesThatRunThemAndTheTimesOfTheirLastDeliveries() throws Exception {
        long beganMs = System.currentTimeMillis() / 1_000 * 1_000;
        try (Relays relay = Relays.start(folder, "site-a");
                Command one = agent(relay, "one");
                Command two = agent(relay, "two");
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

    private Command agent(Relays relay, String name) throws IOException {
        Command agent = Command.start(
                folder, "agent", "--relay", relay.ranks(), "--name", name, "--host-id", name, "--slots", "2", "--dir", folder.resolve(name).toString());
        await().atMost(PATIENCE).until(() -> (agent.err() + agent.out()).contains("connected to the relay"));
        return agent;
    }

    private static JsonNode ranks(Relays at) throws IOException {
        return at.get("/api/v1/grid").at("/jobs/0/ranks");
    }

    private static List<String> texts(JsonNode array, String key) {
        return StreamSupport.stream(array.spliterator(), false).map(node -> node.path(key).asText()).toList();
    }
}
