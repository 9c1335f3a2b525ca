package org.posthouse.cli.log;

import picocli.CommandLine.Command;

/** {@code posthouse log}: what a relay's log holds. */
@Command(
        name = "log",
        description = "Shows, checks and exports the message log of a relay; reads only, also beside a running relay.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {LogListCommand.class, LogShowCommand.class, LogVerifyCommand.class, LogExportCommand.class},
        footer = {"", "Examples:", "  posthouse log ls --data data-a", "  posthouse log verify --data data-a"})
public final class LogCommand {}
