package org.posthouse.cli.config;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a command that may stand in a variable or a file. Stateless. */
final class Options {
    /** What a command is to do once, and where its configuration is. */
    private static final Set<String> ONLY_ON_COMMAND_LINES = Set.of("--config", "--check-config", "--print-config");

    private Options() {}

    static Stream<OptionSpec> settable(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                .filter(option -> option.longestName().startsWith("--") && !ONLY_ON_COMMAND_LINES.contains(option.longestName()));
    }

    /** Its name without dashes in front: log-limit. */
    static String key(OptionSpec option) {
        return option.longestName().substring(2);
    }

    /** The values of one option as words of a command line; none of a switch that is off. */
    static List<Setting> settings(OptionSpec option, List<String> values, String source, Collection<String> problems) {
        if (values.size() > 1 && !option.isMultiValue()) {
            problems.add(source + ": " + values.size() + " values, expected one");
            return List.of();
        }
        boolean isSwitch = option.arity().min() == 0;
        if (option.arity().max() == 0 && !values.isEmpty() && !Set.of("true", "false").contains(values.getFirst())) {
            problems.add(source + " is \"" + values.getFirst() + "\", expected true or false");
            return List.of();
        }
        return values.stream()
                .filter(value -> !isSwitch || !value.equals("false"))
                .map(value -> new Setting(
                        option.longestName(), isSwitch && value.equals("true") ? option.longestName() : option.longestName() + "=" + value, source))
                .toList();
    }
}
