package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The help of commands with many options. */
class HelpSectionsTest {
    private static CommandLine command(String name) {
        return Posthouse.commandLine(name).getSubcommands().get(name);
    }

    private static String options(CommandLine command) {
        String help = command.getUsageMessage();
        return help.substring(0, help.indexOf(command.getCommandSpec().usageMessage().footer()[1])); // In front of the examples.
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "relay"})
    void everyOptionStandsOnceUnderAHeading(String name) {
        CommandLine command = command(name);
        String help = options(command);
        for (OptionSpec option : command.getCommandSpec().options()) {
            String line = "(?m)^ {1,6}(-\\w+, )*" + option.longestName() + "\\b(?!-)";
            assertThat(Pattern.compile(line).matcher(help).results().count()).as(option.longestName()).isEqualTo(option.hidden() ? 0 : 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "relay"})
    void onlyHelpAndChecksAreWithoutAHeadingOfTheirOwn(String name) {
        String help = options(command(name));
        List<String> other = Stream.of(help.substring(help.indexOf("\nOther:")).split("\n"))
                .filter(line -> line.matches(" {1,6}-.*"))
                .map(line -> line.replaceFirst("^ *(-\\w, )?", "").replaceFirst("[ =\\[].*", ""))
                .toList();
        assertThat(other).isSubsetOf("--help", "--version", "--json", "--config", "--check-config", "--print-config");
    }

    @Test
    void theUsageOfRunIsALine() {
        assertThat(command("run").getUsageMessage()).startsWith("Usage: posthouse run -n N [OPTION...] CLASS [ARG...]\n");
    }
}
