package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
            throw new CommandFailure("the console at " + console + " answered what is no JSON: " + e.getMessage(), e);
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
                throw new CommandFailure("the relay at " + console + " refuses: " + error(answer.body()));
            }
            return answer.body();
        } catch (IOException e) {
            throw new CommandFailure("cannot reach the console at " + console + ": " + Causes.text(e)
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
}
