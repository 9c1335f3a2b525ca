package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.posthouse.tunnel.Causes;

/** Asks a running relay through its console's API. Blocking; every failure is one line. */
final class ConsoleClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostPort console;

    ConsoleClient(HostPort console) {
        this.console = console;
    }

    String get(String path) throws CommandFailure, InterruptedException {
        return send(request(path).GET().build());
    }

    String post(String path, String body) throws CommandFailure, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    /** Reads what the console has answered. */
    JsonNode json(String answer) throws CommandFailure {
        try {
            return JSON.readTree(answer);
        } catch (IOException e) {
            throw none("it answers what is no JSON", e);
        }
    }

    private HttpRequest.Builder request(String path) throws CommandFailure {
        try {
            return HttpRequest.newBuilder(URI.create("http://" + console + path)).timeout(ANSWER_TIMEOUT);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure("the console at " + console + " cannot be asked: the host of a URL has letters, digits, hyphens and dots; name it"
                    + " with --ops by its address", e);
        }
    }

    private String send(HttpRequest request) throws CommandFailure, InterruptedException {
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build()) {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw refused(answer);
            }
            return answer.body();
        } catch (ConnectException | HttpTimeoutException e) {
            throw new CommandFailure("cannot reach the console at " + console + ": " + Causes.text(e) + "; name it with --ops", e);
        } catch (IOException e) { // Whose message may have what came, byte by byte.
            throw none("it does not answer as HTTP does", e);
        }
    }

    private CommandFailure refused(HttpResponse<String> answer) throws CommandFailure {
        JsonNode error = json(answer.body()).path("error");
        return error.isTextual()
                ? new CommandFailure("the relay at " + console + " refuses: " + error.textValue())
                : none("it answers with HTTP status " + answer.statusCode(), null);
    }

    private CommandFailure none(String why, IOException cause) {
        return new CommandFailure("no relay's console is at " + console + ": " + why + "; give the address of its --ops", cause);
    }
}
