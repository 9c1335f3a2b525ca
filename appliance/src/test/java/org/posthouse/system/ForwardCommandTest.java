package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.keys.GridAuthority;

/** {@code posthouse relay --forward} at one site and {@code --via} at another: a web server that only one of them reaches. */
@Timeout(900)
class ForwardCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void aServerOfOneSiteIsReachedAtAPortOfTheOther() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys-a"));
        authority.issue("site-b", 2, folder.resolve("keys-b"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("from site-b".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.createContext("/big", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < 1_000; i++) {
                exchange.getResponseBody().write(new byte[65_536]);
            }
            exchange.close();
        });
        server.start();
        int port = Relays.freePort();
        int rawPort = Relays.freePort();
        try (ServerSocket raw = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Relays b = Relays.start(
                        folder, "site-b", "--keys", folder.resolve("keys-b").toString(), "--links", "127.0.0.1:0",
                        "--data", folder.resolve("data-b").toString(), "--forward", "web=127.0.0.1:" + server.getAddress().getPort(),
                        "--forward", "raw=127.0.0.1:" + raw.getLocalPort());
                Relays a = Relays.start(
                        folder, "site-a", "--keys", folder.resolve("keys-a").toString(), "--peer", "site-b=" + b.ready().links(),
                        "--data", folder.resolve("data-a").toString(), "--via", "site-b/web=127.0.0.1:" + port,
                        "--via", "site-b/raw=127.0.0.1:" + rawPort)) {
            await().atMost(PATIENCE).until(() -> forward(a).path("state").asText().equals("LISTENING"));
            try (var answer = URI.create("http://127.0.0.1:" + port + "/").toURL().openStream()) {
                assertThat(new String(answer.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("from site-b");
            }
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(a.meter("posthouse_streams_opened_total")).isEqualTo(1));
            aJobRunsBesideAStream(a, b, port);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(b.meter("posthouse_stream_bytes_total{direction=\"in\"")).isPositive());
            assertThat(status(a)).contains("port      127.0.0.1:" + port + " leads to site-b/web, ");
            assertThat(status(a))
                    .containsPattern("lane 0 goes straight: [1-9][0-9,]* bytes came, [1-9][0-9,]* went")
                    .containsPattern("(0 streams are|1 stream is) open: 65,[56][0-9]{2},[0-9]{3} bytes came, [1-9][0-9,]* went");
            assertThat(status(b)).contains("door      web leads to 127.0.0.1:" + server.getAddress().getPort());
            streamForwardedByAKilledRelayIsReset(b, raw, rawPort);
            await().atMost(PATIENCE).until(() -> forward(a).path("state").asText().equals("REFUSING"));
            assertThatThrownBy(() -> new Socket("127.0.0.1", port)).isInstanceOf(ConnectException.class);
            assertThat(status(a)).contains("site-b is DOWN since ", "refuses while the link is not up").doesNotContain("lane 0");
        } finally {
            server.stop(0);
        }
    }

    /** An end would make the part that came look like the whole. */
    private static void streamForwardedByAKilledRelayIsReset(Relays b, ServerSocket raw, int rawPort) throws Exception {
        try (Socket near = new Socket("127.0.0.1", rawPort);
                Socket behind = raw.accept()) {
            near.getOutputStream().write(1);
            assertThat(behind.getInputStream().read()).isEqualTo(1);
            b.kill();
            assertThatThrownBy(() -> behind.getInputStream().read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
    }

    /** Both use the same link, and what is acknowledged is told to whom it belongs. */
    private void aJobRunsBesideAStream(Relays a, Relays b, int port) throws Exception {
        try (ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor();
                InputStream big = URI.create("http://127.0.0.1:" + port + "/big").toURL().openStream()) {
            Future<Long> read = reader.submit(() -> big.transferTo(OutputStream.nullOutputStream()));
            Command.Result job = Command.run(
                    folder, "run", "-n", "2", "--relay", a.ranks(), "--relay", b.ranks(), "--durability", "process", "example:ring", "20", "100000");
            assertThat(job.err()).isEmpty();
            assertThat(job.status()).isZero();
            assertThat(read.get()).isEqualTo(65_536_000);
        }
    }

    /** Each other's address is there already: they meet at it, in whatever order they start. */
    @Test
    @Tag("long")
    void relaysOfOneHostFindEachOtherWithoutPortsToEachOther() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys-a"));
        authority.issue("site-b", 2, folder.resolve("keys-b"));
        String group = "--tunnel-group=" + Relays.freePort();
        try (Relays a = Relays.start(
                folder, "site-a", "--keys", folder.resolve("keys-a").toString(), "--links", "127.0.0.1:0", group);
                Relays b = Relays.start(
                        folder, "site-b", "--keys", folder.resolve("keys-b").toString(), "--peer", "site-a=" + a.ready().links(), group)) {
            await().atMost(PATIENCE).until(() -> known(a) == 2 && known(b) == 2);
            a.kill();
            await().atMost(PATIENCE).until(() -> !b.get("/api/v1/relays").at("/relays/0/links/0/state").asText().equals("UP"));
            a.startAgain();
            await().atMost(PATIENCE).until(() -> known(a) == 2 && known(b) == 2);
            Command.Result twin = Command.run(
                    folder, "relay", "--site", "site-a", "--keys", folder.resolve("keys-a").toString(), "--links",
                    "127.0.0.1:" + Relays.freePort(), "--listen", "127.0.0.1:" + Relays.freePort(), group);
            assertThat(twin.status()).isEqualTo(1);
            assertThat(twin.err()).contains("cannot be bound");
        }
    }

    /** Whoever comes through a port is the far relay's own user to what is behind the door. */
    @Test
    void anotherUserOfTheHostDoesNotComeThroughAPort() throws Exception {
        comesThroughAPort(false);
    }

    @Test
    @Tag("long")
    void anotherUserOfTheHostComesThroughAPortThatWasOpened() throws Exception {
        comesThroughAPort(true);
    }

    private void comesThroughAPort(boolean isOpen) throws Exception {
        assumeTrue(Stranger.canBe(), "only root can be another user");
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys-a"));
        authority.issue("site-b", 2, folder.resolve("keys-b"));
        byte[] question = "who is there?".getBytes(StandardCharsets.US_ASCII);
        String answer = "closed " + HexFormat.of().formatHex(question);
        String via = "127.0.0.1:" + Relays.freePort();
        AtomicInteger came = new AtomicInteger();
        try (ServerSocket echo = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
                Relays b = Relays.start(
                        folder, "site-b", "--keys", folder.resolve("keys-b").toString(), "--links", "127.0.0.1:0", "--forward",
                        "echo=127.0.0.1:" + echo.getLocalPort())) {
            Thread.ofVirtual().start(() -> {
                while (!echo.isClosed()) {
                    try (Socket one = echo.accept()) {
                        came.incrementAndGet();
                        one.getOutputStream().write(one.getInputStream().readNBytes(question.length));
                    } catch (IOException e) {
                        assertThat(e).isInstanceOf(SocketException.class);
                    }
                }
            });
            String[] linked = {"--keys", folder.resolve("keys-a").toString(), "--peer", "site-b=" + b.ready().links(), "--via"};
            if (isOpen) {
                try (Relays a = Relays.start(folder, "site-a", with(linked, "site-b/echo=" + via, "--unsafe-open-via"))) {
                    awaitAnswer(via, question, answer);
                    assertThat(Stranger.says(Stranger.first(), via, 3, question)).containsOnly(answer).hasSize(3);
                }
            } else {
                try (Relays a = Relays.start(folder, "site-a", with(linked, "site-b/echo=" + via))) {
                    awaitAnswer(via, question, answer);
                    came.set(0);
                    assertThat(Stranger.says(Stranger.first(), via, 40, question)).containsOnly("closed").hasSize(40);
                    assertThat(came).as("nothing of it went over the link").hasValue(0);
                    assertThat(Stranger.says(List.of(), via, 3, question)).containsOnly(answer).hasSize(3);
                    assertThat(a.err()).contains("refused").contains("user 65534");
                    // A relay's view is renewed once in a while.
                    await().atMost(PATIENCE).untilAsserted(() -> {
                        JsonNode port = a.get("/api/v1/relays").at("/relays/0/streams/forwards/0");
                        assertThat(port.path("refused").asLong()).as(port.toString()).isEqualTo(40);
                    });
                }
            }
        }
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
    }

    /**
     * The port refuses until the link is up. Whose process connected is looked up behind the connection's beginning: one
     * that only came and went would be refused, too.
     */
    private static void awaitAnswer(String address, byte[] question, String answer) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(Stranger.says(List.of(), address, 1, question)).containsExactly(answer));
    }

    private static int known(Relays relay) throws Exception {
        return relay.get("/api/v1/relays").at("/relays/0/directory").size();
    }

    @Test
    void reportsInvalidForwardOptionsInOneLine() throws Exception {
        InProcess.Result refused = InProcess.run(
                "relay", "--site", "site-a", "--forward", "Web=127.0.0.1:80", "--via", "site-b=127.0.0.1:81",
                "--via", "site-b/web=0.0.0.0:82", "--via", "site-c/web=nowhere", "--tunnel-group", "--forward", "group=127.0.0.1:83");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err().strip())
                .hasLineCount(1)
                .contains(
                        "--forward and --via need --keys",
                        "--via site-b=127.0.0.1:81, expected RELAY/NAME=HOST:PORT",
                        "--via site-b/web=0.0.0.0:82 can be reached from outside: add --unsafe-open-via",
                        "--via site-c/web: \"nowhere\"",
                        "--tunnel-group needs --keys",
                        "--forward group is the door of --tunnel-group",
                        "door \"Web\"");
        InProcess.Result tokens = InProcess.run(
                "relay", "--site", "site-a", "--stream-buffers", "100", "--streams", "10", "--stream-tokens", "11");
        assertThat(tokens.status()).isEqualTo(1);
        assertThat(tokens.err()).contains("100 stream buffers for 10 streams of 11 tokens, expected at least 110");
    }

    private static String status(Relays relay) {
        return InProcess.run("status", "--ops", relay.ready().console()).out();
    }

    private static JsonNode forward(Relays relay) throws Exception {
        return relay.get("/api/v1/relays").at("/relays/0/streams/forwards/0");
    }
}
