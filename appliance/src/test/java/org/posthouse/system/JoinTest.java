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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.ShowsPlace;
import org.posthouse.system.jobs.Waits;

/** Parts of a job that the batch jobs of two sites bring ({@code posthouse join}), in real processes. */
@Timeout(900)
class JoinTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Relays first;
    private static Relays second;
    private final List<Command> joined = new ArrayList<>();

    @BeforeAll
    static void relays() throws Exception {
        GridAuthority grid = GridAuthority.init(folder.resolve("authority"), 2);
        first = relay(grid, "site-a");
        second = relay(grid, "site-b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
    }

    private static Relays relay(GridAuthority grid, String site, String... more) throws Exception {
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data-" + site).toString()));
        options.addAll(List.of(more));
        return Relays.start(folder, site, options.toArray(String[]::new));
    }

    @AfterAll
    static void end() {
        second.close();
        first.close();
    }

    @AfterEach
    void endJoined() {
        joined.forEach(Command::close);
        joined.forEach(task -> task.handle().onExit().join());
    }

    /** One task of a step at a site. */
    private Command join(String name, Relays relay, int localRank, int localSize, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "join", "june", "--relay", relay.ranks(), "--name", name, "--host-id", name, "--dir", folder.resolve(name).toString()));
        arguments.addAll(List.of(more));
        Command task = Command.startBehind(
                folder, List.of("env", "OMPI_COMM_WORLD_LOCAL_RANK=" + localRank, "OMPI_COMM_WORLD_LOCAL_SIZE=" + localSize), List.of(),
                arguments.toArray(String[]::new));
        joined.add(task);
        return task;
    }

    private static void awaitConnected(Command agent) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agent.err()).contains("connected to the relay"));
    }

    private Command expecting(String parts, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--job", "june", "--expect", parts, "--node-timeout", "2", "--relay", first.ranks()));
        arguments.addAll(List.of(more));
        return Command.start(folder, arguments.toArray(String[]::new));
    }

    private static void awaitLine(Command command, String text) {
        await().atMost(PATIENCE).until(() -> command.err().contains(text) || command.out().contains(text) || !command.handle().isAlive());
        assertThat(command.err() + command.out()).contains(text);
    }

    private static void awaitRanks(Command job) {
        await().atMost(PATIENCE).until(() -> job.out().contains(" waits") || !job.handle().isAlive());
        assertThat(job.out()).as(job.err()).contains(" waits");
    }

    private static void assertEnds(Command task, int status, String line) throws InterruptedException {
        Command.Result done = task.await();
        assertThat(done.status()).as(done.err()).isEqualTo(status);
        assertThat(done.err()).contains(line);
    }

    private void assertNothingIsLeftOn(String name) throws IOException {
        Path jobs = folder.resolve(name).resolve("jobs");
        if (Files.exists(jobs)) {
            try (Stream<Path> left = Files.list(jobs)) {
                assertThat(left.filter(path -> !path.endsWith("lock"))).as("folders of jobs on %s", name).isEmpty();
            }
        }
    }

    /** One part comes before its launcher, one after it. Meanwhile nobody else gets what is there. */
    @Test
    void aJobBeginsWhenThePartsOfBothSitesAreThere() throws Exception {
        Command two = join("b1", second, 0, 2);
        assertEnds(join("b1", second, 1, 2), 0, "");
        awaitConnected(two);
        try (Command job = expecting("site-b=2,site-a=1", "example:ring", "50", "1024")) {
            awaitLine(job, "the part of site-b is there: 2 of 2 slots on 1 node");
            awaitLine(two, "job june: waits for its parts: site-b 2 of 2 slots, site-a 0 of 1");
            Command.Result other = Command.run(folder, "run", "-n", "1", "--nodes", "always", "--relay", second.ranks(), "example:pi");
            assertThat(other.status()).as(other.err()).isNotZero();
            assertThat(other.err()).contains("asked for 1 slots, got 0");
            Command one = join("a1", first, 0, 1);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).contains("posthouse join june --relay " + first.ranks(), "posthouse join june --relay " + second.ranks())
                    .contains("3 ranks on 2 nodes (2 hosts) of 2 sites");
            assertEnds(one, 0, "posthouse: job june has ended\n");
            assertEnds(two, 0, "posthouse: job june has ended\n");
            assertNothingIsLeftOn("a1");
            assertNothingIsLeftOn("b1");
        }
    }

    @Tag("long")
    @Test
    void aPartThatIsLateIsToldByNameAndTheOthersEnd() throws Exception {
        Command one = join("a1", first, 0, 2);
        Command two = join("b1", second, 0, 1);
        awaitConnected(one);
        awaitConnected(two);
        try (Command job = expecting("site-a=2,site-b=3", "--wait", "2s", "example:pi")) {
            Command.Result done = job.await();
            assertThat(done.status()).isNotZero();
            String late = "the parts of job june are not all there after 2 s: site-b is late with 1 of 3 slots; there: site-a 2 of 2";
            assertThat(done.err()).contains(late);
            assertEnds(one, 1, late);
            assertEnds(two, 1, late);
        }
    }

    @Tag("long")
    @Test
    void aPartThatEndsWhileOthersAreWaitedForIsToldAndMayComeAgain() throws Exception {
        Command two = join("b1", second, 0, 1);
        try (Command job = expecting("site-a=1,site-b=1", "example:ring", "50", "1024")) {
            awaitLine(job, "the part of site-b is there");
            two.handle().destroyForcibly();
            awaitLine(job, "the part of site-b has ended: its 1 slots are gone, and 0 of 1 are there");
            Command one = join("a1", first, 0, 1);
            awaitLine(job, "the part of site-a is there");
            Command again = join("b2", second, 0, 1);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertEnds(one, 0, "has ended");
            assertEnds(again, 0, "has ended");
        }
    }

    /** Its ranks are replayed on a part that comes in its place. */
    @Tag("long")
    @Test
    void aPartThatEndsDuringTheJobIsToldAndAnotherTakesItsPlace() throws Exception {
        Path end = folder.resolve("end-of-part");
        Command one = join("a1", first, 0, 1);
        Command two = join("b1", second, 0, 1);
        try (Command job = expecting(
                "site-a=1,site-b=1", "--durability", "process", "-cp", Jobs.classPath(), Waits.class.getName(), end.toString())) {
            awaitRanks(job);
            two.handle().destroyForcibly();
            awaitLine(job, "the part of site-b has no node with slots of the job any more");
            Command again = join("b2", second, 0, 1);
            awaitLine(job, "node b2 of site site-b joins the job with 1 slot");
            Files.createFile(end);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertEnds(one, 0, "has ended");
            assertEnds(again, 0, "has ended");
        }
    }

    @Tag("long")
    @Test
    void agentsOfALauncherThatIsKilledOrDoesNotComeEndByThemselves() throws Exception {
        try (Command job = expecting("site-a=1,site-b=9", "example:pi")) {
            awaitLine(job, "waits up to 2 h for its parts");
            Command one = join("a1", first, 0, 1, "--wait", "8s");
            awaitLine(one, "job june: waits for its parts");
            job.handle().destroyForcibly();
            assertEnds(one, 1, "job june is not known to run here, and has had no launcher for 8 s");
        }
        assertEnds(join("a2", first, 0, 1, "--wait", "1s"), 1, "job june has not come for these slots within 1 s");
    }

    @Test
    @Tag("long")
    void anInterruptedLauncherEndsTheAgents() throws Exception {
        Command one = join("a1", first, 0, 1);
        try (Command job = expecting("site-a=1,site-b=9", "example:pi")) {
            awaitLine(one, "job june: waits for its parts");
            job.handle().destroy();
            assertThat(job.await().status()).isNotZero();
            assertEnds(one, 1, "job june has ended with status 1: interrupted");
        }
    }

    /** Its agents have the job's status. */
    @Tag("long")
    @Test
    void aJobWithAFolderGoesOnWithItsAgentsAfterItsLauncherWasKilled() throws Exception {
        Path june = folder.resolve("june");
        Path end = folder.resolve("end");
        Command one = join("a1", first, 0, 1);
        Command two = join("b1", second, 0, 1);
        try (Command job = expecting(
                "site-a=1,site-b=1", "--durability", "process", "--folder", june.toString(), "-cp", Jobs.classPath(), Waits.class.getName(),
                end.toString())) {
            awaitRanks(job);
            job.handle().destroyForcibly();
            job.handle().onExit().join();
            Files.createFile(end);
            Command.Result done = Command.run(folder, "resume", june.toString());
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.err()).doesNotContain("restarted", "caught up");
            assertEnds(one, 0, "has ended");
            assertEnds(two, 0, "has ended");
        }
    }

    @Tag("long")
    @Test
    void agentsEndWithTheStatusOfTheirJob() throws Exception {
        Command one = join("a1", first, 0, 2);
        try (Command job = expecting("site-a=2", "-cp", Jobs.classPath(), ShowsPlace.class.getName(), "HOME", "1")) {
            assertThat(job.await().status()).as(job.err()).isEqualTo(3);
            assertEnds(one, 3, "job june has ended with status 3: ");
        }
    }
}
