package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.tunnel.TestSites.awaitLast;
import static org.posthouse.tunnel.TestSites.dial;
import static org.posthouse.tunnel.TestSites.until;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A gateway of site a whose own ranks have all the time four windows of messages waiting for site b, over 4 MB/s; and a relay that reaches b through it. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class GatewayBulkTest {
    private static final int FRAME_BYTES = 60 * 1024;
    private static final int WINDOW_BYTES = 1 << 20;

    @TempDir
    private Path folder;

    private final Random random = new Random(5);
    private final ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
    private TestSites sites;
    private TestRelay b;
    private TestRelay gateway;
    private TestRelay a;
    private long fed;

    @BeforeEach
    void open() throws Exception {
        sites = new TestSites(folder);
        b = sites.start(sites.listening("b"));
        gateway = sites.start(dial(sites.listening("a/gw"), b, sites.way(4, 32)).limits(WINDOW_BYTES, 64));
        a = sites.start(dial(sites.listening("a"), gateway, sites.way(0, 0)));
        until(() -> a.isUp("b"));
    }

    @AfterEach
    void close() throws Exception {
        feeder.shutdownNow();
        sites.close();
    }

    @Test
    void gatewayInterleavesTransitTrafficWithItsOwn() throws Exception {
        feeder.scheduleWithFixedDelay(this::feed, 0, 5, TimeUnit.MILLISECONDS);
        until(() -> b.last("a/gw") > 0 && !gateway.call(() -> gateway.links.writable("b")));
        for (int frame = 1; frame <= 20; frame++) {
            a.send("b", Frames.send(frame, new byte[FRAME_BYTES]));
        }
        awaitLast(b, "a", 20);
        assertThat(a.downs).isEmpty();
    }

    private void feed() {
        try {
            gateway.call(() -> {
                while (gateway.statusNow("b").waitingBytes() < 4 * WINDOW_BYTES) {
                    gateway.links.send("b", Frames.send(++fed, FRAME_BYTES, random));
                }
                return null;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
