package org.posthouse.cli.names;

import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.NameAsk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse names lookup}. */
@Command(
        name = "lookup",
        description = "Prints the record of a name.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 1: the name is not bound.", "", "Examples:", "  posthouse names lookup --relay n1:7411 config/solver",
            "  posthouse names lookup --relay n1:7411 --json vm/leader"})
final class NamesLookupCommand implements Callable<Integer> {
    @Mixin
    private NamesRelay relay;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name, as a/b.")
    private String name;

    @Override
    public Integer call() throws CommandFailure {
        relay.print(relay.record(NameAsk.of(NameAsk.Operation.LOOKUP, name)));
        return 0;
    }
}
