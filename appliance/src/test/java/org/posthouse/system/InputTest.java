package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.Reads;

/** What {@code posthouse run} is given on standard input comes to a rank, also to one that is started again. */
@Timeout(900)
class InputTest {
    /** More than waits anywhere on the way: 6 MB. */
    private static final int LINES = 500_000;

    @TempDir
    private Path folder;

    private Path file;
    private String all;

    @BeforeEach
    void write() throws IOException {
        List<String> lines = IntStream.range(0, LINES).mapToObj(line -> "line " + line + " \u00e4").toList();
        file = Files.writeString(folder.resolve("input"), lines.stream().collect(Collectors.joining("\n", "", "\n")));
        CRC32 sum = new CRC32();
        lines.forEach(line -> sum.update(line.getBytes(StandardCharsets.UTF_8)));
        all = "read " + LINES + " lines, " + sum.getValue();
    }

    private Command.Result run(List<String> options, String... program) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("run", "-np", "2", "-cp", Jobs.classPath()));
        words.addAll(options);
        words.add(Reads.class.getName());
        words.addAll(List.of(program));
        List<String> behind = List.of("bash", "-c", "exec \"$@\" < " + file, "bash");
        try (Command command = Command.startBehind(folder, behind, List.of(), words.toArray(String[]::new))) {
            return command.await();
        }
    }

    @Tag("long")
    @Test
    void rankZeroReadsAllOfItAndTheOthersNothing() throws Exception {
        Command.Result result = run(List.of());
        assertThat(result.out().lines()).as(result.err()).containsExactlyInAnyOrder("[0] " + all, "[1] read 0 lines, 0");
        assertThat(result.status()).isZero();
    }

    @Test
    void aRankThatIsStartedAgainReadsAllOfItAgain() throws Exception {
        Command.Result result = run(List.of("--durability", "process"), Integer.toString(LINES / 2));
        assertThat(result.out().lines()).as(result.err()).containsExactlyInAnyOrder("[0] " + all, "[1] read 0 lines, 0");
        assertThat(result.err()).contains("rank 0 was killed by signal 9 (SIGKILL): restarted (1 of 3)");
        assertThat(result.status()).isZero();
    }

    /** It has kept what it has given to a rank, in the job's folder; the next one's own input comes behind that. */
    @Tag("long")
    @Test
    void nextLauncherResendsInputThatADeadLauncherRead() throws Exception {
        Path june = folder.resolve("june");
        List<String> lines = Files.readAllLines(file);
        Path rest = Files.write(folder.resolve("rest"), lines.subList(LINES / 2, LINES));
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        List<String> behind = List.of("bash", "-c", "exec \"$@\" < " + pipe, "bash");
        try (Relays relay = Relays.start(folder, "here", "--data", folder.resolve("data").toString());
                Command first = Command.startBehind(folder, behind, List.of(), "run", "-n", "2", "--relay", relay.ranks(), "--durability", "process",
                        "--folder", june.toString(), "-cp", Jobs.classPath(), Reads.class.getName(), Integer.toString(LINES / 2), "launcher");
                BufferedWriter half = Files.newBufferedWriter(pipe)) {
            for (String line : lines.subList(0, LINES / 2)) {
                half.write(line + "\n");
            }
            half.flush();
            first.handle().onExit().join();
            assertThat(first.out()).doesNotContain("read ");
            List<String> behindRest = List.of("bash", "-c", "exec \"$@\" < " + rest, "bash");
            try (Command next = Command.startBehind(folder, behindRest, List.of(), "resume", june.toString())) {
                Command.Result result = next.await();
                assertThat(result.out().lines()).as(result.err()).containsExactlyInAnyOrder("[0] " + all, "[1] read 0 lines, 0");
                assertThat(result.status()).isZero();
            }
        }
    }

    @Tag("long")
    @Test
    void eachRankMayHaveIt() throws Exception {
        Command.Result result = run(List.of("--stdin", "all"));
        assertThat(result.out().lines()).as(result.err()).containsExactlyInAnyOrder("[0] " + all, "[1] " + all);
        assertThat(run(List.of("--stdin", "2")).err()).contains("--stdin 2, expected a rank from 0 to 1, none or all");
    }
}
