package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the command makes of its words before any of its commands runs. */
final class PosthouseTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String line) {
        return Posthouse.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(line.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "fly,                   posthouse,            fly",
        "fly --help,            posthouse,            fly",
        "--help fly,            posthouse,            fly",
        "status fly --help,     posthouse status,     fly",
        "keys fly --help,       posthouse keys,       fly",
        "keys show --fly --help, posthouse keys show, --fly"
    })
    void aWordThatIsNotKnownIsAnErrorAlsoBesideHelp(String line, String command, String word) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).startsWith(command + ": ").contains("'" + word + "'").endsWith("see " + command + " --help\n");
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "status --help", "help status", "keys show --help", "run --help", "run -n 2 --help"})
    void helpIsPrintedWhereItIsAskedFor(String line) {
        assertThat(execute(line)).isZero();
        assertThat(out.toString()).contains("Usage: posthouse");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString()).startsWith("posthouse ");
    }
}
