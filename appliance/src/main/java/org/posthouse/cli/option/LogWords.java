package org.posthouse.cli.option;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Options that only mean something where there is a log. Where there is none they are told of and not refused: whoever switches the log on
 * and off in a script need not switch them too.
 */
public final class LogWords {
    private LogWords() {}

    /**
     * A notice about the options that were given.
     *
     * @param command was parsed
     * @param why there is no log, and what to do to have one
     * @return one line; empty if none of them was given
     */
    public static Optional<String> withoutLog(CommandSpec command, String why, String... options) {
        String given = given(command, options);
        return given.isEmpty() ? Optional.empty() : Optional.of(command.qualifiedName() + ": no effect of " + given + ": " + why);
    }

    /** Those of the options that were given; empty if none was. */
    public static String given(CommandSpec command, String... options) {
        return Stream.of(options)
                .filter(option -> command.commandLine().getParseResult().hasMatchedOption(option))
                .collect(Collectors.joining(", "));
    }
}
