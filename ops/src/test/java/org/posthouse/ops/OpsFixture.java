package org.posthouse.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A console on a free loopback port with one relay, and an HTTP client for it. One per test; the test closes it. */
final class OpsFixture implements AutoCloseable {

    static final int BEAT_MS = 20;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int WAIT_S = 60;

    final Scenes.MovingRelay relay =
            new Scenes.MovingRelay(Scenes.relay("rennes", "rennes-a", 10,
                    List.of(Scenes.job(Scenes.JOB, Scenes.ranks(4, "rennes-a")))));
    final List<RelayView> relays = new CopyOnWriteArrayList<>(List.of(relay));
    final OpsMetrics metrics = OpsMetrics.create();
    final Vertx vertx = metrics.vertx(new VertxOptions(), Transport.NIO);
    final OpsServer server;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(WAIT_S)).build();

    OpsFixture() throws Exception {
        this(trusting());
    }

    OpsFixture(OpsConfig config) throws Exception {
        this(config, ConsoleConnections.FIRST_REQUEST_MS);
    }

    /** One that takes orders from everybody. */
    static OpsConfig trusting() {
        return trusting(0);
    }

    static OpsConfig trusting(int port) {
        PeerTrust all = (local, remote) -> new PeerTrust.Peer(true, "user 1000");
        return OpsConfig.loopback(port).access(new OpsConfig.Access(all, Optional.empty(), false, ConsoleAudit.NONE));
    }

    /** One whose logins and sessions see this time, in milliseconds. */
    OpsFixture(OpsConfig config, LongSupplier clock) throws Exception {
        server = OpsServer.start(vertx, config, () -> List.copyOf(relays), metrics.registry(), BEAT_MS, ConsoleConnections.FIRST_REQUEST_MS, clock)
                .await(WAIT_S, TimeUnit.SECONDS);
    }

    OpsFixture(OpsConfig config, int firstRequestMs) throws Exception {
        server = OpsServer.start(vertx, config, () -> List.copyOf(relays), metrics.registry(), BEAT_MS, firstRequestMs)
                .await(WAIT_S, TimeUnit.SECONDS);
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path);
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .method(method, HttpRequest.BodyPublishers.noBody()).timeout(Duration.ofSeconds(WAIT_S)).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** An order as a client sends it; headers in pairs of name and value. */
    HttpResponse<String> post(String path, String body, String... headers) throws IOException, InterruptedException {
        return send("POST", path, body, headers);
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .method(method, HttpRequest.BodyPublishers.ofString(body)).timeout(Duration.ofSeconds(WAIT_S));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    JsonNode json(String path) throws IOException, InterruptedException {
        return parse(get(path).body());
    }

    static JsonNode parse(String text) throws IOException {
        return JSON.readTree(text);
    }

    /** A plain connection that has sent this text; for what a polite client cannot send. */
    Socket raw(String text) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_S));
        return socket;
    }

    /** Everything that comes back until the server closes, which must be soon: an endless stream is a failure. */
    String exchange(String text) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = raw(text)) {
            byte[] part = new byte[4096];
            for (int n = socket.getInputStream().read(part); n >= 0; n = socket.getInputStream().read(part)) {
                answer.write(part, 0, n);
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("after " + WAIT_S + " s the server still sends: " + answer);
                }
            }
        }
        return answer.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws Exception {
        client.shutdownNow();
        vertx.close().await(WAIT_S, TimeUnit.SECONDS);
        metrics.close();
    }
}
