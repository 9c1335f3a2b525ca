package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.StandsStill;

/** Ranks that wait for each other in point-to-point calls: people see in which. */
@Timeout(300)
class StandstillTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void namesTheCallThatEachRankIsBlockedIn() throws Exception {
        try (Relays relay = Relays.start(folder, "here");
                Command job = Command.start(
                        folder, "run", "-n", "3", "--relay", relay.ranks(), "-cp", Jobs.classPath(), StandsStill.class.getName())) {
            await().atMost(PATIENCE)
                    .until(() -> relay.get("/api/v1/jobs").at("/jobs/0/ranks").findValuesAsText("blockedIn").stream().filter(in -> !in.isEmpty()).count() == 3
                            || !job.handle().isAlive());
            InProcess.Result status = InProcess.run("status", "--ops", relay.ready().console());
            assertThat(status.err()).isEmpty();
            assertThat(status.out())
                    .contains("(org.posthouse.system.jobs.StandsStill): 3 of 3 ranks wait")
                    .contains("rank 0 in Recv(source 1, tag 7) since ")
                    .contains("rank 1 in Waitall of 2 operations, 1 not done: a receive (source 2, tag 7) since ")
                    .contains("rank 2 in sSend(destination 0, tag 8) since ");
            assertThat(status.status()).as("nobody has waited for a minute").isZero();
            assertThat(job.err()).isEmpty();
        }
    }
}
