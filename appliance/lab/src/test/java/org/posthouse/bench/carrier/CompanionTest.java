package org.posthouse.bench.carrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.install.Installation;

/** Other programs that run for a bench: told when they are ready or why they are not, and gone with it. */
@Timeout(60)
class CompanionTest {
    private static final String READY = "Listening now";

    @TempDir
    private Path folder;

    /** A program that writes its process id down, and does not end by itself. */
    private static List<String> program(Path pid) {
        return List.of("sh", "-c", "echo $$ > \"$0\"; echo " + READY + "; exec sleep 1000", pid.toString());
    }

    private static ProcessHandle running(Path pid) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    /** A bench that is killed. */
    static final class Bench {
        private Bench() {}

        public static void main(String[] args) throws IOException, InterruptedException {
            Companion.start(program(Path.of(args[0])), READY);
            System.out.println(READY);
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void aProgramEndsWithTheBenchThatIsKilled() throws Exception {
        Path pid = folder.resolve("pid");
        Process bench = new ProcessBuilder(
                Installation.java().toString(), "-Xshare:auto", "-cp", System.getProperty("java.class.path"), Bench.class.getName(), pid.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ProcessHandle> started = new ArrayList<>(List.of(bench.toHandle()));
        try {
            assertThat(bench.inputReader().readLine()).isEqualTo(READY);
            bench.descendants().forEach(started::add);
            ProcessHandle program = running(pid);
            bench.destroyForcibly().waitFor();
            program.onExit().get();
        } finally {
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void aProgramThatEndsBeforeItIsReadySaysWhy() {
        assertThatThrownBy(() -> Companion.start(List.of("/bin/sh", "-c", "echo no such key; exit 3"), READY))
                .isInstanceOf(IOException.class)
                .hasMessage("/bin/sh: no such key");
    }

    @Test
    void aProgramIsEndedWithItsCompanion() throws Exception {
        Path pid = folder.resolve("pid");
        Companion companion = Companion.start(program(pid), READY);
        ProcessHandle program;
        try {
            program = running(pid);
        } finally {
            companion.close();
        }
        program.onExit().get();
    }
}
