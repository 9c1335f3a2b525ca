package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of a rank in the middle of a logged job: it alone is started again, and nobody can tell from the result. */
@Timeout(180)
class RankKilledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /** The process of a rank of the launcher's job. */
    private static ProcessHandle rank(Command job, int rank) {
        String mark = "\0POSTHOUSE_RANK=" + rank + "\0";
        return Jobs.ranks(job.handle()).stream()
                .filter(process -> environment(process).contains(mark))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no process of rank " + rank + "; the job said " + job.out() + job.err()));
    }

    private static String environment(ProcessHandle process) {
        try {
            Path environ = Path.of("/proc", Long.toString(process.pid()), "environ");
            return "\0" + new String(Files.readAllBytes(environ), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // It has just ended: not the one that is looked for.
            return "";
        }
    }

    /** Waits until the relay has delivered so many messages more than {@code before}. */
    private static long delivered(Relays relay, long before, long more) {
        await().atMost(PATIENCE).until(() -> out(relay) >= before + more);
        return before + more;
    }

    private static long out(Relays relay) throws IOException {
        return relay.meter("posthouse_messages_total{direction=\"out\"");
    }

    private static List<String> own(Command.Result result, String word) {
        return result.err().lines().filter(line -> line.startsWith("posthouse: ") && line.contains(word)).toList();
    }

    @Test
    void ringVerifiesAlthoughARankIsKilledThreeTimes() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "4", "--relay", relay.ranks(), "--durability", "process", "example:ring", "20000",
                        "1024")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 4);
            long so = delivered(relay, 0, 2_000);
            for (int victim : new int[] {2, 0, 2}) {
                ProcessHandle process = rank(job, victim);
                process.destroyForcibly();
                process.onExit().join();
                // Replayed deliveries count too; what matters is that all go on before the next one dies.
                so = delivered(relay, Math.max(so, out(relay)), 2_000);
            }
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(own(done, "was killed by signal 9 (SIGKILL)")).hasSize(3);
            assertThat(own(done, " caught up after ")).hasSize(3);
            assertThat(own(done, "DIVERGED")).isEmpty();
        }
    }

    @Test
    void aRankThatIsKilledAtItsStartIsStartedAgain() throws Exception {
        try (Command job = Command.start(
                folder, "run", "-n", "3", "--sites", "2", "--durability", "process", "example:heat", "48", "20")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 3);
            rank(job, 1).destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(own(done, "rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 3)")).hasSize(1);
        }
    }

    @Test
    void withoutRestartsADeathEndsTheJob() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "--max-restarts", "0",
                        "example:ring", "1000000", "64")) {
            await().atMost(PATIENCE).until(() -> Jobs.ranks(job.handle()).size() == 3);
            delivered(relay, 0, 500);
            rank(job, 1).destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).isEqualTo(137);
            assertThat(done.err().strip()).isEqualTo("posthouse: job ended: rank 1 was killed by signal 9 (SIGKILL)");
        }
    }
}
