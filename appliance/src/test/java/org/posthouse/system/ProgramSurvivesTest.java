package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.system.jobs.EndsBlockedCalls;
import org.posthouse.system.jobs.SurvivesDeaths;
import org.posthouse.system.jobs.TimesDeath;

/** Programs that are told of deaths and go on ({@code --on-failure blank|shrink}). Real processes. */
@Timeout(900)
class ProgramSurvivesTest {
    private static final Pattern TOLD = Pattern.compile("told after (\\d+) us");

    @TempDir
    private Path folder;

    private Command.Result run(String... arguments) throws Exception {
        return Command.run(folder, arguments);
    }

    @ParameterizedTest
    @CsvSource({"0:1, 1", "1:4;2:5, 2"})
    void goesOnWithoutRanksThatAreKilledAtDeliveries(String kills, int deaths) throws Exception {
        assertGoesOn(kills, deaths, "1");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"0:1, 1", "0:2, 1", "0:3, 1", "0:4, 1", "1:1, 1", "1:2, 1", "2:3, 1", "3:4, 1", "0:1;1:1;2:1, 3", "1:1;2:2, 2", "1:3;3:6, 2", "0:5;1:6, 2"})
    void alsoIfTheyAreKilledElsewhere(String kills, int deaths) throws Exception {
        assertGoesOn(kills, deaths, "2");
    }

    private void assertGoesOn(String kills, int deaths, String sites) throws Exception {
        Command.Result result = run(
                "run", "-n", "4", "--sites", sites, "--on-failure", "shrink", "-cp", Jobs.classPath(), SurvivesDeaths.class.getName(), "3", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("made 3 rounds");
        assertThat(result.out()).contains("failed: " + deaths);
        assertThat(result.err().lines().filter(line -> line.contains("the program is told, and goes on without it"))).as(result.err()).hasSize(deaths);
    }

    @Test
    void revocationEndsSevenKindsOfBlockedCalls() throws Exception {
        Command.Result result = run("run", "-n", "3", "-cp", Jobs.classPath(), EndsBlockedCalls.class.getName());
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("ended 7 of 7");
    }

    /** The figure is printed: it is under 50 ms on a host that is not busy. */
    @Test
    void allAreToldOfADeath() throws Exception {
        Path file = folder.resolve("time");
        Command.Result result =
                run("run", "-n", "4", "--on-failure", "blank", "-cp", Jobs.classPath(), TimesDeath.class.getName(), file.toString());
        assertThat(result.status()).as(result.err()).isZero();
        long[] micros = TOLD.matcher(result.out()).results().mapToLong(found -> Long.parseLong(found.group(1))).toArray();
        assertThat(micros).as(result.out()).hasSize(3);
        System.out.println("a death was told to 3 ranks after at most " + LongStream.of(micros).max().orElseThrow() + " us");
    }

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

    @Test
    void jobEndsWithTheDeathIfItsProgramIsNotToSurviveIt() throws Exception {
        Command.Result result = run("run", "-n", "4", "--on-failure", "abort", "example:farm-blank", "60", "1");
        assertThat(result.status()).as(result.err()).isEqualTo(137);
        assertThat(result.err()).contains("job ended: rank 3 was killed by signal 9");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "blank | process | --on-failure blank is for a job without a log",
        "restart | none | --on-failure restart starts a rank again from the log"})
    void modeThatDoesNotFitTheDurabilityIsRefused(String mode, String durability, String line) throws Exception {
        Command.Result result = run("run", "-n", "2", "--on-failure", mode, "--durability", durability, "example:pi");
        assertThat(result.status()).isNotZero();
        assertThat(result.err()).contains(line);
        assertThat(result.err().lines()).hasSize(1);
    }
}
