package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.system.jobs.RebuildsTheDead;

/** Programs that rebuild their communicator with new processes in the places of the dead ({@code --on-failure rebuild}). Real processes. */
@Timeout(900)
class ProgramRebuildsTest {
    private static final int RANKS = 4;

    @TempDir
    private Path folder;

    /** Killed in a round; twice; two at once; the new process before Init, and before it rebuilds; rank 0, whose relay decides. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "1:4,-1,3|1")
    void goesOnWithNewProcesses(String kills, int replaced) throws Exception {
        assertGoesOn(kills, replaced, "1");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1:3|1", "2:2,-2|1", "0:3;3:3|2"})
    void soItDoesIfTheyAreKilledOtherwise(String kills, int replaced) throws Exception {
        assertGoesOn(kills, replaced, "1");
    }

    /** Three rounds of two deliveries, each rank killed at each delivery, alone, and a second time, and some together. */
    static Stream<Arguments> allKills() {
        Stream<String> single = IntStream.range(0, RANKS).boxed().flatMap(rank -> IntStream.rangeClosed(1, 6).mapToObj(delivery -> rank + ":" + delivery));
        Stream<String> further = Stream.of(
                "0:1;1:1;2:1", "0:1;1:1;2:1;3:1", "1:1;2:2", "1:3;3:6", "0:5,1;1:6", "0:2,2,2", "1:6,-1;2:6,-2", "3:1,-1,-2", "0:4,-2;1:4,-1;2:4,1");
        return Stream.concat(single, further).map(kills -> arguments(kills, kills.split(";").length));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("allKills")
    void alsoIfTheyAreKilledElsewhere(String kills, int replaced) throws Exception {
        assertGoesOn(kills, replaced, "2");
    }

    private void assertGoesOn(String kills, int replaced, String sites) throws Exception {
        Command.Result result = run("--sites", sites, "-cp", Jobs.classPath(), RebuildsTheDead.class.getName(), "3", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).as(result.err()).containsOnlyOnce("made 3 rounds; new: " + replaced + " of " + RANKS);
        int deaths = Arrays.stream(kills.split(";")).mapToInt(rank -> rank.split(",").length).sum();
        assertThat(result.err().lines().filter(line -> line.contains("a new process started"))).as(result.err()).hasSize(deaths);
    }

    private Command.Result run(String... arguments) throws Exception {
        return Command.run(folder, Stream.concat(Stream.of("run", "-n", "4", "--on-failure", "rebuild"), Arrays.stream(arguments)).toArray(String[]::new));
    }

    @Tag("long")
    @Test
    void programErrorGivesTheJobItsStatusThoughTheRankIsReplaced() throws Exception {
        Command.Result result = run("-cp", Jobs.classPath(), RebuildsTheDead.class.getName(), "3", "", "exit");
        assertThat(result.out()).as(result.err()).contains("made 3 rounds; new: 1 of 4");
        assertThat(result.status()).as(result.err()).isEqualTo(3);
        assertThat(result.err()).contains("rank 1 exited with status 3, though another process took its place");
    }

    @Test
    void jobEndsWhenARankHasHadAllItsProcesses() throws Exception {
        Command.Result result = run("--max-restarts", "1", "-cp", Jobs.classPath(), RebuildsTheDead.class.getName(), "3", "1:3,-1");
        assertThat(result.status()).as(result.err()).isEqualTo(137);
        assertThat(result.err()).contains("rank 1 was killed by signal 9").contains("after 1 of 1 restarts");
    }

    @Tag("long")
    @Test
    void exampleVerifiesWhatItComputesInSpiteOfDeaths() throws Exception {
        Command.Result result = run("example:stencil-rebuild", "64", "40", "2");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("4 ranks, 2 of them new").contains("Verification: SUCCESSFUL");
    }
}
