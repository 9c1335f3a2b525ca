package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.Prints;

/** Every byte that a rank has printed arrives, as it was, however slow its reader is and however the job ends. */
@Timeout(900)
class OutputArrivesTest {
    private static final int LINES = 3_000;

    /** Takes a line, and then nothing for longer than anything here waits for anything. */
    private static final String PAUSES = "{ IFS= read -r line; printf '%s\\n' \"$line\"; sleep 6; cat; }";

    /** Takes some KiB, and a little again, and so on. */
    private static final String IS_SLOW = "perl -e 'while (sysread(STDIN, $b, 4096)) { syswrite(STDOUT, $b); select(undef, undef, undef, 0.05); }'";

    @TempDir
    private Path folder;

    private Command.Result run(String reader, String how, int longest, String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("run", "-n", "2", "-cp", Jobs.classPath()));
        words.addAll(List.of(options));
        words.addAll(List.of(Prints.class.getName(), Integer.toString(LINES), Integer.toString(longest), how));
        List<String> behind = List.of("bash", "-c", "\"$@\" | " + reader + "; exit ${PIPESTATUS[0]}", "bash");
        try (Command command = Command.startBehind(folder, behind, List.of(), words.toArray(String[]::new))) {
            return command.await();
        }
    }

    private static void assertAllThere(Command.Result result) {
        for (int rank = 0; rank < 2; rank++) {
            String tag = "[" + rank + "] ";
            int own = rank;
            assertThat(result.out().lines().filter(line -> line.startsWith(tag + "rank")))
                    .as("%s", result.err())
                    .containsExactlyElementsOf(
                            IntStream.range(0, LINES).mapToObj(line -> tag + "rank " + own + " line " + line + " " + "-".repeat(line % 60)).toList());
        }
    }

    @Tag("long")
    @Test
    void aReaderThatPausesGetsAllOfIt() throws Exception {
        Command.Result result = run(PAUSES, "finalize", 0);
        assertAllThere(result);
        assertThat(result.out().lines()).hasSize(2 * LINES);
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }

    @Tag("long")
    @Test
    void aSlowReaderOfALoggedJobGetsAllOfItWholeAndALongLineAsItIs() throws Exception {
        int longest = 120_000;
        Command.Result result = run(IS_SLOW, "finalize", longest, "--durability", "process");
        assertAllThere(result);
        String line = "\u00e4".repeat(longest);
        assertThat(result.out().lines().filter(each -> !each.contains("rank"))).containsExactlyInAnyOrder("[0] " + line, "[1] " + line);
        assertThat(result.status()).isZero();
    }

    @Test
    void soItIsWhenTheJobIsAborted() throws Exception {
        Command.Result result = run(PAUSES, "abort", 0);
        assertAllThere(result);
        assertThat(result.status()).isEqualTo(9);
    }

    @Tag("long")
    @Test
    void soItIsWhenARankExits() throws Exception {
        Command.Result result = run(PAUSES, "exit", 0);
        assertAllThere(result);
        assertThat(result.status()).isEqualTo(3);
    }

    @Tag("long")
    @Test
    void soItIsWhenARankIsKilled() throws Exception {
        Command.Result result = run(PAUSES, "kill", 0);
        assertAllThere(result);
        assertThat(result.status()).isEqualTo(137);
    }

    @Test
    @Tag("long")
    void aChildThatHoldsThePipeHoldsNothingUp() throws Exception {
        Command.Result result = run(PAUSES, "child", 0);
        assertAllThere(result);
        assertThat(result.status()).isZero();
    }

    @Test
    void untaggedOutputEqualsTheProgramsOutput() throws Exception {
        Command.Result result = run("cat", "finalize", 120_000, "--no-tag");
        String line = "\u00e4".repeat(120_000);
        assertThat(result.out().lines().filter(each -> each.equals(line))).hasSize(2);
        assertThat(result.out().lines()).hasSize(2 * LINES + 2).allMatch(each -> each.equals(line) || each.startsWith("rank "));
    }
}
