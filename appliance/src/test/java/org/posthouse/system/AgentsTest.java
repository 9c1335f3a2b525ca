package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.Waits;

/** Ranks on nodes: agents dial their site's relay, start ranks, and bring what these print. All of it in real processes. */
@Timeout(900)
class AgentsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Relays relay() throws Exception {
        return Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
    }

    /** An agent of a host of its own, connected. */
    private Command agent(Relays relay, String name, int slots, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "agent", "--relay", relay.ranks(), "--name", name, "--host-id", name, "--slots", Integer.toString(slots), "--dir",
                folder.resolve(name).toString()));
        arguments.addAll(List.of(more));
        Command agent = Command.start(folder, arguments.toArray(String[]::new));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agent.err() + agent.out()).contains("connected to the relay"));
        return agent;
    }

    private void assertNothingIsLeftOn(String name) throws IOException {
        Path jobs = folder.resolve(name).resolve("jobs");
        if (Files.exists(jobs)) {
            try (Stream<Path> left = Files.list(jobs)) {
                assertThat(left.filter(path -> !path.endsWith("lock"))).as("folders of jobs on %s", name).isEmpty();
            }
        }
    }

    @Test
    void ranksRunOnTheNodesAndTheirOutputComesBack() throws Exception {
        try (Relays relay = relay(); Command one = agent(relay, "one", 2); Command two = agent(relay, "two", 2)) {
            Command.Result done = Command.run(folder, "run", "-n", "4", "--relay", relay.ranks(), "example:ring", "50", "1024");
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).contains("4 ranks on 2 nodes (2 hosts) of 1 sites");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertNothingIsLeftOn("one");
                assertNothingIsLeftOn("two");
            });
            assertThat(Jobs.ranks(one.handle())).isEmpty();
            assertThat(Jobs.ranks(two.handle())).isEmpty();
        }
    }

    @Test
    void processesAreChildrenOfTheAgentsAndEndWithTheJob() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = relay();
                Command one = agent(relay, "one", 2);
                Command two = agent(relay, "two", 2);
                Command job = Command.start(
                        folder, "run", "-n", "3", "-a", "concentrate", "--relay", relay.ranks(), "-cp", Jobs.classPath(), Waits.class.getName(),
                        end.toString())) {
            await().atMost(PATIENCE).until(() -> job.out().contains("waits") || !job.handle().isAlive());
            assertThat(Jobs.ranks(job.handle())).as(job.err()).isEmpty();
            assertThat(List.of(Jobs.ranks(one.handle()).size(), Jobs.ranks(two.handle()).size())).containsExactlyInAnyOrder(2, 1);
            job.handle().destroy();
            job.await();
            await().atMost(PATIENCE).until(() -> Jobs.ranks(one.handle()).isEmpty() && Jobs.ranks(two.handle()).isEmpty());
        }
    }

    /** Its ranks are started again on the node that is left, and are replayed from their relay's log. */
    @Test
    void ranksOfAKilledAgentGoOnElsewhere() throws Exception {
        try (Relays relay = relay();
                Command one = agent(relay, "one", 2);
                Command two = agent(relay, "two", 2);
                Command three = agent(relay, "three", 2);
                Command job = Command.start(
                        folder, "run", "-n", "4", "-a", "concentrate", "--node-timeout", "2", "--relay", relay.ranks(), "--durability", "process",
                        "example:ring", "6000", "1024")) {
            relay.awaitDelivered(1_000);
            Command victim = Stream.of(one, two, three).filter(agent -> Jobs.ranks(agent.handle()).size() == 2).findFirst().orElseThrow();
            victim.handle().destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(Jobs.told(done, " is gone: ")).as(done.err()).hasSize(1);
            assertThat(Jobs.told(done, " caught up after ")).hasSize(2);
        }
    }

    @Test
    void aJobThatIsTooLargeSaysWhatThereIs() throws Exception {
        try (Relays relay = relay(); Command one = agent(relay, "one", 2)) {
            Command.Result done = Command.run(folder, "run", "-n", "4", "--relay", relay.ranks(), "example:ring", "5", "10");
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.contains("asked for 4 slots, got 2"))).as(done.err()).hasSize(1);
            assertThat(one.handle().isAlive()).isTrue();
        }
    }

    @Test
    void anAgentThatTheRelayRefusesSaysWhyAndEnds() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "00112233445566778899aabbccddeeff\n");
        token.toFile().setReadable(false, false);
        token.toFile().setReadable(true, true);
        try (Relays relay = relay()) {
            Command.Result done = Command.run(folder, "agent", "--relay", relay.ranks(), "--token-file", token.toString(), "--name", "one");
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.startsWith("posthouse"))).as(done.err()).hasSize(1);
        }
    }
}
