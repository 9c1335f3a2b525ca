package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --durability host} over two sites: what crosses the border waits for the disk, and all the same nothing is lost. */
@Timeout(900)
class HostDurabilityTest {
    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void ringOverTwoSitesVerifiesAlthoughARankIsKilled() throws Exception {
        try (Command job = Command.start(
                folder, "run", "-n", "4", "--sites", "2", "--durability", "host", "example:ring", "120", "100000")) {
            await().atMost(Duration.ofSeconds(60)).until(() -> Jobs.ranks(job.handle()).size() == 4);
            Jobs.rank(job, 2).destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(Jobs.told(done, "rank 2 was killed by signal 9 (SIGKILL): restarted (1 of 3)")).hasSize(1);
        }
    }
}
