package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has other relays' lanes leave a running relay, through its console's API. */
@Command(
        name = "drain",
        description = "Has the links of other relays leave this gateway for other ways; they go on. Its own links and ranks stay.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse drain", "  posthouse drain --undo"})
final class DrainCommand implements Callable<Integer> {
    @Option(names = "--undo", description = "Let them come again.")
    private boolean undo;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        String answer = client.post("/api/v1/drain", JsonNodeFactory.instance.objectNode().put("drain", !undo).toString());
        if (console.json()) {
            System.out.println(answer);
        } else {
            client.json(answer).path("relays").forEach(relay -> System.out.println(tell(relay)));
        }
        return 0;
    }

    /** A line of what {@code /api/v1/drain} has answered of one relay. */
    static String tell(JsonNode relay) {
        boolean drained = relay.path("drained").asBoolean();
        long carried = relay.path("carried").asLong();
        return String.format(
                Locale.ROOT,
                "%s: %s; %s%s",
                relay.path("relay").asText(),
                drained ? "drained" : "a gateway again",
                StatusCommand.lanesThrough(carried),
                drained && carried > 0 ? ", and what has another way leaves within seconds: posthouse status tells" : "");
    }
}
