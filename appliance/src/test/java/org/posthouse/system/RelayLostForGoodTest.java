package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;

/** All relays of a site are gone, with their data folders, and never come back: who says what, and what is left. Real processes. */
@Timeout(900)
class RelayLostForGoodTest {
    private static final Duration PATIENCE = Duration.ofSeconds(300);

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void jobsOfLostRelayEndWithinTheirTimeoutAndReportLoss() throws Exception {
        Path june = folder.resolve("june");
        try (Relays first = Relays.startWithKeys(folder, "site-a");
                Relays second = Relays.startWithKeys(folder, "site-b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
                Command job = ring(first, "2");
                Command kept = ring(first, "2", "--folder", june.toString());
                Command local = ring(first, "1")) {
            await().atMost(PATIENCE).until(() -> first.delivered() > 300 && second.delivered() > 100);
            second.kill();
            deleteAll(folder.resolve("data-site-b"));
            Command.Result ended = job.await();
            assertThat(ended.status()).as(ended.err()).isEqualTo(1);
            assertThat(ended.err().strip().lines().toList().getLast()).isEqualTo(
                    "posthouse: job ended: relay site-b, the home of rank 1, has not come back within 3 s (--relay-timeout): cannot reach the relay at "
                            + second.ranks() + ": Connection refused");
            Command.Result left = kept.await();
            assertThat(left.status()).as(left.err()).isEqualTo(75);
            assertThat(Jobs.told(left, "the job stands still: relay site-b, the home of rank 1, has not come back within 3 s (--relay-timeout): "))
                    .as(left.err()).hasSize(1);
            await("no rank is left of either").atMost(PATIENCE).until(() -> Command.processes(folder).size() == 1 + 1 + Jobs.ranks(local.handle()).size());
            InProcess.Result status = InProcess.run("status", "--ops", first.ready().console());
            assertThat(status.status()).isEqualTo(3);
            assertThat(status.out()).containsPattern("link +site-b is (DOWN|CONNECTING) since ").contains("down: ");
            long before = first.delivered();
            await("a job that has no ranks there goes on").atMost(PATIENCE).until(() -> first.delivered() > before + 100);
        }
    }

    private Command ring(Relays relay, String sites, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "run", "-n", "2", "--sites", sites, "--relay", relay.ranks(), "--durability", "process", "--relay-timeout", "3"));
        words.addAll(List.of(more));
        words.addAll(List.of("example:ring", "100000000", "64"));
        return Command.start(folder, words.toArray(String[]::new));
    }

    private static void deleteAll(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
