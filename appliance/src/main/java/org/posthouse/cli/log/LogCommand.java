package org.posthouse.cli.log;

import picocli.CommandLine.Command;

/** {@code posthouse log}: what a relay's log holds. */
@Command(
        name = "log",
        description = "Shows, checks and exports the message log of a relay; reads only, also beside a running relay.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {LogListCommand.class, LogShowCommand.class, LogVerifyCommand.class, LogExportCommand.class})
public final class LogCommand {
    /** The log ends in bytes that were never published as a record. */
    static final int STATUS_TORN = 3;

    /** The log is not what was written. */
    static final int STATUS_DAMAGED = 4;
}
