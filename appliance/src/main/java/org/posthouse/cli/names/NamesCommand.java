package org.posthouse.cli.names;

import picocli.CommandLine.Command;

/** {@code posthouse names}: the grid's name service. */
@Command(
        name = "names",
        description = "Binds, looks up and watches names, and holds elections, in the name service of the relays.",
        mixinStandardHelpOptions = true,
        subcommands = {NamesBindCommand.class, NamesLookupCommand.class, NamesLsCommand.class, NamesWatchCommand.class, NamesSwapCommand.class,
            NamesUnbindCommand.class, NamesElectCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "A name is 1 to 8 parts of A-Z, a-z, 0-9, '.', '_' and '-', with slashes between. What programs publish is below mpi, what the",
            "relays keep below vm and job.", "", "Examples:", "  posthouse names bind --relay n1:7411 config/solver url=u1",
            "  posthouse names ls --relay n1:7411 config"})
public final class NamesCommand {}
