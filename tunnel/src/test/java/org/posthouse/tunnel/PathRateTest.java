package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.Wire;

/**
 * The arithmetic of tokens (Grid Gateway, 3.2) on a path: a node, its gateway, an emulated network, and a relay of another site. A busy machine carries less,
 * so that the way is long, and a rate is awaited which more tokens allow and fewer do not. Prints what docs/links.md tells.
 */
@Timeout(600)
class PathRateTest {
    private static final int ROUND_TRIP_MS = 200;
    private static final int MBIT = 320;
    private static final long WAITING_BYTES = 16_000_000;
    private static final int TIMES = 50;

    @TempDir
    private Path folder;

    private int worlds;

    @Tag("long")
    @Test
    void laneRateThroughGatewayFollowsItsTokens() throws Exception {
        double bound = 4 * Wire.PAYLOAD_BYTES_MAX / (ROUND_TRIP_MS / 1e3);
        double few = rate(new StreamConfig(16, 4, 4), true, ROUND_TRIP_MS / 2, MBIT, Duration.ofSeconds(2), 0);
        double lent = rate(StreamConfig.DEFAULT, true, ROUND_TRIP_MS / 2, MBIT, Duration.ofSeconds(1), 1.2 * bound);
        assertThat(few).as("4 tokens carry 4 pieces a round trip, %s a second", bound).isLessThan(1.15 * bound);
        assertThat(lent).as("with what is to spare").isGreaterThan(1.2 * bound);
    }

    /** Bytes a second of frames of 64 KiB, through a gateway or straight, in the first of many times that carries {@code enough}, or in the last. */
    private double rate(StreamConfig streams, boolean gateway, double oneWayMs, int mbit, Duration time, double enough) throws Exception {
        ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
        ForwardConfig forwards = ForwardConfig.NONE.streams(streams);
        try (TestSites sites = new TestSites(folder.resolve("world-" + worlds++))) {
            TestRelay b = sites.start(sites.listening("b").forwards(forwards));
            WanWay way = sites.way(oneWayMs, mbit);
            TestRelay gw = gateway ? sites.start(TestSites.dial(sites.listening("a/gw"), b, way).forwards(forwards)) : b;
            LinkConfig config = sites.dialling("a").forwards(forwards).lanes(1);
            TestRelay a = sites.start(TestSites.dial(config, gw, gateway ? sites.way(0, 0) : way));
            TestSites.awaitPaths(a, "b", gateway ? "via a/gw" : "direct");
            byte[] payload = new byte[Wire.PAYLOAD_BYTES_MAX - 64];
            new Random(1).nextBytes(payload);
            long[] fed = new long[1];
            feeder.scheduleWithFixedDelay(() -> feed(a, payload, fed), 0, 2, TimeUnit.MILLISECONDS);
            TestSites.until(() -> b.status("a").frameBytesIn() > 16L * Wire.PAYLOAD_BYTES_MAX);
            await().pollDelay(time).until(() -> true);
            double rate = rate(b, time);
            for (int more = 0; more < TIMES && rate < enough; more++) {
                rate = rate(b, time);
            }
            System.out.printf(
                    "%s, %s, round trip %.0f ms, %d Mbit/s: %.1f MB/s; node to gateway %.2f ms, gateway to gateway %.2f ms, whole %.2f ms; "
                            + "tokens: the gateway's %d, site b's %d%n",
                    streams, gateway ? "through a gateway" : "straight", 2 * oneWayMs, mbit, rate / 1e6,
                    a.status(TestSites.id(gw)).roundTripMicros() / 1e3, gw == b ? 0 : gw.status("b").roundTripMicros() / 1e3,
                    a.status("b").roundTripMicros() / 1e3, TestSites.streams(gw).buffersUsed(), TestSites.streams(b).buffersUsed());
            feeder.shutdownNow();
            assertThat(feeder.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            return rate;
        }
    }

    private static double rate(TestRelay b, Duration time) throws Exception {
        long before = b.status("a").frameBytesIn();
        long begin = System.nanoTime();
        await().pollDelay(time).until(() -> true);
        return (b.status("a").frameBytesIn() - before) / ((System.nanoTime() - begin) / 1e9);
    }

    private static void feed(TestRelay a, byte[] payload, long[] fed) {
        try {
            a.call(() -> {
                while (a.statusNow("b").waitingBytes() < WAITING_BYTES) {
                    a.links.send("b", Frames.send(++fed[0], payload));
                }
                return null;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** What docs/links.md tells; not part of the build: {@code -Dposthouse.stream.rates=true}. */
    @Test
    @EnabledIfSystemProperty(named = "posthouse.stream.rates", matches = "true")
    void measuresForTheDocument() throws Exception {
        for (StreamConfig streams : new StreamConfig[] {
            new StreamConfig(32, 4, 8), new StreamConfig(128, 4, 32), new StreamConfig(512, 4, 128), StreamConfig.DEFAULT
        }) {
            assertThat(rate(streams, true, 50, 400, Duration.ofSeconds(5), 0)).isPositive();
        }
        assertThat(rate(StreamConfig.DEFAULT, false, 50, 400, Duration.ofSeconds(5), 0)).isPositive();
        assertThat(rate(StreamConfig.DEFAULT, true, 0, 0, Duration.ofSeconds(4), 0)).isPositive();
        assertThat(rate(StreamConfig.DEFAULT, false, 0, 0, Duration.ofSeconds(4), 0)).isPositive();
    }

    /** The same of gateways of one site, of unlike speed. */
    @Test
    @EnabledIfSystemProperty(named = "posthouse.stream.rates", matches = "true")
    void measuresGatewaysForTheDocument() throws Exception {
        for (double[] megabits : new double[][] {{80}, {80, 80}, {80, 40}, {80, 8}, {80, 8, 8}}) {
            assertThat(rateOf(megabits)).isPositive();
        }
    }

    private double rateOf(double... megabits) throws Exception {
        ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
        try (TestSites sites = new TestSites(folder.resolve("world-" + worlds++))) {
            TestRelay b = sites.start(sites.listening("b"));
            LinkConfig node = sites.listening("a");
            for (int gateway = 0; gateway < megabits.length; gateway++) {
                TestRelay started = sites.start(TestSites.dial(sites.listening("a/gw" + gateway), b, sites.way(4, megabits[gateway])));
                node = TestSites.dial(node, started, sites.way(0, 0));
            }
            TestRelay a = sites.start(node);
            TestSites.until(() -> a.isUp("b") && a.status("b").paths().size() == megabits.length);
            byte[] payload = new byte[Wire.PAYLOAD_BYTES_MAX - 64];
            new Random(1).nextBytes(payload);
            long[] fed = new long[1];
            feeder.scheduleWithFixedDelay(() -> feed(a, payload, fed), 0, 2, TimeUnit.MILLISECONDS);
            rate(b, Duration.ofSeconds(5));
            double rate = rate(b, Duration.ofSeconds(8));
            System.out.printf("gateways of %s Mbit/s: %.1f MB/s%n", Arrays.toString(megabits), rate / 1e6);
            feeder.shutdownNow();
            assertThat(feeder.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            return rate;
        }
    }
}
