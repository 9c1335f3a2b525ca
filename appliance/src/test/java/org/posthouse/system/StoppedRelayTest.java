package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;

/**
 * SIGSTOP of a relay in the middle of jobs: its connections stand, and their other ends' systems are answered by its own. Whoever waits for it says so;
 * nothing is given up before its patience is over, and after SIGCONT nobody can tell from the result. Real processes.
 */
@Timeout(900)
class StoppedRelayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(300);
    private static final String STILL =
            " has not answered for 25 s, though its connection stands: its process is stopped (kill -CONT), or its host is too busy";

    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    void isNamedByEverybodyAndItsJobGoesOnWhenItDoes() throws Exception {
        try (Relays first = Relays.startWithKeys(folder, "site-a");
                Relays second = Relays.startWithKeys(folder, "site-b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
                Command job = ring(first, 2, "process", "120", "6000");
                Command plain = ring(second, 1, "none", "120", "12000");
                Command impatient = ring(second, 1, "process", "10", "1000000")) {
            second.awaitDelivered(500);
            await().atMost(PATIENCE).until(() -> first.delivered() > 100);
            signal("STOP", second);
            try (Command status = Command.start(folder, "status", "--ops", second.ready().console())) {
                Command.Result ended = impatient.await();
                assertThat(ended.status()).as(ended.err()).isEqualTo(1);
                assertThat(ended.err().strip()).endsWith(
                        "job ended: relay site-b at " + second.ranks() + STILL + "; 10 s are its --relay-timeout");
                await().atMost(PATIENCE).until(() -> job.err().contains("relay site-b at " + second.ranks() + STILL
                        + "; its ranks wait, and the job ends after 120 s (--relay-timeout)") && plain.err().contains(STILL + "; its ranks wait\n"));
                await().atMost(PATIENCE).until(() -> !link(first).path("state").asText().equals("UP"));
                assertThat(InProcess.run("status", "--ops", first.ready().console()).out())
                        .containsPattern("link +site-b is (DOWN|CONNECTING) since ")
                        .contains("was silent for 15");
                Command.Result asked = status.await();
                assertThat(asked.status()).as(asked.out()).isEqualTo(1);
                assertThat(asked.err()).contains(
                        second.ready().console() + " takes connections and has not answered for 30 s: its process is stopped (kill -CONT)");
            } finally {
                signal("CONT", second);
            }
            for (Command waited : List.of(job, plain)) {
                Command.Result done = waited.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
                assertThat(Jobs.told(done, "relay site-b at " + second.ranks() + " answers again after ")).hasSize(1);
                assertThat(done.err()).doesNotContain("restarted").doesNotContain("DIVERGED");
            }
            await().atMost(PATIENCE).until(() -> link(first).path("state").asText().equals("UP"));
        }
    }

    private static JsonNode link(Relays relay) throws Exception {
        return relay.get("/api/v1/relays").at("/relays/0/links/0");
    }

    private static void signal(String name, Relays relay) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(relay.command().handle().pid())).start().waitFor()).isZero();
    }

    private Command ring(Relays relay, int sites, String durability, String timeout, String laps) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "run", "-n", "2", "--sites", Integer.toString(sites), "--relay", relay.ranks(), "--durability", durability));
        if (!durability.equals("none")) {
            words.addAll(List.of("--relay-timeout", timeout));
        }
        words.addAll(List.of("example:ring", laps, "64"));
        return Command.start(folder, words.toArray(String[]::new));
    }
}
