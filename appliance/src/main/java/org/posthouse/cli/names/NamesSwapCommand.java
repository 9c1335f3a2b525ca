package org.posthouse.cli.names;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.NameAsk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code posthouse names swap}. */
@Command(
        name = "swap",
        description = "Replaces a name's record if it has the version that is expected, and fails if not: of many who try, one succeeds.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse names swap --relay n1:7411 config/solver 3 url=u2",
            "  posthouse names swap --relay n1:7411 lock/nightly 0 by=alice"})
final class NamesSwapCommand implements Callable<Integer> {
    @Mixin
    private NamesRelay relay;

    @Option(names = "--epoch", paramLabel = "N", defaultValue = "0",
            description = "The count of the election that the writer has won: a record of a later one is not replaced (default: ${DEFAULT-VALUE}: none).")
    private long epoch;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name, as a/b.")
    private String name;

    @Parameters(index = "1", paramLabel = "VERSION", description = "The version that is expected; 0: the name is not bound.")
    private long version;

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "FIELD=VALUE", description = NameText.FIELDS)
    private List<String> fields = new ArrayList<>();

    @Override
    public Integer call() throws CommandFailure {
        if (version < 0 || epoch < 0) {
            throw new CommandFailure("version " + version + " and epoch " + epoch + ", expected 0 or more");
        }
        relay.print(relay.record(new NameAsk(NameAsk.Operation.SWAP, name, version, epoch, 0, "", NameText.fields(fields))));
        return 0;
    }
}
