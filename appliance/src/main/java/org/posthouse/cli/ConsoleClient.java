package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.posthouse.causes.Causes;

/** Asks a running relay through its console's API. Blocking; every failure is one line. */
final class ConsoleClient {
    private static final int CONNECT_MS = 5_000;
    private static final int ANSWER_MS = 30_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostPort console;
    private final Optional<String> secret;

    ConsoleClient(HostPort console) {
        this(console, Optional.empty());
    }

    /** @param secret shown to a console that asks for it, and to no other */
    ConsoleClient(HostPort console, Optional<String> secret) {
        this.console = console;
        this.secret = secret;
    }

    String get(String path) throws CommandFailure {
        return send(path, null);
    }

    String post(String path, String body) throws CommandFailure {
        return send(path, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads what the console has answered. */
    JsonNode json(String answer) throws CommandFailure {
        try {
            return JSON.readTree(answer);
        } catch (IOException e) {
            throw none("it answers what is no JSON", e);
        }
    }

    /** Over the JDK's old client: the newer one starts TLS first, with all authorities that the JDK knows, whatever it is to fetch. */
    private String send(String path, byte[] body) throws CommandFailure {
        return send(path, body, Optional.empty());
    }

    private String send(String path, byte[] body, Optional<String> shown) throws CommandFailure {
        HttpURLConnection connection = connect(path, body);
        try {
            shown.ifPresent(token -> connection.setRequestProperty("Authorization", "Bearer " + token));
            open(connection);
            if (body != null) {
                connection.getOutputStream().write(body);
            }
            int status = connection.getResponseCode();
            InputStream answer = status == HttpURLConnection.HTTP_OK ? connection.getInputStream() : connection.getErrorStream();
            String text = answer == null ? "" : new String(answer.readAllBytes(), StandardCharsets.UTF_8);
            if (status == HttpURLConnection.HTTP_UNAUTHORIZED && shown.isEmpty() && secret.isPresent()) {
                return send(path, body, secret);
            }
            if (status != HttpURLConnection.HTTP_OK) {
                throw status < 0 ? none("it does not answer as HTTP does", null) : refused(status, text);
            }
            return text;
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("the console at " + console + " takes connections and has not answered for " + ANSWER_MS / 1_000
                    + " s: its process is stopped (kill -CONT), or its host is too busy", e);
        } catch (IOException e) { // Whose message may have what came, byte by byte.
            throw none("it does not answer as HTTP does", e);
        } finally {
            connection.disconnect();
        }
    }

    private HttpURLConnection connect(String path, byte[] body) throws CommandFailure {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create("http://" + console + path).toURL().openConnection();
            connection.setConnectTimeout(CONNECT_MS);
            connection.setReadTimeout(ANSWER_MS);
            connection.setInstanceFollowRedirects(false);
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                connection.setFixedLengthStreamingMode(body.length); // Or the JDK would send it a second time when there is no answer.
            }
            return connection;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure("the console at " + console + " cannot be asked: the host of a URL has letters, digits, hyphens and dots; name it"
                    + " with --ops by its address", e);
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private void open(HttpURLConnection connection) throws CommandFailure {
        try {
            connection.connect();
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private CommandFailure unreachable(IOException cause) {
        return new CommandFailure("cannot reach the console at " + console + ": " + Causes.text(cause) + "; name it with --ops", cause);
    }

    private CommandFailure refused(int status, String answer) throws CommandFailure {
        JsonNode error = json(answer).path("error");
        return error.isTextual()
                ? new CommandFailure("the relay at " + console + " refuses: " + error.textValue())
                : none("it answers with HTTP status " + status, null);
    }

    private CommandFailure none(String why, IOException cause) {
        return new CommandFailure("no relay's console is at " + console + ": " + why + "; give the address of its --ops", cause);
    }
}
