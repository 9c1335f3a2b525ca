package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;

/** The live stream tells changes, stays bounded, and lives through a failing view. */
@Timeout(120)
class EventStreamTest {

    private static final String SUBSCRIBE = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final int LINES_MAX = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private OpsFixture ops;
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        ops.close();
    }

    @Test
    void tellsEverythingAtOnceAndThenEachChange() throws Exception {
        BufferedReader lines = subscribe();
        assertThat(nextOverview(lines).at("/relays/0/counters/messagesIn").asLong()).isEqualTo(10);
        ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 11, List.of());
        JsonNode changed = nextOverview(lines);
        assertThat(changed.at("/relays/0/counters/messagesIn").asLong()).isEqualTo(11);
        assertThat(changed.path("jobs")).isEmpty();
        assertThat(changed.path("at").asLong()).isPositive();
    }

    @Test
    void tellsAChangeOfReadiness() throws Exception {
        BufferedReader lines = subscribe();
        assertThat(nextOverview(lines).at("/relays/0/ready").asBoolean()).isTrue();
        ops.relay.readiness = Readiness.notReady("draining");
        JsonNode relay = nextOverview(lines).at("/relays/0");
        assertThat(relay.path("ready").asBoolean(true)).isFalse();
        assertThat(relay.at("/reasons/0").asText()).isEqualTo("draining");
    }

    @Test
    void sendsOnlySignsOfLifeWhileNothingChanges() throws Exception {
        BufferedReader lines = subscribe();
        nextOverview(lines);
        int heartbeats = 0;
        while (heartbeats < 3) {
            String line = lines.readLine();
            assertThat(line).isNotNull().doesNotStartWith("event: overview");
            heartbeats += line.equals("event: quiet") ? 1 : 0;
        }
    }

    @Test
    void livesThroughAFailingView() throws Exception {
        BufferedReader lines = subscribe();
        nextOverview(lines);
        ops.relay.failure = new IllegalStateException("made up by the test");
        nextLine(lines, "event: quiet");
        ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 12, List.of());
        ops.relay.failure = null;
        assertThat(nextOverview(lines).at("/relays/0/counters/messagesIn").asLong()).isEqualTo(12);
    }

    @Test
    void refusesOneStreamTooManyAndTakesItWhenAnotherLeft() throws Exception {
        for (int i = 0; i < EventStream.CLIENTS_MAX; i++) {
            nextOverview(subscribe());
        }
        assertThat(ops.get("/api/v1/events").statusCode()).isEqualTo(503);
        assertThat(ops.get("/api/v1/events").body()).contains("16 live streams are open, the limit");
        sockets.removeFirst().close();
        await().atMost(PATIENCE).until(() -> ops.server.stream().openClients() < EventStream.CLIENTS_MAX);
        assertThat(nextOverview(subscribe()).path("relays")).hasSize(1);
    }

    @Test
    void skipsAndThenCutsOffAPageThatNeverReadsWhileOthersAreServed() throws Exception {
        ops.relays.add(new BusyRelay());
        Socket deaf = new Socket();
        sockets.add(deaf);
        deaf.setReceiveBufferSize(4096);
        deaf.connect(new InetSocketAddress("127.0.0.1", ops.server.port()));
        deaf.getOutputStream().write(SUBSCRIBE.getBytes(StandardCharsets.US_ASCII));
        await().atMost(PATIENCE).until(() -> ops.server.stream().skippedEvents() > 0);
        BufferedReader lines = subscribe();
        assertThat(nextOverview(lines).path("relays")).hasSize(2);
        while (ops.server.stream().openClients() > 1) {
            nextOverview(lines);
        }
        assertThat(ops.server.stream().skippedEvents()).isGreaterThanOrEqualTo(EventStream.STALLED_TICKS_MAX);
        assertThat(nextOverview(lines).path("relays")).hasSize(2);
    }

    @Test
    void endsOpenStreamsWhenTheConsoleCloses() throws Exception {
        BufferedReader lines = subscribe();
        nextOverview(lines);
        ops.server.close().await(60, TimeUnit.SECONDS);
        String line = lines.readLine();
        while (line != null) {
            line = lines.readLine();
        }
        assertThat(ops.server.stream().openClients()).isZero();
    }

    /** A thousand ranks that move between any two looks. */
    private static final class BusyRelay implements RelayView {
        private long looks;

        @Override
        public RelayStatus snapshot() {
            looks++;
            return Scenes.relay("orsay", "orsay-a", looks, List.of(Scenes.job("ab", Scenes.ranks(1000, "orsay-a"))));
        }

        @Override
        public RelayMetrics metrics() {
            return RelayMetrics.NONE;
        }

        @Override
        public Readiness readiness() {
            return Readiness.ok();
        }
    }

    private BufferedReader subscribe() throws IOException {
        Socket socket = ops.raw(SUBSCRIBE);
        sockets.add(socket);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        assertThat(lines.readLine()).isEqualTo("HTTP/1.1 200 OK");
        return lines;
    }

    /** The next event's data. One event is one write, so it is one HTTP chunk and its data stands on one line. */
    private static JsonNode nextOverview(BufferedReader lines) throws IOException {
        nextLine(lines, "event: overview");
        return OpsFixture.parse(nextLine(lines, "data: ").substring("data: ".length()));
    }

    /** Bounded, because the signs of life of a quiet stream would feed an endless wait. */
    private static String nextLine(BufferedReader lines, String beginning) throws IOException {
        for (int i = 0; i < LINES_MAX; i++) {
            String line = lines.readLine();
            assertThat(line).as("the stream ended before a line with \"%s\"", beginning).isNotNull();
            if (line.startsWith(beginning)) {
                return line;
            }
        }
        throw new AssertionError("no line with \"" + beginning + "\" among " + LINES_MAX);
    }
}
