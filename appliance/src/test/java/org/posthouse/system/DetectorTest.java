package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that stands still, with its connection open: the other nodes find it long before its relay would close that. */
@Timeout(300)
class DetectorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Without a detector: the relay's 30 s of silence, and the 15 s of --node-timeout. */
    private static final Duration WITHOUT = Duration.ofSeconds(45);

    @TempDir
    private Path folder;

    private static void signal(String name, List<ProcessHandle> processes) throws IOException, InterruptedException {
        for (ProcessHandle process : processes) {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor()).isZero();
        }
    }

    @Test
    void theRanksOfANodeThatStandsStillGoOnElsewhereAndItsOwnAreFencedWhenItWakes() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command one = relay.agent("one", 2);
                Command two = relay.agent("two", 2);
                Command three = relay.agent("three", 2);
                Command job = Command.start(
                        folder, "run", "-n", "4", "-a", "concentrate", "--spare", "2", "--detector", "brr", "--detector-period", "300ms", "--relay",
                        relay.ranks(), "--durability", "process", "example:ring", "6000", "1024")) {
            relay.awaitDelivered(1_000);
            await().atMost(PATIENCE).until(() -> job.err().contains("joins the job with 2 slots") || !job.handle().isAlive());
            Command victim = Stream.of(one, two, three).filter(agent -> Jobs.ranks(agent.handle()).size() == 2).findFirst().orElseThrow();
            List<ProcessHandle> processes = Stream.concat(Stream.of(victim.handle()), Jobs.ranks(victim.handle()).stream()).toList();
            long stopped = System.nanoTime();
            signal("STOP", processes);
            try {
                await().atMost(WITHOUT).until(() -> job.err().contains(" is gone: ") || !job.handle().isAlive());
            } finally {
                signal("CONT", processes);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - stopped)).as(job.err()).isLessThan(WITHOUT);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(Jobs.told(done, " is gone: other hosts have found it silent, and it has not answered its relay")).as(done.err()).hasSize(1);
            assertThat(Jobs.told(done, " caught up after ")).as(done.err()).hasSize(2);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(processes.stream().skip(1).filter(ProcessHandle::isAlive)).as("woken ranks").isEmpty());
            assertThat(victim.handle().isAlive()).as(victim.err()).isTrue();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(victim.err() + victim.out()).contains("connected again to the relay"));
        }
    }

    @Test
    void aDetectorThatIsNoneIsRefusedWithTheNames() throws Exception {
        Command.Result refused = Command.run(folder, "run", "-n", "2", "--detector", "phi", "example:ring", "5", "10");
        assertThat(refused.status()).isNotZero();
        assertThat(refused.err()).contains("--detector \"phi\" is no failure detector, expected one of random, rr, brr, dbrr, swim, none");
    }
}
