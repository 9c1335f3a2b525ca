package org.posthouse.cli.names;

import java.util.Collections;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.NameAsk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code posthouse names unbind}. */
@Command(
        name = "unbind",
        description = "Takes a name's record away.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 1: the name is not bound, or has another version.", "", "Example:", "  posthouse names unbind --relay n1:7411 config/solver"})
final class NamesUnbindCommand implements Callable<Integer> {
    @Mixin
    private NamesRelay relay;

    @Option(names = "--version-is", paramLabel = "VERSION", defaultValue = "-1",
            description = "Only if it has this version (default: whatever version it has).")
    private long version;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name, as a/b.")
    private String name;

    @Override
    public Integer call() throws CommandFailure {
        if (version == 0 || version < -1) {
            throw new CommandFailure("--version-is " + version + ", expected 1 or more");
        }
        relay.print(relay.record(new NameAsk(NameAsk.Operation.UNBIND, name, version, 0, 0, "", Collections.emptySortedMap())));
        return 0;
    }
}
