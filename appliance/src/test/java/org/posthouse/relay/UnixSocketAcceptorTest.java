package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;

/** Who is on the relay's host comes in past the port in every mode, and by the port where that cannot be. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
class UnixSocketAcceptorTest {
    /** Where this process's own lines look for relays, too. */
    private static final LocalSockets SOCKETS = LocalSockets.of(System.getenv()).orElseThrow();

    private final MemoryDirectory directory = new MemoryDirectory();

    private Relay start(Vertx vertx, RelayConfig.Mode mode, LocalSockets sockets) throws Exception {
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0)
                .withMode(ModeConfig.of(mode))
                .withLocal(Optional.of(sockets));
        Relay relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private void stop(Vertx vertx, Relay relay) throws Exception {
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        directory.close();
    }

    private static void greet(FrameChannel line, FrameType[] seen) throws Exception {
        ClientHalf half = new ClientHalf(Hello.launcher(), Token.NONE);
        line.write(half.identify());
        boolean[] proven = new boolean[1];
        while (!proven[0]) {
            line.read();
            line.dispatch((ByteBuffer frame, FrameView view) -> {
                line.write(half.prove(frame));
                proven[0] = true;
            });
        }
        line.write(Hello.launcher().encode());
        while (seen[0] == null) {
            line.read();
            line.dispatch((ByteBuffer frame, FrameView view) -> seen[0] = view.type());
        }
    }

    private static List<String> remotes(Relay relay) {
        return relay.connections().stream().map(connection -> connection.line().remote()).toList();
    }

    private static boolean hasSocket(Relay relay) throws Exception {
        String port = relay.address().substring(relay.address().indexOf(':') + 1);
        try (Stream<Path> sockets = Files.list(SOCKETS.folder())) {
            return sockets.anyMatch(socket -> socket.toString().endsWith("-" + port));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theHostsOwnComeInPastThePort(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = start(vertx, mode, SOCKETS);
        try (FrameChannel line = FrameChannel.connect(relay.address())) {
            FrameType[] seen = new FrameType[1];
            greet(line, seen);
            assertThat(seen[0]).isEqualTo(FrameType.WELCOME);
            assertThat(remotes(relay)).containsExactly("this host");
            assertThat(hasSocket(relay)).isTrue();
        } finally {
            stop(vertx, relay);
        }
        assertThat(hasSocket(relay)).as("left behind").isFalse();
    }

    @Test
    void aRelayTakesAwayTheSocketsOfKilledOnes(Vertx vertx, @TempDir Path folder) throws Exception {
        LocalSockets sockets = new LocalSockets(Path.of("").toAbsolutePath().relativize(folder).resolve("local"));
        Path socket = sockets.prepare(new InetSocketAddress("127.0.0.1", 1));
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket)).close();
        Files.setLastModifiedTime(socket, FileTime.from(Instant.now().minusSeconds(3_600)));
        Relay relay = start(vertx, RelayConfig.Mode.MULTIPLEXED, sockets);
        try {
            await().until(() -> !Files.exists(socket));
        } finally {
            stop(vertx, relay);
        }
    }

    @Test
    void aRelayWhoseSocketCannotBeServesAtItsPort(Vertx vertx) throws Exception {
        LocalSockets tooLong = LocalSockets.of(Map.of(LocalSockets.VARIABLE, SOCKETS.folder().resolve("long".repeat(30)).toString())).orElseThrow();
        Relay relay = start(vertx, RelayConfig.Mode.MULTIPLEXED, tooLong);
        try (FrameChannel line = FrameChannel.connect(relay.address())) {
            FrameType[] seen = new FrameType[1];
            greet(line, seen);
            assertThat(seen[0]).isEqualTo(FrameType.WELCOME);
            assertThat(remotes(relay)).singleElement().asString().startsWith("127.0.0.1:");
        } finally {
            stop(vertx, relay);
        }
    }
}
