package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.status.LinkStatus;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.Wire;

/** Links that pack their bulk, over an emulated network: how much less they carry, when they stop, and that nothing else changes. */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class PackedLinkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final Duration POLL = Duration.ofMillis(2);

    /** What waits at the sender at most, so that its loop does other things too. */
    private static final long WAITING_BYTES = 4_000_000;

    @TempDir
    private Path folder;

    private final Random random = new Random(5);
    private TestSites sites;
    private TestRelay a;
    private TestRelay b;
    private WanWay way;
    private long sent;

    @BeforeEach
    void open() throws Exception {
        sites = new TestSites(folder);
    }

    @AfterEach
    void close() throws Exception {
        sites.close();
    }

    @Test
    void slowLinkCarriesCompressedData() throws Exception {
        link(WanShape.of(3, 20), Compression.AUTO, 1);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            send(10, Content.QUARTER);
            return packing().on();
        });
        awaitAll();
        LinkStatus.Packing before = packing();
        long wireBefore = way.bytesThere();
        send(160, Content.QUARTER);
        awaitAll();
        LinkStatus.Packing after = packing();
        double ratio = (double) (after.bytesAfter() - before.bytesAfter()) / (after.bytesBefore() - before.bytesBefore());
        assertThat(ratio).as("of what is sent remains").isBetween(0.2, 0.35);
        assertThat((way.bytesThere() - wireBefore) / 160.0 / 65_600).as("of it is on the wire").isBetween(0.2, 0.4);
        assertThat(after.samples()).isPositive();
    }

    @Test
    void incompressibleTrafficTurnsPackingOff() throws Exception {
        link(WanShape.of(3, 80), Compression.AUTO, 1);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            send(10, Content.QUARTER);
            return packing().on();
        });
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            send(10, Content.NOISE);
            return !packing().on();
        });
        awaitAll();
        long packedBytes = packing().bytesBefore();
        send(20, Content.NOISE);
        awaitAll();
        assertThat(packing().bytesBefore()).as("what was packed until it was off").isEqualTo(packedBytes);
    }

    @Tag("long")
    @Test
    void noiseIsNeverPacked() throws Exception {
        link(WanShape.of(3, 80), Compression.AUTO, 1);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            send(10, Content.NOISE);
            return packing().samples() >= 3;
        });
        awaitAll();
        assertThat(packing().on()).isFalse();
        assertThat(packing().bytesBefore()).isZero();
    }

    @Test
    void compressionNeverAtOneEndDisablesPackingAtBoth() throws Exception {
        b = sites.start(sites.listening("b").compression(Compression.NEVER));
        way = sites.way(WanShape.NONE);
        a = sites.start(TestSites.dial(sites.dialling("a"), b, way).compression(Compression.ALWAYS));
        TestSites.awaitUp(a, b);
        send(50, Content.QUARTER);
        awaitAll();
        assertThat(packing()).isEqualTo(new LinkStatus.Packing(false, 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void losesRepeatsAndReordersNothingOverManyCuts(int lanes) throws Exception {
        link(WanShape.of(1, 400), Compression.ALWAYS, lanes);
        way.cutAfter(() -> 50_000 + random.nextInt(400_000));
        way.cut();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            send(1 + random.nextInt(30), random.nextInt(4) == 0 ? Content.NOISE : Content.QUARTER);
            return way.cuts() >= (Boolean.getBoolean("posthouse.long") ? 60 : 15);
        });
        way.cutAfter(() -> Long.MAX_VALUE);
        way.cut();
        awaitAll();
        assertThat(packing().bytesAfter()).as("what went packed").isPositive().isLessThan(packing().bytesBefore() / 2);
    }

    private enum Content {
        NOISE,
        QUARTER
    }

    /** From "a", which packs as told, to "b". */
    private void link(WanShape shape, Compression compression, int lanes) throws Exception {
        b = sites.start(sites.listening("b"));
        way = sites.way(shape);
        a = sites.start(TestSites.dial(sites.dialling("a"), b, way).lanes(lanes).compression(compression));
        TestSites.awaitUp(a, b);
    }

    private LinkStatus.Packing packing() throws Exception {
        return a.status("b").packing();
    }

    private void send(int frames, Content content) throws Exception {
        for (int i = 0; i < frames; i++) {
            if (a.status("b").waitingBytes() > WAITING_BYTES) {
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.status("b").waitingBytes() < WAITING_BYTES / 2);
            }
            byte[] payload = new byte[Wire.PAYLOAD_BYTES_MAX - (random.nextInt(5) == 0 ? random.nextInt(60_000) : 0)];
            random.nextBytes(payload);
            if (content == Content.QUARTER) {
                Arrays.fill(payload, payload.length / 4, payload.length, (byte) 7);
            }
            a.send("b", Frames.send(++sent, payload));
        }
    }

    /** TestRelay insists on order and content. */
    private void awaitAll() {
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> b.last("a") == sent);
    }
}
