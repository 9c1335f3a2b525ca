package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.relay.config.RelayConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes the mode of a running relay, through its console's API. */
@Command(
        name = "mode",
        description = "Places the work of a running relay on threads in another way; its jobs go on.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse mode pooled --loops 4", "  posthouse mode pipeline --pipeline 2,1,2",
            "  posthouse mode multiplexed --ops 127.0.0.1:7423"})
final class ModeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The mode: ${COMPLETION-CANDIDATES}.")
    private RelayConfig.Mode mode;

    @Option(names = "--loops", paramLabel = "N", description = "Mode pooled: its event loops.")
    private Integer loops;

    @Option(names = "--pipeline", paramLabel = "R,L,E", description = "Mode pipeline: loops that read, match and write.")
    private String pipeline;

    @Spec
    private CommandSpec command;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        require(loops, "--loops", RelayConfig.Mode.POOLED);
        require(pipeline, "--pipeline", RelayConfig.Mode.PIPELINE);
        ObjectNode order = JsonNodeFactory.instance.objectNode().put("mode", mode.name().toLowerCase(Locale.ROOT));
        if (loops != null) {
            order.put("loops", loops);
        }
        if (pipeline != null) {
            order.put("pipeline", pipeline);
        }
        ConsoleClient client = console.client();
        String answer = client.post("/api/v1/mode", order.toString());
        if (console.json()) {
            System.out.println(answer);
        } else {
            client.json(answer).path("changes").forEach(ModeCommand::print);
        }
        return 0;
    }

    /** An option that another mode has would be passed over. */
    private void require(Object given, String option, RelayConfig.Mode only) {
        if (given != null && mode != only) {
            throw new ParameterException(command.commandLine(), option + " is of mode " + only.word() + ", and this one is " + mode.word());
        }
    }

    private static void print(JsonNode change) {
        System.out.printf(
                Locale.ROOT,
                "%s: %s -> %s: %d of %d ranks moved, %d will later; pause %.1f ms median, %.1f ms longest%n",
                change.path("relay").asText(),
                change.path("from").asText(),
                change.path("to").asText(),
                change.path("moved").asInt(),
                change.path("asked").asInt(),
                change.path("left").asInt(),
                change.path("pauseMicrosMedian").asLong() / 1e3,
                change.path("pauseMicrosMax").asLong() / 1e3);
    }
}
