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

/** {@code posthouse names bind}. */
@Command(
        name = "bind",
        description = "Binds a name to a record, unless it is bound. To bind it to the same record again succeeds.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse names bind --relay n1:7411 config/solver url=u1",
            "  posthouse names bind --relay n1:7411 --replace config/solver url=u2"})
final class NamesBindCommand implements Callable<Integer> {
    @Mixin
    private NamesRelay relay;

    @Option(names = "--replace", description = "Replace the record that the name has; it must be bound.")
    private boolean replace;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name, as a/b.")
    private String name;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "FIELD=VALUE", description = NameText.FIELDS)
    private List<String> fields = new ArrayList<>();

    @Override
    public Integer call() throws CommandFailure {
        NameAsk.Operation operation = replace ? NameAsk.Operation.REBIND : NameAsk.Operation.BIND;
        relay.print(relay.record(new NameAsk(operation, name, 0, 0, 0, "", NameText.fields(fields))));
        return 0;
    }
}
