package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code posthouse run -r 2} on nodes, of which one is killed. All of it in real processes. */
@Timeout(600)
@Tag("long")
class ReplicatedJobTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private static void awaitFollowers(Relays relay, Command job, int count) {
        await().atMost(PATIENCE).until(() -> relay.meter("posthouse_followers{") == count || !job.handle().isAlive());
        assertThat(job.handle().isAlive()).as(job.err()).isTrue();
    }

    /** Two processes of each rank on three hosts, of which two can hold all. */
    @Test
    void aJobThatLosesANodeGoesOnWithoutARestartAndHasAsManyProcessesAsBefore() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command one = relay.agent("one", 3);
                Command two = relay.agent("two", 3);
                Command three = relay.agent("three", 3);
                Command job = Command.start(
                        folder, "run", "-n", "3", "-r", "2", "--node-timeout", "2", "--relay", relay.ranks(), "--durability", "process",
                        "example:ring", "15000", "1024")) {
            awaitFollowers(relay, job, 3);
            relay.awaitDelivered(100);
            List<Command> agents = List.of(one, two, three);
            assertThat(agents).as("two processes on each").allMatch(agent -> Jobs.ranks(agent.handle()).size() == 2);
            one.handle().destroyForcibly();
            await().atMost(PATIENCE).until(() -> job.err().contains(" leads now, ") && job.err().contains("node one of site site-a is gone"));
            awaitFollowers(relay, job, 3);
            assertThat(Stream.of(two, three).map(agent -> Jobs.ranks(agent.handle()).size())).as("all on the two that are left").containsExactly(3, 3);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(done.err()).doesNotContain("restarted", "caught up after", "DIVERGED", "PRINTS DIFFER");
        }
    }

    @Test
    void aDegreeThatTheHostsCannotHoldIsRefusedWithBothNumbers() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command one = relay.agent("one", 3);
                Command two = relay.agent("two", 3)) {
            Command.Result refused = Command.run(
                    folder, "run", "-n", "1", "-r", "3", "--relay", relay.ranks(), "--durability", "process", "example:ring", "5", "10");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).contains("-r 3 wants 3 hosts for rank 0, and 2 have free places");
            Command.Result plan = Command.run(
                    folder, "run", "-n", "2", "-r", "2", "--dry-run", "--relay", relay.ranks(), "--durability", "process", "example:ring", "5", "10");
            assertThat(plan.out().lines()).as(plan.err()).hasSize(2) // Which node is nearer depends on round trips.
                    .allMatch(line -> line.matches("site site-a, node (one|two), host \\1: rank ([01]); follower of rank (?!\\2)[01]"));
            assertThat(one.handle().isAlive() && two.handle().isAlive()).isTrue();
        }
    }
}
