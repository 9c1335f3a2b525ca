package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.keys.GridAuthority;

/** kill -9 of a relay in the middle of a logged job, or its stop in good order: it is started again on its log, and nobody can tell from the result. */
@Timeout(900)
class RelayKilledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = "threaded")
    void ringVerifiesAlthoughItsRelayIsKilledTwice(String mode) throws Exception {
        try (Relays relay = one("--mode", mode);
                Command job = start(relay, "1", "4", "example:ring", "24000", "1024")) {
            for (int kill = 0; kill < 2; kill++) {
                relay.awaitDelivered(relay.delivered() + 2_000);
                relay.kill();
                relay.startAgain();
            }
            assertVerified(job, 2);
        }
    }

    /** Whoever starts it again may name the wrong folder, and notice. */
    @Tag("long")
    @Test
    void isVerifiesAlthoughItsRelayIsKilledAndComesBackWithoutItsLogFirst() throws Exception {
        try (Relays relay = one();
                Command job = start(relay, "1", "4", "example:nas-is", "W")) {
            relay.awaitDelivered(60);
            relay.kill();
            Path own = folder.resolve("data");
            Files.move(own, folder.resolve("aside"));
            relay.startAgain();
            await().atMost(PATIENCE).until(() -> job.err().contains("UNKNOWN_JOB"));
            relay.kill();
            Files.move(own, folder.resolve("other"));
            Files.move(folder.resolve("aside"), own);
            relay.startAgain();
            Command.Result done = assertVerified(job, 1);
            assertThat(Jobs.told(done, "is not open any more at relay site-a")).as("once").singleElement().asString().endsWith("start it with that");
            assertThat(Jobs.told(done, "restarted")).as("its ranks wait too").isEmpty();
        }
    }

    @Tag("long")
    @Test
    void ringVerifiesAlthoughARankDiesWithItsRelay() throws Exception {
        try (Relays relay = one();
                Command job = start(relay, "1", "3", "example:ring", "600", "100000")) {
            relay.awaitDelivered(300);
            ProcessHandle rank = Jobs.rank(job, 1);
            relay.kill();
            rank.destroyForcibly();
            rank.onExit().join();
            relay.startAgain();
            Command.Result done = assertVerified(job, 1);
            assertThat(Jobs.told(done, "rank 1 was killed by signal 9 (SIGKILL): restarted")).hasSize(1);
        }
    }

    @Test
    void jobsOfTwoSitesVerifyAlthoughOneRelayAndThenTheOtherEnds() throws Exception {
        oneAndThenTheOtherEnds("example:ring 800 100000", "multiplexed", false);
    }

    @Test
    @Tag("long")
    void andAlthoughTheyEndInGoodOrder() throws Exception {
        oneAndThenTheOtherEnds("example:nas-is W", "pipeline", true);
    }

    private void oneAndThenTheOtherEnds(String program, String mode, boolean inGoodOrder) throws Exception {
        try (Relays first = ofTwo("site-a", "--mode", mode);
                Relays second = ofTwo("site-b", "--mode", mode, "--peer", "site-a=" + first.ready().links(), "--member", first.group());
                Command job = start(first, "2", "4", program.split(" "))) {
            for (Relays relay : List.of(second, first)) {
                relay.awaitDelivered(relay.delivered() + 30);
                if (inGoodOrder) {
                    assertThat(relay.stop().err()).doesNotContain("ERROR");
                } else {
                    relay.kill();
                }
                relay.startAgain();
            }
            Command.Result done = assertVerified(job, 2);
            assertThat(Jobs.told(done, "restarted")).as("no rank notices").isEmpty();
        }
    }

    /** Nobody may lose patience for ever: neither the job with its relay, nor the relay with a job that nobody comes back to. */
    @Test
    @Tag("long")
    void aJobWhoseLauncherDoesNotComeBackIsEnded() throws Exception {
        try (Relays relay = one("--launcher-timeout", "1");
                Command job = start(relay, "1", "2", "example:ring", "1000000", "64")) {
            relay.awaitDelivered(500);
            relay.kill();
            job.close();
            relay.startAgain();
            await().atMost(PATIENCE).until(() -> relay.get("/api/v1/jobs").at("/jobs/0/state").asText().equals("FAILED"));
            relay.kill();
            relay.startAgain();
            assertThat(relay.get("/api/v1/jobs").path("jobs")).as("it is over in the log too").isEmpty();
        }
    }

    private Relays one(String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("--data", folder.resolve("data").toString()));
        options.addAll(List.of(more));
        return Relays.start(folder, "site-a", options.toArray(String[]::new));
    }

    private Relays ofTwo(String site, String... more) throws Exception {
        Path authority = folder.resolve("authority");
        GridAuthority grid = authority.toFile().exists() ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data",
                folder.resolve("data-" + site).toString()));
        options.addAll(List.of(more));
        return Relays.start(folder, site, options.toArray(String[]::new));
    }

    private Command start(Relays relay, String sites, String ranks, String... program) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", ranks, "--sites", sites, "--relay", relay.ranks(), "--durability", "process"));
        arguments.addAll(List.of(program));
        return Command.start(folder, arguments.toArray(String[]::new));
    }

    private static Command.Result assertVerified(Command job, int relaysLost) throws Exception {
        Command.Result done = job.await();
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
        assertThat(Jobs.told(done, " is back after ")).as(done.err()).hasSize(relaysLost);
        assertThat(Jobs.told(done, "DIVERGED")).isEmpty();
        return done;
    }
}
