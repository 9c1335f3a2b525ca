package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.Aborts;
import org.posthouse.system.jobs.AbortsEarly;
import org.posthouse.system.jobs.EchoesArguments;
import org.posthouse.system.jobs.Exits;
import org.posthouse.system.jobs.LeavesChild;
import org.posthouse.system.jobs.LeavesEarly;
import org.posthouse.system.jobs.NeverInits;
import org.posthouse.system.jobs.Throws;

/** Jobs that cannot start or go wrong: one clear line that names the rank and the cause, a status, nothing left. */
@Timeout(900)
class BadJobTest {
    @TempDir
    private static Path folder;

    private static Relays relay;

    @BeforeAll
    static void startRelay() throws IOException {
        relay = Relays.start(folder, "site-a");
    }

    @AfterAll
    static void theRelayRunsTheNextJobAndStops() throws Exception {
        try (Relays last = relay) {
            Jobs.assertRunsARing(last);
            assertThat(last.stop().err()).as("no stack trace, and no loss of ranks whose job has ended").doesNotContain("\tat ", "the job was closed");
        }
    }

    @AfterEach
    void nothingIsLeftButTheRelay() {
        await().untilAsserted(() -> assertThat(Command.processes(folder)).containsExactly(relay.command().handle().pid()));
    }

    @Test
    void unknownClassIsOneLine() {
        InProcess.Result result = InProcess.run("run", "-n", "4", "-cp", Jobs.classPath(), "no.such.Program");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip())
                .isEqualTo("posthouse run: no class no.such.Program in " + Jobs.classPath()
                        + "; expected a class with its package, as org.example.Main, and in -cp the jar, or the folder that org is in");
    }

    @Test
    void missingJarIsOneLine() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "4", "-cp", "missing.jar", "Main");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip()).isEqualTo("posthouse run: no file or folder missing.jar, which -cp names");
    }

    @Test
    void unknownExampleIsOneLine() {
        InProcess.Result result = InProcess.run("run", "-n", "2", "example:fractal");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip()).startsWith("posthouse run: no example fractal; there are pi, ring,").hasLineCount(1);
    }

    @Test
    void rankThatThrowsEndsTheJobAndIsNamed() throws Exception {
        Command.Result result = run(Throws.class, "4");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("[2] Exception in thread \"main\" java.lang.IllegalStateException: the fuse blew");
        assertThat(lastLine(result.err()))
                .isEqualTo("posthouse: job ended: rank 2 threw java.lang.IllegalStateException: the fuse blew");
    }

    @Test
    void rankThatLeavesWithoutFinalizeEndsTheJobAndIsNamed() throws Exception {
        Command.Result result = run(LeavesEarly.class, "4");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip()).isEqualTo("posthouse: job ended: rank 1 exited without calling MPI.Finalize");
    }

    @Test
    void exitStatusOfRankIsTheJobs() throws Exception {
        Command.Result result = run(Exits.class, "3", "42");
        assertThat(result.status()).isEqualTo(42);
        assertThat(result.err().strip()).isEqualTo("posthouse: job ended: rank 1 exited with status 42");
    }

    @Tag("long")
    @Test
    void abortStatusIsTheJobs() throws Exception {
        Command.Result result = run(Aborts.class, "3", "7");
        assertThat(result.status()).isEqualTo(7);
        assertThat(lastLine(result.err())).startsWith("posthouse: job ended: rank 1 ").contains("Abort(7)");
    }

    @Tag("long")
    @Test
    void ranksThatComeTooLateForTheJobsEndAddNoLine() throws Exception {
        Command.Result result = run(AbortsEarly.class, "2");
        assertThat(result.status()).isEqualTo(7);
        assertThat(result.err().lines()).hasSize(1);
    }

    @Tag("long")
    @Test
    void abortWithZeroIsNoSuccess() throws Exception {
        assertThat(run(Aborts.class, "2", "0").status()).isEqualTo(1);
    }

    @Test
    void rankThatNeverCallsInitEndsTheJobAndIsNamed() throws Exception {
        Command.Result result = run(NeverInits.class, "3");
        assertThat(result.status()).isEqualTo(1);
        assertThat(lastLine(result.err()))
                .isEqualTo("posthouse: job ended: rank 1 exited without calling MPI.Init, which other ranks did");
    }

    @Tag("long")
    @Test
    void childProcessLeftByRankEndsWithTheJob() throws Exception {
        Command.Result result = run(LeavesChild.class, "1");
        assertThat(result.status()).isZero();
        long child = Long.parseLong(result.out().strip().replaceFirst("^.*child ", ""));
        await().until(() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Tag("long")
    @Test
    void argumentsOfTheProgramAreItsOwn() throws Exception {
        Command.Result result = run(EchoesArguments.class, "2", "-n", "5", "--sites", "3", "--help", "@file", "--", "-x");
        assertThat(result.err()).isEmpty();
        assertThat(result.out().strip()).isEqualTo("[0] -n|5|--sites|3|--help|@file|--|-x");
    }

    private Command.Result run(Class<?> program, String ranks, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("run", "-n", ranks, "--relay", relay.ranks(), "-cp", Jobs.classPath(), program.getName()));
        command.addAll(List.of(arguments));
        return Command.run(folder, command.toArray(String[]::new));
    }

    private static String lastLine(String text) {
        return text.strip().lines().reduce((before, last) -> last).orElse("");
    }
}
