package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The port itself: where it is bound, what it bounds, how it opens and closes. */
@Timeout(120)
class OpsServerTest {

    private OpsFixture ops;

    @BeforeEach
    void open() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    @Test
    void saysWhichAddressIsTaken() {
        OpsConfig taken = OpsConfig.loopback(ops.server.port());
        assertThatThrownBy(() -> OpsServer.start(ops.vertx, taken, ops.relay, ops.metrics.registry())
                .await(60, TimeUnit.SECONDS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on 127.0.0.1:" + ops.server.port())
                .hasMessageContaining("choose another port with --ops");
    }

    /** Netty's selector lets go of a closed port a moment after the close is told, hence the wait. */
    @Test
    void freesItsPortWhenClosed() throws Exception {
        ops.server.close().await(60, TimeUnit.SECONDS);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThatThrownBy(this::connectAndLeave)
                .isInstanceOf(ConnectException.class));
    }

    /** Whoever holds all connections is nobody that a supervisor has to wait for. */
    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "G",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: half",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /api/v1/mode HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
    })
    void answersHealthWhenConnectionsAreExhausted(String sent) throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * OpsVerticle.CONNECTIONS_MAX; i++) {
                Socket socket = ops.raw(sent);
                open.add(socket);
                if (i % 50 == 49) {
                    assertThat(ops.exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                    assertThat(ops.exchange("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                }
            }
            assertThat(ops.get("/metrics").body()).containsPattern("posthouse_console_connections_displaced_total [1-9]");
            assertThat(ops.server.stream().openClients()).isEqualTo(sent.contains("events") ? EventStream.CLIENTS_MAX : 0);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void endsAConnectionWhoseFirstRequestDoesNotCome() throws Exception {
        try (OpsFixture strict = new OpsFixture(OpsFixture.trusting(), 50); Socket slow = strict.raw("GET /healthz HTTP/1.1\r\nHost: loc")) {
            assertThat(slow.getInputStream().read()).isEqualTo(-1);
            assertThat(strict.get("/healthz").statusCode()).isEqualTo(200);
        }
    }

    /** What two servers in a row could read in two ways is read in none. */
    @ParameterizedTest
    @ValueSource(strings = {
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n",
        "GET /healthz HTTP/1.1\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1, 2\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "GET /healthz HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n X: folded\r\n",
    })
    void refusesAmbiguousRequests(String head) throws Exception {
        String answer = ops.exchange(head + "Connection: close\r\n\r\n0\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.").contains(" 400 ").doesNotContain(" 200 ");
    }

    @Test
    void refusesHeadersAndRequestLinesThatAreTooLong() throws Exception {
        String longName = "x".repeat(OpsVerticle.HEADER_BYTES_MAX + 1);
        assertThat(ops.exchange("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + longName + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ").contains("the headers are longer than 8192 bytes");
        String longPath = "x".repeat(OpsVerticle.REQUEST_LINE_BYTES_MAX + 1);
        assertThat(ops.exchange("GET /" + longPath + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .contains(" 414 ").contains("the request line is longer than 4096 bytes");
    }

    @Test
    void answersAThousandRequestsThatComeAtOnce() throws Exception {
        String request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String answers = ops.exchange(request.repeat(999) + request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        assertThat(answers.split("HTTP/1.1 200 OK", -1)).hasSize(1_001);
    }

    @Test
    void answersMalformedHttpWithBadRequest() throws Exception {
        assertThat(ops.exchange("\u0016\u0003\u0001 hello\r\n\r\n")).contains(" 400 ").contains("not valid HTTP/1.1");
    }

    @Test
    void reportsAllProblemsOfAConfigurationTogether() {
        assertThatThrownBy(() -> new OpsConfig(" ", 70_000, List.of("http://x/"), OpsConfig.Access.NO_ORDERS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--ops names no host")
                .hasMessageContaining("--ops has the port 70000")
                .hasMessageContaining("--ops-name is \"http://x/\"");
    }

    @Test
    void defaultConfigurationListensOnLoopback() {
        assertThat(OpsConfig.loopback(0).host()).isEqualTo("127.0.0.1");
    }

    private void connectAndLeave() throws IOException {
        ops.connect().close();
    }
}
