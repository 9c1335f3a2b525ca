package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.relay.RawPeer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** Many who say nothing, slowly, or nonsense: a relay process lets go of them, and runs the next job. */
@Timeout(900)
class AbuseTest {
    private static final int SILENT = Boolean.getBoolean("posthouse.long") ? 10_000 : 2_500;

    /** Its ports, thousands of them, are not those that other tests get from the system. */
    private static final InetSocketAddress OWN_ADDRESS = new InetSocketAddress("127.0.0.2", 0);

    private static final int SEEDS = Boolean.getBoolean("posthouse.long") ? 60 : 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern TOGETHER = Pattern.compile("closed (\\d+) more in");

    /** Two reasons, three lines each and one for the rest, in every ten seconds of a minute. */
    private static final int LINES_MAX = 7 * 6;

    @TempDir
    private Path folder;

    private Relays relay(String mode) throws IOException {
        return Relays.start(folder, "site-a", "--mode", mode);
    }

    /** The oldest make room for those that come, and the last wait for their time-out; the relay holds none of them. */
    @Tag("long")
    @Test
    void relaySurvivesThousandsOfSilentConnections() throws Exception {
        silentConnections("multiplexed");
    }

    @Test
    @Tag("long")
    void threadedRelaySurvivesThousandsOfSilentConnections() throws Exception {
        silentConnections("threaded");
    }

    private void silentConnections(String mode) throws Exception {
        try (Relays relay = relay(mode)) {
            InetSocketAddress address = new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(relay.ranks().replaceFirst(".*:", "")));
            List<SocketChannel> silent = new ArrayList<>();
            List<CloseReason> told = new ArrayList<>();
            try {
                for (int i = 0; i < SILENT; i++) {
                    SocketChannel connection = SocketChannel.open();
                    silent.add(connection);
                    connection.bind(OWN_ADDRESS).connect(address);
                }
                for (SocketChannel connection : silent) {
                    reason(connection).ifPresent(told::add);
                }
            } finally {
                for (SocketChannel connection : silent) {
                    connection.close();
                }
            }
            assertThat(told).hasSizeBetween(1, SILENT - 1).containsOnly(CloseReason.TIMEOUT);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(relay.meter("posthouse_refusals_total{reason=\"timeout\"")).isEqualTo(SILENT));
            Jobs.assertRunsARing(relay);
            Command.Result stopped = relay.stop();
            assertThat(stopped.err()).doesNotContain("Exception");
            assertThat(stopped.err().lines().filter(line -> line.contains("closed"))).hasSizeBetween(2, LINES_MAX);
            assertThat(toldOf(stopped.err())).as("every one is told of:\n" + stopped.err()).isEqualTo(SILENT);
        }
    }

    /** How many refusals the log tells of, by a line each or together. */
    private static int toldOf(String log) {
        int single = (int) log.lines().filter(line -> line.contains("closed a connection from")).count();
        return single + TOGETHER.matcher(log).results().mapToInt(line -> Integer.parseInt(line.group(1))).sum();
    }

    /** Why the relay closes this connection; empty if it makes room. */
    private static Optional<CloseReason> reason(SocketChannel connection) throws WireException {
        try {
            InputStream in = connection.socket().getInputStream();
            byte[] length = in.readNBytes(Integer.BYTES);
            if (length.length == 0) {
                return Optional.empty();
            }
            ByteBuffer frame = ByteBuffer.allocate(ByteBuffer.wrap(length).getInt());
            frame.put(length).put(in.readNBytes(frame.remaining())).flip();
            return Optional.of(CloseNotice.decode(frame).reason());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "pipeline")
    void aLengthOfTwoGibibytesAndOneThatDrips(String mode) throws Exception {
        try (Relays relay = relay(mode)) {
            try (RawPeer peer = RawPeer.connect(relay.ranks())) {
                peer.send(ByteBuffer.allocate(16).putInt(Integer.MAX_VALUE).put((byte) 3).position(0));
                assertThat(CloseNotice.decode(peer.readFrame()).reason()).isEqualTo(CloseReason.FRAME_TOO_LONG);
            }
            ByteBuffer hello = new Identify(Hello.LAUNCHER, 0, 0, Nonce.random()).encode();
            long begun = System.nanoTime();
            try (RawPeer peer = RawPeer.connect(relay.ranks())) {
                for (int at = 0; at < 8; at++) {
                    peer.send(hello.duplicate().position(at).limit(at + 1));
                    Thread.sleep(1_000);
                }
                assertThat(CloseNotice.decode(peer.readFrame()).reason()).isEqualTo(CloseReason.TIMEOUT);
            } catch (IOException e) {
                assertThat(System.nanoTime() - begun).as("cut while it still dripped").isGreaterThan(4_000_000_000L);
            }
            Jobs.assertRunsARing(relay);
        }
    }

    /** Frames with a good header and random words behind it, from a rank that was welcomed: its connection ends, no other. */
    @ParameterizedTest
    @ValueSource(strings = "multiplexed")
    void randomFramesOfAWelcomeRank(String mode) throws Exception {
        randomFrames(mode);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"threaded", "pooled", "pipeline"})
    void randomFramesOfAWelcomeRankInTheOtherModes(String mode) throws Exception {
        randomFrames(mode);
    }

    private void randomFrames(String mode) throws Exception {
        try (Relays relay = relay(mode)) {
            for (int seed = 1; seed <= SEEDS; seed++) {
                Token token = Token.random();
                try (RawPeer launcher = RawPeer.launcher(relay.ranks(), seed, token);
                        RawPeer rank = RawPeer.connect(relay.ranks())) {
                    rank.hello(Hello.firstStart(seed, 0), token);
                    assertThat(type(rank.readFrame())).isEqualTo(FrameType.WELCOME);
                    talkNonsense(rank, new Random(seed), seed);
                }
            }
            Jobs.assertRunsARing(relay);
            assertThat(relay.command().err()).doesNotContain("cannot be handled");
        }
    }

    private static FrameType type(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0).type();
    }

    private static void talkNonsense(RawPeer rank, Random random, long job) {
        try {
            for (int i = 0; i < 200; i++) {
                FrameType type = FrameType.values()[random.nextInt(FrameType.values().length)];
                int bytes = type.bytesMin() + random.nextInt(Math.min(100, type.bytesMax() - type.bytesMin() + 1));
                ByteBuffer frame = ByteBuffer.allocate((bytes + 7) / 8 * 8);
                new FrameView().wrap(frame, 0).begin(type, frame.capacity(), random.nextInt(8) == 0 ? 5 : job).length(bytes);
                for (int at = 16; at + Integer.BYTES <= bytes; at += Integer.BYTES) {
                    frame.putInt(at, random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(4) - 1);
                }
                frame.limit(bytes);
                rank.send(frame);
            }
        } catch (IOException e) {
            // The relay has cut the connection, as it should: what counts is that it lives.
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
    }
}
