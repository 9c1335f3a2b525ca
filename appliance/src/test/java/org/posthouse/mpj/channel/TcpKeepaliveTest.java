package org.posthouse.mpj.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;

/** What the kernel says of a rank's connection that is silent: soon it asks whether the other end is there, at both ends. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TcpKeepaliveTest {
    /** What runs on a connection in /proc/net/tcp, as "02:000003E8": 2 is to ask; the time left is in hundredths of a second. */
    private static final String ASKS = "02";

    private static final int TICKS_A_SECOND = 100;

    @ParameterizedTest
    @EnumSource(value = RelayConfig.Mode.class, names = {"MULTIPLEXED", "THREADED"})
    void bothEndsAskSoonWhetherTheOtherIsThere(RelayConfig.Mode mode) throws Exception {
        Vertx vertx = EmbeddedGrid.vertx();
        try (MemoryDirectory directory = new MemoryDirectory()) {
            // Without local sockets, which are told of their ends at once.
            Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withMode(ModeConfig.of(mode)), directory);
            vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
            int port = Integer.parseInt(relay.address().substring(relay.address().lastIndexOf(':') + 1));
            try (FrameChannel line = FrameChannel.connect(relay.address())) {
                assertThat(line.remote()).isEqualTo(relay.address());
                await().untilAsserted(() -> assertThat(timers(port))
                        .as("seen from both ends")
                        .hasSize(2)
                        .allSatisfy(timer -> {
                            assertThat(timer).startsWith(ASKS);
                            assertThat(Long.parseLong(timer.substring(ASKS.length() + 1), 16))
                                    .isLessThanOrEqualTo((long) TcpKeepalive.IDLE_SECONDS * TICKS_A_SECOND);
                        }));
            }
        } finally {
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }

    /** The timers of the connections from and to this port of 127.0.0.1 that are up. */
    private static List<String> timers(int port) throws IOException {
        String suffix = String.format("0100007F:%04X", port);
        try (Stream<String> lines = Stream.concat(
                Files.lines(Path.of("/proc/net/tcp")), Files.lines(Path.of("/proc/net/tcp6")))) {
            return lines.map(line -> line.trim().split("\\s+"))
                    .filter(line -> line[3].equals("01") && (line[1].endsWith(suffix) || line[2].endsWith(suffix)))
                    .map(line -> line[5])
                    .toList();
        }
    }
}
