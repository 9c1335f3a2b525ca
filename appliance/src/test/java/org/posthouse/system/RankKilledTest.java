package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of a rank in the middle of a logged job: it alone is started again, and nobody can tell from the result. */
@Timeout(900)
class RankKilledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /** The second time it is the process that took the first one's place. */
    @Test
    void ringVerifiesAlthoughARankIsKilledTwice() throws Exception {
        ringVerifies("6000", 2, 2);
    }

    @Test
    @Tag("long")
    void ringVerifiesAlthoughARankIsKilledThreeTimes() throws Exception {
        ringVerifies("16000", 2, 0, 2);
    }

    private void ringVerifies(String laps, int... victims) throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "4", "--relay", relay.ranks(), "--durability", "process", "example:ring", laps,
                        "1024")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 4);
            relay.awaitDelivered(1_000);
            for (int victim : victims) {
                ProcessHandle process = Jobs.rank(job, victim);
                process.destroyForcibly();
                process.onExit().join();
                // Replayed deliveries count too; what matters is that all go on before the next one dies.
                relay.awaitDelivered(relay.delivered() + 1_000);
            }
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(Jobs.told(done, "was killed by signal 9 (SIGKILL)")).hasSize(victims.length);
            assertThat(Jobs.told(done, " caught up after ")).hasSize(victims.length);
            assertThat(Jobs.told(done, "DIVERGED")).isEmpty();
        }
    }

    @Tag("long")
    @Test
    void aRankThatIsKilledAtItsStartIsStartedAgain() throws Exception {
        try (Command job = Command.start(
                folder, "run", "-n", "3", "--sites", "2", "--durability", "process", "example:heat", "48", "20")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 3);
            Jobs.rank(job, 1).destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(Jobs.told(done, "rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 3)")).hasSize(1);
        }
    }

    @Tag("long")
    @Test
    void aRankThatIsStoppedAndDoesNotGoOnIsStartedAgain() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "--silence", "2", "example:ring",
                        "8000", "1024")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 3);
            relay.awaitDelivered(1_000);
            long pid = Jobs.rank(job, 1).pid();
            assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor()).isZero();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(Jobs.told(done, "rank 1 has been stopped by a signal for 2 s: it is killed")).hasSize(1);
            assertThat(Jobs.told(done, "rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 3)")).hasSize(1);
        }
    }

    @Tag("long")
    @Test
    void withoutRestartsADeathEndsTheJob() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "--max-restarts", "0",
                        "example:ring", "1000000", "64")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 3);
            relay.awaitDelivered(500);
            Jobs.rank(job, 1).destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).isEqualTo(137);
            assertThat(done.err().strip()).isEqualTo("posthouse: job ended: rank 1 was killed by signal 9 (SIGKILL)");
        }
    }
}
