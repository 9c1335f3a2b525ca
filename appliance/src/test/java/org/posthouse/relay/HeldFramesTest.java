package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.Strand;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** While a shard is busy, what a connection may pile up for it is bounded; then all of it is handled, in order (P6). */
@ExtendWith(VertxExtension.class)
@Timeout(120)
class HeldFramesTest {
    private static final long JOB = 42;
    private static final Token TOKEN = new Token(1, 2);
    private static final int PROBE_BYTES = 48;

    /** Far more than a connection may hold; their answers all fit on the way to a rank that does not read. */
    private static final int PROBES = 30_000;

    private static final int HELD_MIN = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private long framesBefore;

    @ParameterizedTest
    @EnumSource(value = RelayConfig.Mode.class, names = {"POOLED", "PIPELINE", "THREADED"})
    void aConnectionIsNotReadWhileManyOfItsFramesWait(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withMode(ModeConfig.of(mode)), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        CountDownLatch go = new CountDownLatch(1);
        try (RawPeer launcher = RawPeer.connect(relay.address());
                RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, relay);
            rank.hello(Hello.firstStart(JOB, 0), TOKEN);
            rank.readFrame();
            CountDownLatch inside = new CountDownLatch(1);
            Thread busy = Thread.ofPlatform().start(() -> occupy(relay.shards().of(JOB, 0).strand(), inside, go));
            inside.await();
            Thread sender = Thread.ofPlatform().start(() -> probes(rank));
            await().atMost(PATIENCE).until(() -> framesIn(relay) >= HELD_MIN);
            await().atMost(PATIENCE).during(Duration.ofMillis(500)).until(() -> unchanged(framesIn(relay)));
            assertThat(framesBefore).as("frames read while the shard was busy").isLessThan(12_000);
            go.countDown();
            for (int i = 0; i < PROBES; i++) {
                assertThat(new FrameView().wrap(rank.readFrame(), 0).request()).as("answers in order").isEqualTo(i);
            }
            sender.join();
            busy.join();
        } finally {
            go.countDown();
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    /** Else its write would break, and it would not come to read why. 16 MiB are more than the sockets take. */
    @ParameterizedTest
    @EnumSource(value = RelayConfig.Mode.class, names = {"MULTIPLEXED", "THREADED"})
    void readsOnAfterConnectionEndInTheMiddleOfFrame(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withMode(ModeConfig.of(mode)), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address());
                RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, relay);
            rank.hello(Hello.firstStart(JOB, 0), TOKEN);
            rank.readFrame();
            ByteBuffer begun = ByteBuffer.allocate(PROBE_BYTES + 20_000);
            new FrameView().wrap(begun, 0).begin(FrameType.PROBE, PROBE_BYTES, JOB).post(1, 0);
            new FrameView().wrap(begun, PROBE_BYTES).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, JOB).length(60_000).address(0, 0, 0, 5).content(59_936,
                    59_936, 1);
            rank.send(begun);
            until(FrameType.PROBE_ANSWER, rank);
            launcher.close();
            until(FrameType.ABORT, rank);
            for (int pieces = 0; pieces < 256; pieces++) {
                rank.send(ByteBuffer.allocate(64 * 1024));
            }
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    private static void until(FrameType type, RawPeer rank) throws IOException {
        FrameType next;
        do {
            next = new FrameView().wrap(rank.readFrame(), 0).type();
            assertThat(next).isNotEqualTo(FrameType.CLOSE);
        } while (next != type);
    }

    private boolean unchanged(long frames) {
        boolean same = frames == framesBefore;
        framesBefore = frames;
        return same;
    }

    private static long framesIn(Relay relay) {
        return relay.connections().stream().mapToLong(Connection::framesIn).max().orElse(0);
    }

    /** Is inside until it may go. Handing it in instead might have the connection's own loop do it, which then reads nothing. */
    private static void occupy(Strand strand, CountDownLatch inside, CountDownLatch go) {
        while (!strand.tryEnter()) {
            Thread.onSpinWait();
        }
        try {
            inside.countDown();
            awaitQuietly(go);
        } finally {
            strand.leave();
        }
    }

    private static void awaitQuietly(CountDownLatch go) {
        try {
            assertThat(go.await(50, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void probes(RawPeer rank) {
        try {
            for (int request = 0; request < PROBES; request++) {
                ByteBuffer probe = ByteBuffer.allocate(PROBE_BYTES);
                new FrameView().wrap(probe, 0).begin(FrameType.PROBE, PROBE_BYTES, JOB).post(request, 0);
                rank.send(probe);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void open(RawPeer launcher, Relay relay) throws IOException {
        launcher.hello(Hello.launcher());
        launcher.readFrame();
        List<HomeRelay> homes = List.of(new HomeRelay("here", "here", relay.address()));
        launcher.send(new JobOpen(JOB, TOKEN, false, "test", homes, new int[1]).encode());
        launcher.readFrame();
    }
}
