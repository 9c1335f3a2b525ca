package org.posthouse.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocketFactory;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.peer.PeerUser;

/** Asks a running relay through its console's API. Blocking; every failure is one line. */
public final class ConsoleClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ConsoleAddress console;
    private final Optional<SSLSocketFactory> tls;
    private final Optional<String> authorization;
    private final long relayUser;

    ConsoleClient(HostPort console) {
        this(new ConsoleAddress(console, false), Optional.empty(), Optional.empty(), PeerUser.NO_UID);
    }

    /**
     * @param tls of what it is asked over TLS; needed if the address says so
     * @param authorization scheme and credentials (RFC 9110, 11.6.2), shown to a console that asks for them, and to no other; to another user's on this host only if that is
     * @param relayUser this user
     */
    ConsoleClient(ConsoleAddress console, Optional<SSLSocketFactory> tls, Optional<String> authorization, long relayUser) {
        this.console = console;
        this.tls = tls;
        this.authorization = authorization;
        this.relayUser = relayUser;
    }

    /**
     * Asks for {@code path}.
     *
     * @return the answer's body
     * @throws CommandFailure if there is no good answer
     */
    public String get(String path) throws CommandFailure {
        return send(path, null);
    }

    /**
     * Posts {@code body} to {@code path}.
     *
     * @return the answer's body
     * @throws CommandFailure if there is no good answer
     */
    public String post(String path, String body) throws CommandFailure {
        return send(path, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads what the console has answered. */
    public JsonNode json(String answer) throws CommandFailure {
        try {
            return JSON.readTree(answer);
        } catch (IOException e) {
            throw none("it answers what is no JSON", e);
        }
    }

    private String send(String path, byte[] body) throws CommandFailure {
        try (ConsoleConnection connection = connect()) {
            ConsoleConnection.Answer answer = connection.exchange(path, body, Optional.empty());
            if (answer.status() == HttpURLConnection.HTTP_UNAUTHORIZED && authorization.isPresent()) {
                requireTrust(connection.user());
                answer = connection.exchange(path, body, authorization);
            }
            if (answer.status() != HttpURLConnection.HTTP_OK) {
                throw refused(answer.status(), answer.text());
            }
            return answer.text();
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("the console at " + console + " takes connections and has not answered for "
                    + ConsoleConnection.ANSWER_MS / 1_000 + " s: its process is stopped (kill -CONT), or its host is too busy", e);
        } catch (IOException e) { // Whose message may have what came, byte by byte.
            throw none("it does not answer as HTTP does" + (console.tls() ? "" : " (with --ops-cert it does over TLS: --ops https://" + console + ")"), e);
        }
    }

    private ConsoleConnection connect() throws CommandFailure {
        try {
            return ConsoleConnection.open(console.at(), tls);
        } catch (SSLException e) {
            throw insecure(e);
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /** The process that has answered, and asks for the secret, may be another user's who has taken the relay's port. */
    private void requireTrust(PeerUser answering) throws CommandFailure {
        if (answering.trust() == PeerUser.Trust.FOREIGN && answering.uid() != relayUser) {
            throw new CommandFailure("what listens at " + console + " is a process of " + answering + ", neither this user's nor root's, and was not shown"
                    + " the secret or password; if that is the relay's user, give --ops-user " + answering.uid());
        }
    }

    private CommandFailure insecure(SSLException cause) {
        boolean untrusted = cause instanceof SSLHandshakeException && cause.getCause() instanceof CertificateException;
        return new CommandFailure("the console at " + console + (untrusted
                ? " has a certificate that is not accepted: " + Causes.text(cause) + "; name the file of its issuer, or its own, with --ops-ca, and its host"
                        + " as the certificate does"
                : " does not speak TLS: " + Causes.text(cause) + "; give --ops " + console.at() + " if it is plain HTTP"), cause);
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
