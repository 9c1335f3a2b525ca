package org.posthouse.cli.names;

import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse names elect}. */
@Command(
        name = "elect",
        description = "Contends in the next election of a token, and prints who has won. The token's record names the winner; its epoch is the number of the election.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 0: the contender has won. 3: another has.", "",
            "Each election has one winner, among all contenders that come while it goes on. A winner writes with its epoch (names swap --epoch); what",
            "an earlier winner writes is refused.", "", "Example:", "  posthouse names elect --relay n1:7411 nightly/leader $HOSTNAME"})
final class NamesElectCommand implements Callable<Integer> {
    @Mixin
    private NamesRelay relay;

    @Parameters(index = "0", paramLabel = "TOKEN", description = "The name of what is contended for, as a/b.")
    private String token;

    @Parameters(index = "1", paramLabel = "CONTENDER", description = "Who contends: 1 to 200 characters.")
    private String contender;

    @Override
    public Integer call() throws CommandFailure {
        TreeMap<String, String> fields = new TreeMap<>();
        fields.put(NameAsk.CONTENDER, contender);
        NamedRecord elected = relay.record(new NameAsk(NameAsk.Operation.ELECT, token, 0, 0, 0, "", fields));
        relay.print(elected);
        return contender.equals(elected.fields().get("leader")) ? 0 : ExitCode.ATTENTION.status();
    }
}
