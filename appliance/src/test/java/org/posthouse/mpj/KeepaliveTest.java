package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import org.posthouse.relay.RelayConfig;

/** What the kernel says of a rank's connection that is silent: soon it asks whether the other end is there, at both ends. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KeepaliveTest {
    /** What runs on a connection in /proc/net/tcp, as "02:000003E8": 2 is to ask; the time left is in hundredths of a second. */
    private static final String ASKS = "02";

    private static final int TICKS_A_SECOND = 100;

    @ParameterizedTest
    @EnumSource(value = RelayConfig.Mode.class, names = {"MULTIPLEXED", "THREADED"})
    void bothEndsAskSoonWhetherTheOtherIsThere(RelayConfig.Mode mode) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 1, Settings.DEFAULT, mode)) {
            int port = Integer.parseInt(world.address().substring(world.address().lastIndexOf(':') + 1));
            world.run(end -> await().untilAsserted(() -> assertThat(timers(port))
                    .as("the rank's and the launcher's, seen from both ends")
                    .hasSize(4)
                    .allSatisfy(timer -> {
                        assertThat(timer).startsWith(ASKS);
                        assertThat(Long.parseLong(timer.substring(ASKS.length() + 1), 16))
                                .isLessThanOrEqualTo((long) Keepalive.IDLE_SECONDS * TICKS_A_SECOND);
                    })));
        }
    }

    /** The timers of the connections from and to this port that are up. */
    private static List<String> timers(int port) throws IOException {
        String suffix = String.format(":%04X", port);
        try (Stream<String> lines = Stream.concat(
                Files.lines(Path.of("/proc/net/tcp")), Files.lines(Path.of("/proc/net/tcp6")))) {
            return lines.map(line -> line.trim().split("\\s+"))
                    .filter(line -> line[3].equals("01") && (line[1].endsWith(suffix) || line[2].endsWith(suffix)))
                    .map(line -> line[5])
                    .toList();
        }
    }
}
