package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.LoadsItself;
import org.posthouse.system.jobs.ShowsArguments;
import org.posthouse.system.jobs.ShowsSettings;

/** The argument conventions of the implementations that programs were written for, and what a user may set. */
@Timeout(900)
class ArgumentsTest {
    @TempDir
    private Path folder;

    private static String[] words(String... flags) {
        List<String> command = new ArrayList<>(List.of("run", "-n", "3", "-cp", Jobs.classPath()));
        command.addAll(List.of(flags));
        command.addAll(List.of(ShowsArguments.class.getName(), "in.txt", "5"));
        return command.toArray(String[]::new);
    }

    private Command.Result run(String... flags) throws Exception {
        return Command.run(folder, words(flags));
    }

    private static InProcess.Result refused(String... flags) {
        return InProcess.run(words(flags));
    }

    @Test
    void programsOwnArgumentsComeFirst() throws Exception {
        Command.Result result = run();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .containsExactlyInAnyOrder(
                        "[0] main in.txt|5 own 0|other", "[1] main in.txt|5 own in.txt|5", "[2] main in.txt|5 own ");
    }

    @Test
    void threeWordsAsMpjExpressAndInitTakesThemAway() throws Exception {
        Command.Result result = run("--args", "mpjexpress");
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .containsExactlyInAnyOrder(
                        "[0] main 0|posthouse.conf|posthouse|in.txt|5 own 0|other",
                        "[1] main 1|posthouse.conf|posthouse|in.txt|5 own in.txt|5",
                        "[2] main 2|posthouse.conf|posthouse|in.txt|5 own ");
    }

    @Tag("long")
    @Test
    void oneWordAsMpiJavaAndInitTakesItAway() throws Exception {
        Command.Result result = run("--args", "mpijava");
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .containsExactlyInAnyOrder(
                        "[0] main 0|in.txt|5 own other", "[1] main 1|in.txt|5 own in.txt|5", "[2] main 2|in.txt|5 own ");
    }

    /** The rank's own arguments are not all that Init notes: the loader of whoever calls it, too. */
    @Test
    void receivedObjectsUseTheLoaderOfInitsCallerOnAnyThread() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "1", "-cp", Jobs.classPath(), LoadsItself.class.getName());
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).containsExactly("[0] of this program: true");
        assertThat(result.status()).isZero();
    }

    @Tag("long")
    @Test
    void busyPollOptionReachesTheRanks() throws Exception {
        String program = ShowsSettings.class.getName();
        Command.Result result =
                Command.run(folder, "run", "-n", "2", "-cp", Jobs.classPath(), "--busy-poll", "70", program);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).containsExactlyInAnyOrder("[0] 70 us, open", "[1] 70 us, open");
    }

    @Test
    void settingsThatAreNoneAreOneLineAndNothingStarts() {
        assertThat(refused("--eager-max", "2m").err())
                .contains("2097152 bytes sent eagerly, expected 0 to 1048576");
        assertThat(refused("--eager-max", "much").err()).contains("'much' is no number of bytes such as 65536, 64k or 1m");
        assertThat(refused("--busy-poll", "1000001").err())
                .contains("1000001 microseconds of busy polling, expected 0 to 1000000");
        assertThat(refused("--busy-poll", "soon").err())
                .contains("'soon' is no number of microseconds from 0 to 1000000, such as 50");
        InProcess.Result result = refused("--args", "openmpi");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines().toList()).as("the reason does not scroll away").hasSize(2);
        assertThat(result.err()).startsWith("posthouse run: ").contains("--args openmpi").endsWith("see posthouse run --help\n");
    }
}
