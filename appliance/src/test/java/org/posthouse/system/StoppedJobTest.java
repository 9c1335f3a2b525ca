package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rank or a launcher is stopped (SIGSTOP) in the middle of a job, for longer than every time-out. Its connections stay
 * open. Each job goes on after SIGCONT and ends well. A logged job replaces its stopped rank ({@code --silence}, 30 s).
 */
@Timeout(900)
class StoppedJobTest {
    private static final Duration PATIENCE = Duration.ofSeconds(300);

    /** The longest time-out is a minute: until ranks that wait are told of. */
    private static final Duration STOPPED = Duration.ofSeconds(75);

    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    void jobsEndWellAfterARankOrTheLauncherWasStoppedForLong() throws Exception {
        try (Relays relay = Relays.start(folder, "here", "--data", folder.resolve("data").toString());
                Command logged = ring(relay, "process");
                Command plain = ring(relay, "none");
                Command launched = ring(relay, "process")) {
            List<Command> jobs = List.of(logged, plain, launched);
            await().atMost(PATIENCE).until(() -> jobs.stream().allMatch(job -> Jobs.ranks(job.handle()).size() == 2));
            relay.awaitDelivered(1_000);
            List<ProcessHandle> stopped = List.of(Jobs.ranks(logged.handle()).getFirst(), Jobs.ranks(plain.handle()).getFirst(), launched.handle());
            for (ProcessHandle process : stopped) {
                signal("STOP", process);
            }
            try {
                await().during(STOPPED).atMost(PATIENCE).until(() -> jobs.stream().allMatch(job -> job.handle().isAlive()));
            } finally {
                for (ProcessHandle process : stopped) {
                    if (process.isAlive()) { // The rank of the logged job has been replaced.
                        signal("CONT", process);
                    }
                }
            }
            for (Command job : jobs) {
                Command.Result done = job.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
                assertThat(done.err()).doesNotContain("DIVERGED");
            }
        }
    }

    private Command ring(Relays relay, String durability) throws IOException {
        return Command.start(folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", durability, "example:ring", "100000", "64");
    }

    private static void signal(String name, ProcessHandle process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor()).isZero();
    }
}
