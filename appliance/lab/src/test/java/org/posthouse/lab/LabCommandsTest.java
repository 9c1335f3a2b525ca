package org.posthouse.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.cli.Posthouse;
import picocli.CommandLine;

/** The lab's commands beside the product's own, before they run. */
final class LabCommandsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String line) {
        String[] words = line.split(" ");
        return Posthouse.commandLine(words).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(words);
    }

    @Test
    void helpListsThemBesideTheOthers() {
        assertThat(execute("--help")).isZero();
        assertThat(out.toString()).containsPattern("\n  bench +Measures MPI operations").containsPattern("\n  chaos +Runs a job again").contains("\n  run ");
    }

    /** All commands are known to the line that reads no first word. */
    @ParameterizedTest
    @ValueSource(strings = {"bench", "chaos"})
    void commandParsedAloneEqualsCommandAmongAll(String name) {
        CommandLine alone = Posthouse.commandLine(name, "--help");
        assertThat(alone.getSubcommands()).containsOnlyKeys(name);
        assertThat(alone.getSubcommands().get(name).getUsageMessage()).isEqualTo(Posthouse.commandLine().getSubcommands().get(name).getUsageMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"chaos --job Pi -np four", "bench pingpong -np four"})
    void npIsTheNumberOfRanksAsInOtherStarters(String line) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(": expected a whole number");
    }

    /** Before anything is measured: with a file that cannot be written, so that nothing is in any case. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bench wan --profile grid5000 --bytes 17179869184g | "17179869184g" is more than 8589934591g
            bench logflow --log-limit 8589934592g | "8589934592g" is more than 8589934591g
            bench wan --profile near | "near" is no profile, expected grid5000
            bench wan --profile modern --between east-north | "east-north" is no link of profile modern
            bench wan --profile modern --layouts sites | layouts need profile none
            bench wan --profile grid5000 --jitter Infinity | --jitter Infinity ms with profile grid5000, expected 0 to 10000
            bench wan --profile grid5000 --jitter 1e13 | --jitter 1.0E13 ms with profile grid5000, expected 0 to 10000
            bench wan --profile grid5000 --jitter NaN | --jitter NaN ms with profile grid5000, expected 0 to 10000
            bench wan --profile grid5000 --megabits 0 | --megabits 0.0, expected more than 0
            bench wan --profile grid5000 --seconds 0 | --seconds 0.0, expected more than 0
            bench wan --profile grid5000 --parts beside --plot x.svg | --plot draws links and jobs
            bench wan --profile grid5000 --parts beside,jobs --jobs none --plot x.svg | --plot draws links and jobs
            bench pingpong -n 0 | 0 ranks, expected 2 to 1024
            bench scale --clients 1024 --sizes 64m | 67108864 bytes for each of 1024 ranks
            """)
    void aBenchThatCannotBeIsRefused(String line, String why) {
        assertThat(execute(line + " --json no-such-folder/x.json")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(why);
    }

    @Test
    void modesMayBeNamedBesideAllOfThem() {
        assertThat(execute("bench barrier --modes all,pooled --json no-such-folder/x.json")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--json no-such-folder/x.json cannot be written");
        assertThat(execute("bench barrier --modes all,quick")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("\"quick\" is no mode");
    }

    @Test
    void benchmarksRejectDurabilityHost() {
        assertThat(execute("bench pingpong --durability host")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--durability host is not measured here");
    }
}
