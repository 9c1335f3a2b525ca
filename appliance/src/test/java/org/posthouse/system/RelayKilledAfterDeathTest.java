package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.system.jobs.SurvivesDeaths;

/**
 * kill -9 of a relay of a job with a log whose program survives deaths ({@code --on-failure restart,shrink}): when the program has been told of one, when
 * it has a communicator without the dead, and while a rank dies. The relay is started again, and the program goes on without the dead.
 */
@Timeout(600)
class RelayKilledAfterDeathTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Rank 3 dies, is started again, and dies for good. Much later rank 0 dies, and is started again: it sees that death and the shrink in its history. */
    private static final String KILLS = "3:1,1;0:6";

    @TempDir
    private Path folder;

    private Path goOn;

    @BeforeEach
    void nobodyGoesOn() {
        goOn = folder.resolve("go-on");
    }

    @Test
    void programGoesOnWithoutTheDeadThoughItsRelayIsKilled() throws Exception {
        programGoesOnWithoutTheDeadThoughItsRelayIsKilled("SHRUNK", "host");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"TOLD, process", "SHRUNK, process"})
    void programGoesOnWithoutTheDeadThoughItsRelayIsKilled(String point, String durability) throws Exception {
        try (Relays relay = one();
                Command job = start(relay, 1, durability, 1, KILLS, point)) {
            killAt(point, job, List.of(relay));
            assertGoesOn(job, 1);
        }
    }

    /** At the first relay agreements are decided; the dead rank is at home at the second. */
    @Tag("long")
    @Test
    void alsoIfItHasTwo() throws Exception {
        alsoIfItHasTwo("TOLD", "first");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"SHRUNK, second", "SHRUNK, both"})
    void alsoIfItHasTwo(String point, String killed) throws Exception {
        try (Relays first = Relays.startWithKeys(folder, "site-a");
                Relays second = Relays.startWithKeys(folder, "site-b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
                Command job = start(first, 2, "process", 1, KILLS, point)) {
            List<Relays> relays = killed.equals("first") ? List.of(first) : killed.equals("second") ? List.of(second) : List.of(first, second);
            killAt(point, job, relays);
            assertGoesOn(job, relays.size());
        }
    }

    /** Its launcher is the only one that knows of the death when the relay comes back. */
    @Tag("long")
    @Test
    void programIsToldOfARankThatHasDiedWithoutARelay() throws Exception {
        try (Relays relay = one();
                Command job = start(relay, 1, "process", 1, "", "STARTED")) {
            await().atMost(PATIENCE).until(() -> isAt("STARTED", job, 4) || !job.handle().isAlive());
            killRank3(job);
            await().atMost(PATIENCE).until(() -> job.err().contains("restarted (1 of 1)") || !job.handle().isAlive());
            relay.kill();
            killRank3(job);
            Files.createFile(goOn);
            relay.startAgain();
            assertGoesOn(job, 1);
        }
    }

    private static void killRank3(Command job) {
        ProcessHandle rank = await().atMost(PATIENCE).ignoreExceptions().until(() -> Jobs.rank(job, 3), Objects::nonNull);
        rank.destroyForcibly();
        rank.onExit().join();
    }

    private static boolean isAt(String point, Command job, int ranks) {
        return job.out().lines().filter(line -> line.endsWith(" is at " + point)).count() >= ranks;
    }

    /** The ranks go on before the relays are back. */
    private void killAt(String point, Command job, List<Relays> relays) throws Exception {
        await().atMost(PATIENCE).until(() -> isAt(point, job, point.equals("SHRUNK") ? 3 : 1) || !job.handle().isAlive());
        assertThat(job.handle().isAlive()).as(job.err()).isTrue();
        relays.forEach(Relays::kill);
        Files.createFile(goOn);
        for (Relays relay : relays) {
            relay.startAgain();
        }
    }

    private static void assertGoesOn(Command job, int relaysLost) throws Exception {
        Command.Result done = job.await();
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("made 3 rounds; living: [1, 1, 1, 0]; failed: 1");
        assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
        assertThat(Jobs.told(done, "rank 3 was killed by signal 9 (SIGKILL)")).as(done.err()).anyMatch(
                line -> line.contains("the program is told, and goes on without it"));
        assertThat(Jobs.told(done, " is back after ")).as(done.err()).hasSize(relaysLost);
        assertThat(done.err()).doesNotContain("printed otherwise", "diverged", "DIVERGED");
    }

    private Relays one() throws Exception {
        return Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
    }

    /** Starts four ranks that make three rounds, and stop at this point. */
    private Command start(Relays relay, int sites, String durability, int restarts, String kills, String point) throws Exception {
        return Command.start(
                folder, "run", "-n", "4", "--sites", String.valueOf(sites), "--relay", relay.ranks(), "--durability", durability, "--on-failure",
                "restart,shrink", "--max-restarts", String.valueOf(restarts), "-cp", Jobs.classPath(), SurvivesDeaths.class.getName(), "3", kills, point,
                goOn.toString());
    }
}
