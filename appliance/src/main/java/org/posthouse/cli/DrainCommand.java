package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has other relays' lanes leave a running relay, through its console's API. */
@Command(
        name = "drain",
        description = "Has the links of other relays leave this gateway for other ways; they go on. Its own links and ranks stay.",
        mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {
    @Option(names = "--undo", description = "Let them come again.")
    private boolean undo;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        ConsoleClient client = console.client();
        String answer = client.post("/api/v1/drain", JsonNodeFactory.instance.objectNode().put("drain", !undo).toString());
        if (console.json()) {
            System.out.println(answer);
        } else {
            client.json(answer).path("relays").forEach(DrainCommand::print);
        }
        return 0;
    }

    private static void print(JsonNode relay) {
        int carried = relay.path("carried").asInt();
        System.out.printf(
                Locale.ROOT,
                "%s: %s; %d lanes of other relays go through it%s%n",
                relay.path("relay").asText(),
                relay.path("drained").asBoolean() ? "drained" : "a gateway again",
                carried,
                carried > 0 && relay.path("drained").asBoolean() ? ", and leave now: posthouse status tells" : "");
    }
}
