package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.forward.LoopbackAddress;
import org.posthouse.tunnel.forward.LoopbackConfig;

/** Services of relays at loopback addresses of their own, which are the same everywhere. */
@Timeout(120)
class LoopbackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final List<TestRelay> relays = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Pinned: relays of different versions must agree. */
    @Test
    void anAddressComesFromTheRelaysIdAlone() {
        assertThat(LoopbackAddress.of("site-a")).isEqualTo("127.73.161.15");
        assertThat(LoopbackAddress.of("site-a/2")).isEqualTo("127.121.76.21");
        assertThat(LoopbackAddress.of("site-b")).isEqualTo("127.77.117.51");
    }

    @Test
    void addressesAreSpreadOverTheirNet() {
        Set<String> addresses = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String address = LoopbackAddress.of("site-" + i);
            assertThat(LoopbackAddress.isWritten(address)).isTrue();
            assertThat(Integer.parseInt(address.split("\\.")[1])).isBetween(64, 127);
            addresses.add(address);
        }
        assertThat(addresses).as("of a thousand in four million").hasSizeGreaterThan(997);
    }

    @Test
    void reportsAllConfigurationErrorsTogether() {
        assertThatThrownBy(() -> new LoopbackConfig("Group", 0, Map.of("a//", "10.0.0.1", "b", "127.0.0.300")))
                .hasMessageContainingAll("door \"Group\"", "port 0", "relay \"a//\"", "\"10.0.0.1\" of relay a//", "\"127.0.0.300\" of relay b");
        assertThatThrownBy(() -> new LoopbackConfig("group", 1, Map.of("a", "127.1.1.1", "b", "127.1.1.1")))
                .hasMessageContaining("have the same address 127.1.1.1");
    }

    /** Relay b's service answers at b's address; a reaches it at the very same address and port, over the link. */
    @Test
    void aServiceOfAnotherRelayIsReachedAtItsOwnAddressOnceThatIsLinked() throws Exception {
        int port = TestGrid.freePort();
        TestGrid grid = new TestGrid(folder);
        TestRelay b = start(grid.listening("b", 1).forwards(forwards("b", port, Map.of()).door("service", "127.0.0.1:" + serve())));
        String address = LoopbackAddress.of("b");
        assertThatThrownBy(() -> new Socket(address, port)).isInstanceOf(ConnectException.class);
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + b.links.port()).forwards(forwards("a", port, Map.of())));
        await().atMost(PATIENCE).until(() -> state(a, "b/service") == StreamStatus.Forward.State.LISTENING);
        try (Socket socket = new Socket(address, port)) {
            assertThat(socket.getInputStream().read()).isEqualTo(7);
        }
        b.close();
        await().atMost(PATIENCE).until(() -> state(a, "b/service") == StreamStatus.Forward.State.REFUSING);
        assertThatThrownBy(() -> new Socket(address, port)).isInstanceOf(ConnectException.class);
    }

    @Test
    void theSecondOfTwoRelaysWithOneAddressGetsNoPortAndIsNamed() throws Exception {
        TestGrid grid = new TestGrid(folder);
        String twice = LoopbackAddress.of("b");
        TestRelay b = start(grid.listening("b", 1));
        TestRelay c = start(grid.listening("c", 1));
        TestRelay both = start(grid.listening("a", 1)
                .peer("b", "127.0.0.1:" + b.links.port())
                .peer("c", "127.0.0.1:" + c.links.port())
                .forwards(forwards("a", TestGrid.freePort(), Map.of("c", twice))));
        await().atMost(PATIENCE).until(() -> both.isUp("b") && both.isUp("c"));
        StreamStatus.Forward refused = both.call(both.links::streamStatus).forwards().stream()
                .filter(forward -> forward.refused() == 1)
                .findFirst()
                .orElseThrow();
        assertThat(refused.lastReason()).contains("has the loopback address " + twice + " of relay ", "--loopback");
        assertThat(refused.state()).isSameAs(StreamStatus.Forward.State.REFUSING);
    }

    @Tag("long")
    @Test
    void theSecondOfTwoRelaysWithOneAddressGetsItsPortOnceTheFirstIsLetGoOf() throws Exception {
        TestGrid grid = new TestGrid(folder);
        TestRelay a = start(grid.listening("a", 1).forwards(forwards("a", TestGrid.freePort(), Map.of("c", LoopbackAddress.of("b")))));
        String dialled = "127.0.0.1:" + a.links.port();
        TestRelay b = start(grid.config("b", 1).peer("a", dialled));
        await().atMost(PATIENCE).until(() -> state(a, "b/service") == StreamStatus.Forward.State.LISTENING);
        start(grid.config("c", 1).peer("a", dialled));
        await().atMost(PATIENCE).until(() -> state(a, "c/service") == StreamStatus.Forward.State.REFUSING);
        b.close();
        await().atMost(PATIENCE).until(() -> !a.isUp("b"));
        a.call(() -> {
            a.links.letGo(relay -> false, Long.MAX_VALUE);
            return null;
        });
        await().atMost(PATIENCE).until(() -> state(a, "c/service") == StreamStatus.Forward.State.LISTENING);
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config).start();
        relays.add(relay);
        return relay;
    }

    private static ForwardConfig forwards(String relay, int port, Map<String, String> addresses) {
        return ForwardConfig.NONE.loopback(relay, new LoopbackConfig("service", port, addresses));
    }

    private static StreamStatus.Forward.State state(TestRelay relay, String name) throws Exception {
        return relay.call(relay.links::streamStatus).forwards().stream()
                .filter(forward -> forward.name().equals(name))
                .map(StreamStatus.Forward::state)
                .findFirst()
                .orElse(null);
    }

    private int serve() throws IOException {
        ServerSocket listener = new ServerSocket(0, 4, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (listener; Socket socket = listener.accept()) {
                socket.getOutputStream().write(7);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        return listener.getLocalPort();
    }
}
