package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.system.jobs.Computes;
import org.posthouse.system.jobs.LeavesSession;

/** No process outlives its launcher, however the launcher ends and however busy the ranks are. */
@Timeout(900)
class OrphanTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RANKS = 2;
    private static final String NO_JVM = "Error occurred during initialization of VM";

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void killedLauncherTakesItsRanksWithIt() throws Exception {
        try (Command command = startBusyJob()) {
            List<ProcessHandle> ranks = Jobs.ranks(command.handle());
            assertThat(ranks).hasSize(RANKS);
            command.handle().destroyForcibly();
            await().atMost(PATIENCE).until(() -> ranks.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void interruptedLauncherEndsItsRanksFirst() throws Exception {
        endsItsRanksFirst("INT", 130);
    }

    @Test
    @Tag("long")
    void soDoesOneThatIsTerminated() throws Exception {
        endsItsRanksFirst("TERM", 143);
    }

    private void endsItsRanksFirst(String signal, int status) throws Exception {
        try (Command command = startBusyJob()) {
            List<ProcessHandle> ranks = Jobs.ranks(command.handle());
            new ProcessBuilder("kill", "-" + signal, Long.toString(command.handle().pid())).start().waitFor();
            Command.Result result = command.await();
            assertThat(ranks).noneMatch(ProcessHandle::isAlive);
            assertThat(result.status()).isEqualTo(status);
            assertThat(result.err()).doesNotContain("Exception");
        }
    }

    @Tag("long")
    @Test
    void launcherThatIsInterruptedAtItsStartLeavesNothing() throws Exception {
        for (int delayMs : new int[] {100, 300, 700, 1_100}) {
            List<Path> before = temporaryFolders();
            try (Command command = Command.start(
                    folder, "run", "-n", "3", "--sites", "2", "-cp", Jobs.classPath(), Computes.class.getName())) {
                ProcessHandle launcher = command.handle();
                launcher.onExit().completeOnTimeout(launcher, delayMs, TimeUnit.MILLISECONDS).join();
                new ProcessBuilder("kill", "-TERM", Long.toString(launcher.pid())).start().waitFor();
                Command.Result result = command.await();
                // A JVM that is interrupted before it is one ends with 1; nothing of ours has run then.
                assertThat(result.status()).isEqualTo(result.out().startsWith(NO_JVM) ? 1 : 143);
                assertThat(result.err()).doesNotContain("not everything was put away").doesNotContain("Exception");
                assertThat(temporaryFolders()).isEqualTo(before);
            }
        }
    }

    private List<Path> temporaryFolders() throws Exception {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("posthouse-")).toList();
        }
    }

    @Test
    void killedRankEndsTheJobAndIsNamed() throws Exception {
        try (Command command = startBusyJob()) {
            List<ProcessHandle> ranks = Jobs.ranks(command.handle());
            ranks.get(1).destroyForcibly();
            Command.Result result = command.await();
            assertThat(ranks).noneMatch(ProcessHandle::isAlive);
            assertThat(result.status()).isEqualTo(137);
            assertThat(result.err().strip())
                    .matches("posthouse: job ended: rank [01] was killed by signal 9 \\(SIGKILL\\)");
        }
    }

    /** The campaign that has started the launcher was killed. */
    @Tag("long")
    @Test
    void supervisedLauncherEndsWithItsInput() throws Exception {
        try (Command command = startBusyJob("--supervised")) {
            List<ProcessHandle> ranks = Jobs.ranks(command.handle());
            String whole = await().until(command::err, told -> told.endsWith("\n"));
            assertThat(whole.lines()).allMatch(JobStatusReport::isOne);
            command.endInput();
            assertThat(command.await().status()).isEqualTo(130);
            assertThat(ranks).hasSize(RANKS).noneMatch(ProcessHandle::isAlive);
        }
    }

    /** As a program does that starts a daemon: no parent, no environment, a session of its own. */
    @Tag("long")
    @Test
    void processThatLeftItsSessionEndsWithTheJob() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "1", "-cp", Jobs.classPath(), LeavesSession.class.getName(), "orphan");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.err()).doesNotContain("posthouse: ");
        await("until init has taken the status of what was killed").atMost(PATIENCE).until(
                () -> ProcessHandle.of(child(result.out())).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void processThatLeftItsSessionEndsWithKilledLauncher() throws Exception {
        try (Command command = Command.start(folder, "run", "-n", "1", "-cp", Jobs.classPath(), LeavesSession.class.getName(), "child")) {
            await().atMost(PATIENCE).until(() -> command.out().contains("\n"));
            ProcessHandle child = ProcessHandle.of(child(command.out())).orElseThrow();
            command.handle().destroyForcibly();
            await().atMost(PATIENCE).until(() -> !child.isAlive());
        }
    }

    private static long child(String out) {
        return Long.parseLong(out.lines().findFirst().orElseThrow().replace("[0] child ", ""));
    }

    private Command startBusyJob(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "-n", Integer.toString(RANKS), "-cp", Jobs.classPath()));
        words.addAll(List.of(options));
        words.add(Computes.class.getName());
        Command command = Command.start(folder, words.toArray(String[]::new));
        await().atMost(PATIENCE).until(() -> command.out().lines().filter(line -> line.contains("busy")).count() == RANKS);
        return command;
    }
}
