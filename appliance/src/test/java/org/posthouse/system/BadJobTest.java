package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.Aborts;
import org.posthouse.system.jobs.Exits;
import org.posthouse.system.jobs.LeavesEarly;
import org.posthouse.system.jobs.Throws;

/** Jobs that cannot start or go wrong: one clear line that names the rank and the cause, a status, nothing left. */
@Timeout(180)
class BadJobTest {
    @TempDir
    private Path folder;

    @Test
    void unknownClassIsOneLine() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "4", "-cp", Jobs.classPath(), "no.such.Program");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip())
                .isEqualTo("posthouse run: no class no.such.Program in " + Jobs.classPath() + "; see -cp");
    }

    @Test
    void missingJarIsOneLine() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "4", "-cp", "missing.jar", "Main");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip()).isEqualTo("posthouse run: no file or folder missing.jar, which -cp names");
    }

    @Test
    void unknownExampleIsOneLine() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "2", "example:fractal");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip()).startsWith("posthouse run: no example fractal; there are pi, ring,").hasLineCount(1);
    }

    @Test
    void rankThatThrowsEndsTheJobAndIsNamed() throws Exception {
        Command.Result result = run(Throws.class, "4");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("[2] java.lang.IllegalStateException: the fuse blew");
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

    @Test
    void abortStatusIsTheJobs() throws Exception {
        Command.Result result = run(Aborts.class, "3", "7");
        assertThat(result.status()).isEqualTo(7);
        assertThat(lastLine(result.err())).startsWith("posthouse: job ended: rank 1 ").contains("Abort(7)");
    }

    private Command.Result run(Class<?> program, String ranks, String... arguments) throws Exception {
        String[] command = new String[6 + arguments.length];
        System.arraycopy(new String[] {"run", "-n", ranks, "-cp", Jobs.classPath(), program.getName()}, 0, command, 0, 6);
        System.arraycopy(arguments, 0, command, 6, arguments.length);
        return Command.run(folder, command);
    }

    private static String lastLine(String text) {
        return text.strip().lines().reduce((before, last) -> last).orElse("");
    }
}
