package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Path;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.system.jobs.EndsBlockedCalls;
import org.posthouse.system.jobs.FarmsWithHoles;
import org.posthouse.system.jobs.SurvivesDeaths;

/** Programs that are told of deaths and go on ({@code --on-failure blank|shrink}, and with a log {@code restart,shrink}). Real processes. */
@Timeout(900)
class ProgramSurvivesTest {
    private static final int RANKS = 4;

    @TempDir
    private Path folder;

    private Command.Result run(String... arguments) throws Exception {
        return Command.run(folder, arguments);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"0:1, 1", "1:4;2:5, 2"})
    void goesOnWithoutRanksThatAreKilledAtDeliveries(String kills, int deaths) throws Exception {
        assertGoesOn(kills, deaths, "1");
    }

    /** Three rounds of two deliveries, each rank killed at each delivery, and some together. */
    static Stream<Arguments> allKills() {
        Stream<String> together = Stream.of("0:1;1:1;2:1", "1:1;2:2", "1:3;3:6", "0:5;1:6");
        return Stream.concat(killsOf(IntStream.range(0, RANKS), 6), together).map(kills -> arguments(kills, kills.split(";").length));
    }

    private static Stream<String> killsOf(IntStream ranks, int deliveries) {
        return ranks.boxed().flatMap(rank -> IntStream.rangeClosed(1, deliveries).mapToObj(delivery -> rank + ":" + delivery));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("allKills")
    void alsoIfTheyAreKilledElsewhere(String kills, int deaths) throws Exception {
        assertGoesOn(kills, deaths, "2");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1:0, 1, 1", "1:1;2:3, 2, 2"})
    void tasksOfTheDeadAreDoneByTheManager(String kills, int deaths, String sites) throws Exception {
        assertDoesAll(kills, deaths, sites);
    }

    /** Each worker killed before Init and at each of its first four deliveries, and all of them. */
    static Stream<Arguments> allKillsOfWorkers() {
        Stream<String> beforeInit = IntStream.range(1, RANKS).mapToObj(rank -> rank + ":0");
        Stream<String> single = Stream.concat(beforeInit, killsOf(IntStream.range(1, RANKS), 4));
        return Stream.concat(single, Stream.of("1:0;2:1;3:2", "1:2;2:2;3:2")).map(kills -> arguments(kills, kills.split(";").length));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("allKillsOfWorkers")
    void alsoIfTheWorkersDieElsewhere(String kills, int deaths) throws Exception {
        assertDoesAll(kills, deaths, "2");
    }

    private void assertDoesAll(String kills, int deaths, String sites) throws Exception {
        Command.Result result = run(
                "run", "-n", "4", "--sites", sites, "--on-failure", "blank", "-cp", Jobs.classPath(), FarmsWithHoles.class.getName(), "20", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("did 20 of 20 tasks; failed: " + deaths);
        assertThat(result.err().lines().filter(line -> line.contains("the program is told, and goes on without it"))).as(result.err()).hasSize(deaths);
    }

    private void assertGoesOn(String kills, int deaths, String sites) throws Exception {
        Command.Result result = run(
                "run", "-n", "4", "--sites", sites, "--on-failure", "shrink", "-cp", Jobs.classPath(), SurvivesDeaths.class.getName(), "3", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("made 3 rounds");
        assertThat(result.out()).contains("failed: " + deaths);
        assertThat(result.err().lines().filter(line -> line.contains("the program is told, and goes on without it"))).as(result.err()).hasSize(deaths);
    }

    /** One rank dies as often as it may, and others die behind that: they are brought back over the errors that they have seen, and the shrink. */
    @ParameterizedTest
    @CsvSource("'0:1,1;2:6;3:7', 1, 1, 3, 2, process")
    void inLoggedJobRanksThatAreRestartedSeeTheSameDeaths(String kills, int most, int deaths, int restarts, String sites, String durability) throws Exception {
        assertGoesOnFromLog(kills, most, deaths, restarts, sites, durability);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "'1:3;2:6', 0, 2, 0, 1, process",
        "'1:2,3;2:5', 1, 1, 2, 1, process",
        "'3:2,4;0:6;1:6', 1, 1, 3, 2, host"})
    void soDoTheyInOtherLoggedJobs(String kills, int most, int deaths, int restarts, String sites, String durability) throws Exception {
        assertGoesOnFromLog(kills, most, deaths, restarts, sites, durability);
    }

    /** One rank dies for good at each of its deliveries, and each other one at each of its. */
    static Stream<String> allKillsOfTwo() {
        return killsOf(IntStream.range(0, RANKS), 4).flatMap(first -> killsOf(IntStream.range(0, RANKS), 7)
                .filter(second -> second.charAt(0) != first.charAt(0))
                .map(second -> first + "," + first.substring(2) + ";" + second));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("allKillsOfTwo")
    void alsoIfTheyDieElsewhereInLoggedJob(String kills) throws Exception {
        Command.Result result = fromLog(kills, 1, "2", "process");
        assertThat(result.out()).as(result.err()).contains("failed: 1");
    }

    private Command.Result fromLog(String kills, int most, String sites, String durability) throws Exception {
        Command.Result result = run(
                "run", "-n", "4", "--sites", sites, "--durability", durability, "--on-failure", "restart,shrink", "--max-restarts", String.valueOf(most), "-cp",
                Jobs.classPath(), SurvivesDeaths.class.getName(), "3", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("made 3 rounds");
        assertThat(result.err()).doesNotContain("printed otherwise", "diverged");
        return result;
    }

    private void assertGoesOnFromLog(String kills, int most, int deaths, int restarts, String sites, String durability) throws Exception {
        Command.Result result = fromLog(kills, most, sites, durability);
        assertThat(result.out()).as(result.err()).contains("failed: " + deaths);
        assertThat(result.err().lines().filter(line -> line.contains("the program is told, and goes on without it"))).as(result.err()).hasSize(deaths);
        assertThat(result.err().lines().filter(line -> line.contains("restarted ("))).as(result.err()).hasSize(restarts);
    }

    @Test
    void revocationEndsSevenKindsOfBlockedCalls() throws Exception {
        revocationEndsSevenKindsOfBlockedCalls("none");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = "process")
    void revocationEndsSevenKindsOfBlockedCalls(String durability) throws Exception {
        Command.Result result = run("run", "-n", "3", "--durability", durability, "-cp", Jobs.classPath(), EndsBlockedCalls.class.getName());
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("ended 7 of 7");
    }

    /** The figure is printed. docs/failures.md has those of a quieter host. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"kill", "exit"})
    void allAreToldOfEachDeath(String way) throws Exception {
        Command.Result result = run("run", "-n", "4", "--on-failure", "blank", "example:death-notice", way);
        assertThat(result.out()).as(result.err()).contains("2 deaths by " + way + ": told to all after");
        System.out.println(result.out());
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "blank, example:farm-blank 60 2, '60 tasks, 3 workers at the start, 2 of them dead at the end'",
        "shrink, example:stencil-shrink 64 40 2, 4 ranks at the start and 2 at the end"})
    void examplesVerifyWhatTheyComputeInSpiteOfDeaths(String mode, String program, String line) throws Exception {
        String[] words = program.split(" ");
        String[] arguments = new String[5 + words.length];
        System.arraycopy(new String[] {"run", "-n", "4", "--on-failure", mode}, 0, arguments, 0, 5);
        System.arraycopy(words, 0, arguments, 5, words.length);
        Command.Result result = run(arguments);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains(line).contains("Verification: SUCCESSFUL");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "blank | process | --on-failure blank is for a job without a log",
        "restart | none | --on-failure restart starts a rank again from the log"})
    void norIsOneOfTheOthersTaken(String mode, String durability, String line) throws Exception {
        modeThatDoesNotFitTheDurabilityIsRefused(mode, durability, line);
    }

    @Test
    void jobEndsWithTheDeathIfItsProgramIsNotToSurviveIt() throws Exception {
        Command.Result result = run("run", "-n", "4", "--on-failure", "abort", "example:farm-blank", "60", "1");
        assertThat(result.status()).as(result.err()).isEqualTo(137);
        assertThat(result.err()).contains("job ended: rank 3 was killed by signal 9");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "restart,shrink | none | --on-failure restart,shrink starts a rank again from the log first")
    void modeThatDoesNotFitTheDurabilityIsRefused(String mode, String durability, String line) throws Exception {
        Command.Result result = run("run", "-n", "2", "--on-failure", mode, "--durability", durability, "example:pi");
        assertThat(result.status()).isNotZero();
        assertThat(result.err()).contains(line);
        assertThat(result.err().lines()).hasSize(1);
    }
}
