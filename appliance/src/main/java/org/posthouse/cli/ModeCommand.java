package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.relay.RelayConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the mode of a running relay, through its console's API. */
@Command(
        name = "mode",
        description = "Places the work of a running relay on threads in another way; its jobs go on.")
final class ModeCommand implements Callable<Integer> {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(paramLabel = "NAME", description = "The mode: ${COMPLETION-CANDIDATES}.")
    private RelayConfig.Mode mode;

    @Option(names = "--loops", paramLabel = "N", description = "Mode pooled: its event loops.")
    private Integer loops;

    @Option(names = "--pipeline", paramLabel = "R,L,E", description = "Mode pipeline: loops that read, match and write.")
    private String pipeline;

    @Option(
            names = "--ops",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = "127.0.0.1:7413",
            description = "The relay's console (default: ${DEFAULT-VALUE}).")
    private HostPort ops;

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        ObjectNode order = JSON.createObjectNode().put("mode", mode.name().toLowerCase(Locale.ROOT));
        if (loops != null) {
            order.put("loops", loops);
        }
        if (pipeline != null) {
            order.put("pipeline", pipeline);
        }
        String answer = send(order.toString());
        if (json) {
            System.out.println(answer);
            return 0;
        }
        try {
            JSON.readTree(answer).path("changes").forEach(ModeCommand::print);
        } catch (IOException e) {
            throw new CommandFailure("the console at " + ops + " answered what is no JSON: " + e.getMessage(), e);
        }
        return 0;
    }

    private String send(String order) throws CommandFailure, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + ops + "/api/v1/mode"))
                .header("Content-Type", "application/json")
                .timeout(ANSWER_TIMEOUT)
                .POST(HttpRequest.BodyPublishers.ofString(order))
                .build();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build()) {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new CommandFailure("the relay at " + ops + " refuses: " + error(answer.body()));
            }
            return answer.body();
        } catch (IOException e) {
            throw new CommandFailure("cannot reach the console at " + ops + ": " + (e.getMessage() == null ? e : e.getMessage())
                    + "; name it with --ops", e);
        }
    }

    private static String error(String body) {
        try {
            return JSON.readTree(body).path("error").asText(body);
        } catch (IOException e) {
            return body;
        }
    }

    private static void print(JsonNode change) {
        System.out.printf(
                Locale.ROOT,
                "%s: %s -> %s: %d of %d ranks moved, %d will at their next call; pause %.1f ms median, %.1f ms longest%n",
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
