package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse jobs abort}. */
@Command(
        name = "abort",
        description = "Ends a job at a running relay: its ranks and its launcher are told, and its room in the log goes back. What it has not finished is"
                + " lost. Status 0 too if it is not open there any more.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse jobs abort 4f1c09a2b3d4e5f6", "  posthouse jobs abort 4f1c09a2b3d4e5f6 --ops 127.0.0.1:7423"})
final class JobsAbortCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "The job's id, as posthouse jobs lists it.")
    private String job;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        String answer = client.post("/api/v1/end-job", JsonNodeFactory.instance.objectNode().put("job", job).toString());
        if (console.json()) {
            System.out.println(answer);
        } else {
            client.json(answer).path("relays").forEach(relay -> System.out.println(tell(relay)));
        }
        return 0;
    }

    private static String tell(JsonNode relay) {
        String job = relay.path("relay").asText() + ": job " + relay.path("job").asText();
        return job + (relay.path("ended").asBoolean() ? " is ended" : " is not open here");
    }
}
