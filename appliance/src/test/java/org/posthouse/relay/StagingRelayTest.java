package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.status.RelayMetrics;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A launcher sends files to a relay, and agents fetch them, on real sockets. */
@ExtendWith(VertxExtension.class)
@Timeout(20)
class StagingRelayTest {
    private static final int CHUNK = 64 * 1024;
    private static final byte[] LARGE = random(1, 3 * 1024 * 1024 + 17);
    private static final byte[] SMALL = random(2, 100);

    @TempDir
    private Path folder;

    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    @ParameterizedTest
    @EnumSource
    void anAgentGetsWhatALauncherHasSent(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, mode);
        try (RawPeer launcher = launcher(relay); RawPeer agent = agent(relay, 1); RawPeer other = agent(relay, 2)) {
            assertThat(askHaving(launcher, LARGE)).isZero();
            upload(launcher, LARGE, 0);
            assertThat(fetch(agent, LARGE, 0)).isEqualTo(LARGE);
            assertThat(fetch(other, LARGE, 0)).isEqualTo(LARGE);
            assertThat(askHaving(launcher, LARGE)).as("nothing is missing").isEqualTo(LARGE.length);
            await().untilAsserted(() -> assertThat(relay.view().metrics().staging())
                    .isEqualTo(new RelayMetrics.Staging(LARGE.length, 2L * LARGE.length, LARGE.length)));
        }
    }

    @Test
    void aLauncherGoesOnWhereAnotherConnectionWasCut(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, LARGE);
            launcher.send(data(LARGE, 0, CHUNK));
            assertThat(taken(launcher)).isEqualTo(CHUNK);
        }
        try (RawPeer launcher = launcher(relay)) {
            long missing = askHaving(launcher, LARGE);
            assertThat(missing).isEqualTo(CHUNK);
            upload(launcher, LARGE, (int) missing);
        }
    }

    @Test
    void anAgentGoesOnWhereAnotherConnectionWasCut(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay); RawPeer agent = agent(relay, 1)) {
            askHaving(launcher, LARGE);
            upload(launcher, LARGE, 0);
            assertThat(fetch(agent, LARGE, LARGE.length - 5)).hasSize(5);
        }
    }

    @Test
    void anAgentGetsNoMoreThanItsWindow(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay); RawPeer agent = agent(relay, 1); RawPeer other = agent(relay, 2)) {
            askHaving(launcher, LARGE);
            upload(launcher, LARGE, 0);
            askWanting(agent, LARGE);
            agent.send(new StageTaken(hash(LARGE), 0).encode());
            int got = 0;
            while (got < Wire.STAGE_WINDOW_BYTES) {
                got += StageData.decode(next(agent, FrameType.STAGE_DATA)).bytes().remaining();
            }
            assertThat(got).isEqualTo(Wire.STAGE_WINDOW_BYTES);
            fetch(other, LARGE, 0); // Of the same thread of the relay, behind all that it does for the first.
            assertThat(agent.available()).isZero();
        }
    }

    @Test
    void anAgentLearnsWhatTheRelayLacks(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer agent = agent(relay, 1)) {
            assertThat(askWanting(agent, LARGE)).isZero();
        }
    }

    @Test
    void contentThatDiffersFromItsHashIsRefused(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, SMALL);
            byte[] other = SMALL.clone();
            other[50]++;
            launcher.send(new StageData(hash(SMALL), 0, ByteBuffer.wrap(other)).encode());
            StageAnswer answer = StageAnswer.decode(next(launcher, FrameType.STAGE_ANSWER));
            assertThat(answer.offset()).isEqualTo(StageAnswer.REFUSED);
            assertThat(answer.why()).contains("has arrived with another digest");
            assertThat(askHaving(launcher, SMALL)).as("nothing of it stays").isZero();
        }
    }

    @Test
    void aFileThatIsLargerThanTheCacheIsRefusedBeforeItsFirstByte(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1_000, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay)) {
            launcher.send(new StageAsk(hash(LARGE), LARGE.length, true).encode());
            StageAnswer answer = StageAnswer.decode(next(launcher, FrameType.STAGE_ANSWER));
            assertThat(answer.offset()).isEqualTo(StageAnswer.REFUSED);
            assertThat(answer.why()).contains("is larger than the store in ").endsWith("which takes 1000 bytes (--stage-cache)");
        }
    }

    /** Its agents may need the content until the job ends. */
    @Test
    void contentStaysWhileItsLauncherIsConnected(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 150, RelayConfig.Mode.MULTIPLEXED);
        byte[] second = random(3, 100);
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, SMALL);
            upload(launcher, SMALL, 0);
            try (RawPeer other = launcher(relay)) {
                askHaving(other, second);
                other.send(data(second, 0, second.length));
                assertThat(StageAnswer.decode(next(other, FrameType.STAGE_ANSWER)).why()).contains("jobs use 100 of its 150 bytes (--stage-cache)");
            }
        }
        await().until(() -> relay.connections().isEmpty());
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, second);
            upload(launcher, second, 0);
            assertThat(askHaving(launcher, SMALL)).as("the least recently used has made room").isZero();
        }
    }

    @Test
    void contentOutlivesTheRelayBesideItsLog(Vertx vertx) throws Exception {
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(RelayConfig.logFolder(folder, RelayId.parse("here")));
        Relay relay = deploy(vertx, config);
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, SMALL);
            upload(launcher, SMALL, 0);
        }
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        assertThat(folder.resolve("stage")).isDirectory();
        Relay next = deploy(vertx, config);
        try (RawPeer launcher = launcher(next)) {
            assertThat(askHaving(launcher, SMALL)).isEqualTo(SMALL.length);
        }
    }

    @Test
    void aTemporaryCacheIsRemovedWithItsRelay(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        List<Path> before = temporary();
        try (RawPeer launcher = launcher(relay)) {
            askHaving(launcher, SMALL);
            upload(launcher, SMALL, 0);
        }
        List<Path> made = temporary();
        made.removeAll(before);
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        assertThat(temporary()).doesNotContainAnyElementsOf(made);
    }

    private static List<Path> temporary() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return new ArrayList<>(all.filter(path -> path.getFileName().toString().startsWith("posthouse-relay-stage-")).toList());
        }
    }

    // ---- what breaks the protocol

    @Test
    void bytesOfAFileThatWasNotNamedEndTheConnection(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay)) {
            launcher.send(data(SMALL, 0, SMALL.length));
            assertThat(close(launcher).reason()).isSameAs(CloseReason.NOT_EXPECTED);
        }
    }

    @Test
    void eachSideMayAskForItsOwnPartOnly(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, 1L << 30, RelayConfig.Mode.MULTIPLEXED);
        try (RawPeer launcher = launcher(relay); RawPeer agent = agent(relay, 1)) {
            launcher.send(new StageAsk(hash(SMALL), SMALL.length, false).encode());
            assertThat(close(launcher).text()).contains("of a launcher that wants a file");
            agent.send(new StageAsk(hash(SMALL), SMALL.length, true).encode());
            assertThat(close(agent).text()).contains("of an agent that has a file");
        }
    }

    // ---- what the tests say and hear

    private Relay deploy(Vertx vertx, long stageBytesMax, RelayConfig.Mode mode) throws Exception {
        return deploy(vertx, RelayConfig.loopback(RelayId.parse("here"), 0).withMode(ModeConfig.of(mode)).withStage(stageBytesMax));
    }

    private Relay deploy(Vertx vertx, RelayConfig config) throws Exception {
        Relay relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private static RawPeer launcher(Relay relay) throws IOException {
        RawPeer launcher = RawPeer.connect(relay.address());
        launcher.hello(Hello.launcher());
        next(launcher, FrameType.WELCOME);
        return launcher;
    }

    private static RawPeer agent(Relay relay, long number) throws IOException {
        RawPeer agent = RawPeer.connect(relay.address());
        agent.hello(Hello.agent());
        next(agent, FrameType.WELCOME);
        agent.send(new AgentOffer(number, "n" + number, "h", 4, 4, 2, 0, 8, 1L << 30, 0, false, "1", new TreeMap<>()).encode());
        return agent;
    }

    private static long askHaving(RawPeer launcher, byte[] content) throws IOException, WireException {
        launcher.send(new StageAsk(hash(content), content.length, true).encode());
        return offset(launcher);
    }

    private static long askWanting(RawPeer agent, byte[] content) throws IOException, WireException {
        agent.send(new StageAsk(hash(content), content.length, false).encode());
        return offset(agent);
    }

    private static long offset(RawPeer peer) throws IOException, WireException {
        StageAnswer answer = StageAnswer.decode(next(peer, FrameType.STAGE_ANSWER));
        assertThat(answer.why()).isEmpty();
        return answer.offset();
    }

    private static ByteBuffer data(byte[] content, int from, int length) {
        return new StageData(hash(content), from, ByteBuffer.wrap(content, from, length)).encode();
    }

    private static long taken(RawPeer launcher) throws IOException, WireException {
        return StageTaken.decode(next(launcher, FrameType.STAGE_TAKEN)).offset();
    }

    /** Sends piece by piece. */
    private static void upload(RawPeer launcher, byte[] content, int from) throws IOException, WireException {
        for (int at = from; at < content.length; at += CHUNK) {
            int length = Math.min(CHUNK, content.length - at);
            launcher.send(data(content, at, length));
            assertThat(taken(launcher)).isEqualTo(at + length);
        }
    }

    private static byte[] fetch(RawPeer agent, byte[] content, int from) throws IOException, WireException {
        assertThat(askWanting(agent, content)).isEqualTo(content.length);
        agent.send(new StageTaken(hash(content), from).encode());
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        while (from + got.size() < content.length) {
            StageData data = StageData.decode(next(agent, FrameType.STAGE_DATA));
            assertThat(data.offset()).isEqualTo(from + got.size());
            byte[] bytes = new byte[data.bytes().remaining()];
            data.bytes().get(bytes);
            got.writeBytes(bytes);
            agent.send(new StageTaken(hash(content), from + got.size()).encode());
        }
        return got.toByteArray();
    }

    private static CloseNotice close(RawPeer peer) throws IOException, WireException {
        return CloseNotice.decode(next(peer, FrameType.CLOSE));
    }

    /** The hashes of the contents so far: one of megabytes takes long. */
    private static final Map<byte[], ContentHash> HASHES = new IdentityHashMap<>();

    private static ContentHash hash(byte[] content) {
        return HASHES.computeIfAbsent(content, StagingRelayTest::computed);
    }

    private static ContentHash computed(byte[] content) {
        try {
            return ContentHash.of(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer next(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        FrameType found = new FrameView().wrap(frame, 0).type();
        assertThat(found).as(() -> text(found, frame)).isSameAs(type);
        return frame;
    }

    private static String text(FrameType type, ByteBuffer frame) {
        try {
            return type == FrameType.CLOSE ? CloseNotice.decode(frame).text() : "" + type;
        } catch (WireException e) {
            return e.getMessage();
        }
    }
}
