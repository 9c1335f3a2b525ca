package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse jobs checkpoint}. */
@Command(
        name = "checkpoint",
        description = "Asks the ranks of a job for checkpoints, at all its relays. Each takes one at its next Checkpoint.point(), and the job goes on:"
                + " posthouse jobs show and the console's events tell of it. Status 1 if no rank could be asked.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse jobs checkpoint 4f1c09a2b3d4e5f6", "  posthouse jobs checkpoint 4f1c09a2b3d4e5f6 --ops 127.0.0.1:7423 --json"})
final class JobsCheckpointCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "The job's id, as posthouse jobs lists it.")
    private String job;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        String answer = client.post("/api/v1/checkpoint", JsonNodeFactory.instance.objectNode().put("job", job).toString());
        JsonNode relays = client.json(answer).path("relays");
        int asked = 0;
        for (JsonNode relay : relays) {
            asked += relay.path("asked").asInt();
        }
        if (console.json()) {
            System.out.println(answer);
        } else {
            relays.forEach(relay -> System.out.println(line(relay)));
        }
        return asked > 0 ? 0 : ExitCode.FAILED.status();
    }

    /** What one home relay has done. */
    static String line(JsonNode relay) {
        String name = relay.path("relay").asText() + ": ";
        String why = relay.path("why").asText();
        if (!why.isEmpty()) {
            return name + "no rank is asked: " + why;
        }
        List<String> unable = new ArrayList<>();
        relay.path("unable").forEach(rank -> unable.add(rank.asText()));
        int asked = relay.path("asked").asInt();
        String others = unable.isEmpty() ? "" : "; not connected, or without checkpoints so far: " + String.join(", ", unable);
        return name + asked + (asked == 1 ? " rank is" : " ranks are") + " asked" + others;
    }
}
