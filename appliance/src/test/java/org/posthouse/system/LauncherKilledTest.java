package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.SavesSteps;
import org.posthouse.system.jobs.Waits;

/** A job that has a folder outlives its launcher: the next one goes on with it, and what was shown is not shown again. Real processes. */
@Timeout(900)
class LauncherKilledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Path june() {
        return folder.resolve("june");
    }

    private Command run(Relays relay, String... program) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "--folder", june().toString(), "-cp", Jobs.classPath()));
        words.addAll(List.of(program));
        return Command.start(folder, words.toArray(String[]::new));
    }

    private Command resume(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("resume", june().toString()));
        words.addAll(List.of(more));
        return Command.start(folder, words.toArray(String[]::new));
    }

    /** Rank 1 waits for the test, in each of its processes, which need not have come to their first line of output. */
    private void awaitStopped(int times) {
        Path stopped = folder.resolve("stopped-1");
        await().atMost(PATIENCE).until(() -> Files.exists(stopped) && Files.readAllLines(stopped).size() == times);
    }

    private static void kill(Command launcher) {
        List<ProcessHandle> ranks = Jobs.ranks(launcher.handle());
        launcher.handle().destroyForcibly();
        launcher.handle().onExit().join();
        ranks.forEach(rank -> rank.onExit().join());
    }

    /** Nothing more is delivered, whatever the ranks wait for. */
    private static void awaitStandstill(Relays relay) {
        AtomicLong last = new AtomicLong(-1);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> {
            long delivered = relay.delivered();
            return last.getAndSet(delivered) == delivered;
        });
    }

    private static void signal(String name, Command launcher) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(launcher.handle().pid())).start().waitFor()).isZero();
    }

    /** The host that loses its power is that of the launcher and of the relay. */
    @Test
    void aJobGoesOnWhenItsLauncherHasDiedAndWhenItsHostHas() throws Exception {
        goesOn(false);
    }

    /** The last launcher but one has stopped reading what is printed before an image. */
    @Test
    @Tag("long")
    void aJobGoesOnWhenItsLauncherHasDiedAndWhenItsHostHasAndWhenItWasInterrupted() throws Exception {
        goesOn(true);
    }

    private void goesOn(boolean interrupted) throws Exception {
        List<Command> launchers = new ArrayList<>();
        try (Relays relay = Relays.start(folder, "here", "--data", folder.resolve("data").toString())) {
            launchers.add(run(
                    relay, SavesSteps.class.getName(), "" + CheckpointJobTest.STEPS, "" + CheckpointJobTest.EVERY, folder.toString(), "2:40",
                    "" + CheckpointJobTest.STOPS_AT));
            awaitStopped(1);
            kill(launchers.getLast());
            launchers.add(resume());
            awaitStopped(2);
            relay.kill();
            kill(launchers.getLast());
            relay.startAgain();
            launchers.add(resume());
            awaitStopped(3);
            if (interrupted) {
                signal("INT", launchers.getLast());
                Command.Result left = launchers.getLast().await();
                assertThat(left.status()).isEqualTo(130);
                assertThat(Jobs.told(left, "the job stands still: interrupted; posthouse resume " + june() + " goes on")).as(left.err()).hasSize(1);
                launchers.add(resume());
                awaitStopped(4);
                long delivered = relay.delivered();
                signal("STOP", launchers.getLast());
                Files.createFile(folder.resolve("go-1"));
                relay.awaitDelivered(delivered + 1);
                awaitStandstill(relay);
                kill(launchers.getLast());
                launchers.add(resume());
            } else {
                Files.createFile(folder.resolve("go-1"));
            }
            Command.Result last = launchers.getLast().await();
            assertThat(last.status()).as(last.err()).isZero();
            assertThat(last.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(last.err()).doesNotContain("DIVERGED");
            StringBuilder shown = new StringBuilder();
            launchers.forEach(launcher -> shown.append(launcher.out()));
            for (int rank = 0; rank < 3; rank++) {
                List<String> expected = CheckpointJobTest.expected(rank, "3");
                assertThat(CheckpointJobTest.lines(shown.toString(), rank)).as("shown of rank " + rank).isEqualTo(expected);
                assertThat(Files.readAllLines(june().resolve("rank-" + rank + ".out"))).as("kept of rank " + rank).startsWith(expected.toArray(String[]::new));
            }
            assertThat(CheckpointJobTest.began(folder)).containsEntry(interrupted ? "1/4" : "1/3",
                    CheckpointJobTest.STOPS_AT - CheckpointJobTest.STOPS_AT % CheckpointJobTest.EVERY);
            Command.Result again = resume().await();
            assertThat(again.status()).isEqualTo(1);
            assertThat(again.err()).contains("is over: it ended with status 0");
        } finally {
            launchers.forEach(Command::close);
        }
    }

    @Tag("long")
    @Test
    void aJobThatNobodyWantsToGoOnWithIsEnded() throws Exception {
        try (Relays relay = Relays.start(folder, "here", "--data", folder.resolve("data").toString());
                Command launcher = run(relay, Waits.class.getName(), folder.resolve("never").toString())) {
            await().atMost(PATIENCE).until(
                    () -> relay.get("/api/v1/jobs").at("/jobs/0/ranks").findValuesAsText("state").equals(List.of("CONNECTED", "CONNECTED", "CONNECTED")));
            Command.Result second = resume().await();
            assertThat(second.err()).contains("has a launcher");
            kill(launcher);
            await().atMost(PATIENCE).until(() -> relay.get("/api/v1/jobs").at("/jobs/0/launcherAwaitedUntil").asLong() > System.currentTimeMillis());
            assertThat(resume("--end").await().status()).isZero();
            assertThat(relay.get("/api/v1/jobs").at("/jobs/0/state").asText()).isEqualTo("FAILED");
            assertThat(resume().await().err()).contains("is over: it ended with status 143: ended by its user");
            assertThat(resume("--end").await().status()).as("its relay is asked again whether it has the job").isZero();
        }
    }

    /** It is not told that it would be gone on with, and can be when the log is there again. */
    @Tag("long")
    @Test
    void reportsMissingLogOfJobsRelay() throws Exception {
        Path data = folder.resolve("data");
        Path go = folder.resolve("go");
        try (Relays relay = Relays.start(folder, "here", "--data", data.toString());
                Command launcher = Command.start(
                        folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", "process", "--relay-timeout", "4", "--folder", june().toString(),
                        "-cp",
                        Jobs.classPath(), Waits.class.getName(), go.toString())) {
            await().atMost(PATIENCE).until(
                    () -> relay.get("/api/v1/jobs").at("/jobs/0/ranks").findValuesAsText("state").equals(List.of("CONNECTED", "CONNECTED")));
            relay.kill();
            kill(launcher);
            Path copy = Files.move(data, folder.resolve("copy"));
            relay.startAgain();
            Command.Result lost = resume().await();
            assertThat(lost.status()).as(lost.err()).isEqualTo(74);
            assertThat(Jobs.told(lost, "cannot be gone on with as things are")).as(lost.err()).hasSize(1).first().asString()
                    .contains("all that ranks 0, 1 had received", "posthouse resume --end " + june() + " ends the job");
            assertThat(lost.err()).doesNotContain("goes on with it");
            relay.kill();
            Files.move(data, folder.resolve("empty"));
            Files.move(copy, data);
            relay.startAgain();
            Files.createFile(go);
            Command.Result found = resume().await();
            assertThat(found.status()).as(found.err()).isZero();
        }
    }
}
