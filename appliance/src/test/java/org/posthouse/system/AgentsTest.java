package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.PrintsSlowly;
import org.posthouse.system.jobs.ShowsPlace;
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
        try (Relays relay = relay(); Command one = relay.agent("one", 2); Command two = relay.agent("two", 2)) {
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

    @Tag("long")
    @Test
    void processesAreChildrenOfTheAgentsAndEndWithTheJob() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = relay();
                Command one = relay.agent("one", 2);
                Command two = relay.agent("two", 2);
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
    @Tag("long")
    @Test
    void ranksOfAKilledAgentGoOnElsewhere() throws Exception {
        try (Relays relay = relay();
                Command one = relay.agent("one", 2);
                Command two = relay.agent("two", 2);
                Command three = relay.agent("three", 2);
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

    /** The last line names the rank and the node that failed first. Which node a rank gets depends on round trips, so a label chooses it. */
    @Tag("long")
    @Test
    void theNodeOfARankThatFailsIsNamed() throws Exception {
        try (Relays relay = relay(); Command one = relay.agent("one", 1); Command two = relay.agent("two", 1, "--label", "colour=blue")) {
            Command.Result plan = Command.run(folder, "run", "-n", "2", "--dry-run", "--relay", relay.ranks(), "-cp", Jobs.classPath(),
                    ShowsPlace.class.getName(), "COLOUR");
            assertThat(plan.out().lines()).as(plan.err()).hasSize(2).anySatisfy(line -> assertThat(line).contains("node one", ": rank "));
            Command.Result done = Command.run(
                    folder, "run", "-n", "1", "--where", "colour=blue", "-x", "COLOUR=blue", "--relay", relay.ranks(), "-cp", Jobs.classPath(),
                    ShowsPlace.class.getName(), "COLOUR", "0");
            assertThat(done.status()).as(done.err()).isEqualTo(3);
            assertThat(done.out()).as(done.err()).contains("[0] blue in ");
            assertThat(done.err().lines().toList()).last().asString()
                    .isEqualTo("posthouse: job ended: rank 0 exited with status 3 on node two of site site-a");
            assertThat(one.handle().isAlive() && two.handle().isAlive()).isTrue();
        }
    }

    @Tag("long")
    @Test
    void spareSlotsAreNotGivenToOtherJobs() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = relay();
                Command one = relay.agent("one", 4, "--jobs", "2");
                Command job = Command.start(
                        folder, "run", "-n", "2", "--spare", "1", "--relay", relay.ranks(), "--durability", "process", "-cp", Jobs.classPath(),
                        Waits.class.getName(), end.toString())) {
            await().atMost(PATIENCE).until(() -> job.err().contains("gives the job another 1 slot") || !job.handle().isAlive());
            Command.Result other = Command.run(folder, "run", "-n", "2", "--relay", relay.ranks(), "example:ring", "5", "10");
            assertThat(other.err()).as(job.err()).contains("asked for 2, got 1");
            Files.createFile(end);
            assertThat(job.await().status()).as(job.err()).isZero();
            assertThat(Command.run(folder, "run", "-n", "4", "--relay", relay.ranks(), "example:ring", "5", "10").status()).as(one.err()).isZero();
        }
    }

    private static void killed(Command launcher) {
        launcher.handle().destroyForcibly();
        launcher.handle().onExit().join();
    }

    /** Its ranks run on, and a later one shows each line once. */
    @Tag("long")
    @Test
    void noRankIsStartedAgainWhenItsLauncherDies() throws Exception {
        Path june = folder.resolve("june");
        int lines = 4_000;
        List<Command> launchers = new ArrayList<>();
        try (Relays relay = relay(); Command one = relay.agent("one", 2); Command two = relay.agent("two", 2)) {
            launchers.add(Command.start(
                    folder, "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "--folder", june.toString(), "-cp", Jobs.classPath(),
                    PrintsSlowly.class.getName(), Integer.toString(lines), folder.toString()));
            for (int quarter = 1; quarter <= 3; quarter++) {
                Command launcher = launchers.getLast();
                String last = "line " + (quarter * lines / 4 - 1);
                await().atMost(PATIENCE).until(() -> launcher.out().contains(last) || !launcher.handle().isAlive());
                killed(launcher);
                assertThat(Jobs.ranks(one.handle()).size() + Jobs.ranks(two.handle()).size()).as(launcher.err()).isEqualTo(3);
                Files.createFile(folder.resolve("go-" + quarter));
                launchers.add(Command.start(folder, "resume", june.toString()));
            }
            Command.Result done = launchers.getLast().await();
            assertThat(done.status()).as(done.err()).isZero();
            launchers.forEach(launcher -> assertThat(launcher.err()).doesNotContain("restarted", "caught up", "lost"));
            for (int rank = 0; rank < 3; rank++) {
                int each = rank;
                assertThat(Files.readAllLines(june.resolve("rank-" + rank + ".out")))
                        .isEqualTo(IntStream.range(0, lines).mapToObj(line -> "rank " + each + " line " + line).toList());
            }
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertNothingIsLeftOn("one");
                assertNothingIsLeftOn("two");
            });
        } finally {
            launchers.forEach(Command::close);
        }
    }

    /** A node and the launcher die together: the later launcher starts again what is missing, and only that. */
    @Tag("long")
    @Test
    void aLaterLauncherStartsAgainTheRanksOfADeadNode() throws Exception {
        Path june = folder.resolve("june");
        Path end = folder.resolve("end");
        try (Relays relay = relay();
                Command one = relay.agent("one", 2);
                Command two = relay.agent("two", 2);
                Command launcher = Command.start(
                        folder, "run", "-n", "2", "--node-timeout", "2", "--relay", relay.ranks(), "--durability", "process", "--folder", june.toString(),
                        "-cp",
                        Jobs.classPath(), Waits.class.getName(), end.toString())) {
            await().atMost(PATIENCE).until(() -> launcher.out().contains("waits") || !launcher.handle().isAlive());
            killed(launcher);
            killed(one);
            List<ProcessHandle> left = Jobs.ranks(two.handle());
            assertThat(left).hasSize(1);
            try (Command next = Command.start(folder, "resume", june.toString())) {
                await().atMost(PATIENCE).until(() -> Jobs.ranks(two.handle()).size() == 2 || !next.handle().isAlive());
                assertThat(Jobs.ranks(two.handle())).as(next.err()).containsAll(left);
                Files.createFile(end);
                Command.Result done = next.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(Jobs.told(done, ": restarted")).as(done.err()).hasSize(1);
            }
        }
    }

    @Tag("long")
    @Test
    void aJobOnNodesIsEndedWithoutItsLauncher() throws Exception {
        Path june = folder.resolve("june");
        try (Relays relay = relay();
                Command one = relay.agent("one", 2);
                Command launcher = Command.start(
                        folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", "process", "--folder", june.toString(), "-cp", Jobs.classPath(),
                        Waits.class.getName(), folder.resolve("never").toString())) {
            await().atMost(PATIENCE).until(() -> launcher.out().contains("waits") || !launcher.handle().isAlive());
            killed(launcher);
            Command.Result end = Command.run(folder, "resume", "--end", june.toString());
            assertThat(end.status()).as(end.err()).isZero();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(Jobs.ranks(one.handle())).isEmpty();
                assertNothingIsLeftOn("one");
            });
        }
    }

    @Tag("long")
    @Test
    void aJobThatIsTooLargeSaysWhatThereIs() throws Exception {
        try (Relays relay = relay(); Command one = relay.agent("one", 2)) {
            Command.Result done = Command.run(folder, "run", "-n", "4", "--relay", relay.ranks(), "example:ring", "5", "10");
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.contains("asked for 4 slots, got 2"))).as(done.err()).hasSize(1);
            assertThat(one.handle().isAlive()).isTrue();
        }
    }

    @Tag("long")
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
