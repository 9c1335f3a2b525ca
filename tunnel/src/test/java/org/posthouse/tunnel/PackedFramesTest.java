package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Wire;

/** LINK_PACKED frames made by hand: what is taken, and what ends the connection. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class PackedFramesTest {
    private static final long JOB = 7;
    private static final long EPOCH = 10;
    private static final int FRAME_BYTES = Wire.MESSAGE_HEADER_BYTES + 1_000;

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final Random random = new Random(2);
    private TestGrid grid;
    private Path keys;
    private TestRelay relay;
    private long epoch;

    @BeforeEach
    void start() throws Exception {
        grid = new TestGrid(folder);
        keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        relay = start(config -> config);
    }

    private TestRelay start(UnaryOperator<LinkConfig> with) throws Exception {
        return new TestRelay(vertx, with.apply(grid.listening("m", EPOCH))).start();
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        if (relay.failure != null) {
            throw relay.failure;
        }
    }

    @Test
    void framesUnpackedAfterSessionEndAreDropped() throws Exception {
        unpack(InboundFrames::endSession);
        assertThat(relay.last("x")).isZero();
        unpack(going -> {});
        assertThat(relay.last("x")).isEqualTo(2);
    }

    /** Has two frames unpacked over a link that was never up. @param then done before the worker's answer is heard */
    private void unpack(Consumer<InboundFrames> then) throws Exception {
        relay.call(() -> {
            ByteBuffer bytes = packed(0, 0, 2, frames(1, 2));
            ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(bytes.remaining()).writeBytes(bytes);
            InboundFrames reception = linkToX().reception();
            reception.onPacked(frame, 0, frame.readableBytes(), new FrameView().wrap(frame.nioBuffer(), 0));
            frame.release();
            then.accept(reception);
            return null;
        });
        awaitWorker();
    }

    @Test
    void unpackBudgetCountsOnlyWaitingFrames() throws Exception {
        ByteBuf frame = Unpooled.wrappedBuffer(packed(0, 0, 1, frames(1)));
        FrameView header = new FrameView().wrap(frame.nioBuffer(), 0);
        LinkUnpacker unpacker = relay.call(() -> new LinkUnpacker(relay.links, linkToX(), new FairShare(FRAME_BYTES + LinkWindow.FRAME_OVERHEAD_BYTES), "x"));
        for (int i = 0; i < 2; i++) {
            relay.call(() -> {
                unpacker.onPacked(frame, 0, frame.readableBytes(), header);
                assertThatThrownBy(() -> unpacker.onPacked(frame, 0, frame.readableBytes(), header))
                        .hasMessageContaining("1224 bytes of site x wait to be unpacked");
                return null;
            });
            awaitWorker();
        }
    }

    /** One that was never up. */
    private Link linkToX() {
        relay.links.expect("x");
        return relay.links.table().get("x");
    }

    /** Until all that was asked of it is answered. */
    private void awaitWorker() throws Exception {
        CompletableFuture<Void> unpacked = new CompletableFuture<>();
        relay.call(() -> {
            relay.links.packing().measure(ByteBuffer.allocateDirect(1), behind -> unpacked.complete(null));
            return null;
        });
        unpacked.get(60, TimeUnit.SECONDS);
    }

    @Test
    void framesInOneAreHandedOverOnceEachInTheirPlaces() throws Exception {
        try (RawPeer peer = up(relay)) {
            peer.send(packed(2, 0, 2, frames(3, 4)));
            peer.send(packed(0, 0, 2, frames(1, 2)));
            peer.send(packed(1, 0, 4, frames(2, 3, 4, 5)));
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.last("a") == 5);
            assertThat(relay.status("a").framesIn()).isEqualTo(5);
            assertThat(relay.status("a").frameBytesIn()).as("as they are").isEqualTo(5 * FRAME_BYTES);
            assertThat(relay.isReadOver()).as("although nothing more is read").isTrue();
        }
    }

    @Test
    void waitForTheHeadsThatWereWrittenBeforeThem() throws Exception {
        try (RawPeer peer = up(relay)) {
            peer.send(packed(0, 1, 2, frames(2, 3)));
            peer.send(ByteBuffer.wrap(frames(1)));
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.last("a") == 3);
        }
    }

    @Test
    void refusesPackedFrameLongerThanDeclared() throws Exception {
        byte[] bomb = Zstd.compress(new byte[100_000_000]);
        assertRefused(peer -> peer.send(packed(0, 0, 1, Wire.PACKED_BYTES_MAX, bomb)), "cannot be unpacked");
        assertRefused(peer -> peer.send(packed(0, 0, 2, 2 * FRAME_BYTES - 1, Zstd.compress(frames(1, 2)))), "cannot be unpacked");
    }

    @Test
    void aLengthBeyondTheLimitIsRefusedBeforeAnythingIsUnpacked() throws Exception {
        byte[] more = new byte[Wire.PACKED_BYTES_MAX + 1];
        assertRefused(peer -> peer.send(packed(0, 0, 1, more)), "together 65601 bytes, expected at most 65600");
        assertRefused(peer -> peer.send(packed(0, 0, 1, -1, new byte[10])), "together -1 bytes");
        assertRefused(peer -> peer.send(packed(0, 0, 0, frames(1))), "of 0 frames");
        assertRefused(peer -> peer.send(packed(0, 0, 1_000, frames(1))), "of 1000 frames");
        assertRefused(peer -> peer.send(packed(-1, 0, 1, frames(1))), "from -1");
        assertRefused(peer -> peer.send(packed(0, -1, 1, frames(1))), "after -1");
    }

    @Test
    void shortOrGarbagePackedFrameClosesConnection() throws Exception {
        assertRefused(peer -> peer.send(packed(0, 0, 2, 2 * FRAME_BYTES + 1, Zstd.compress(frames(1, 2)))), "LINK_PACKED has 2128 bytes, it says 2129");
        byte[] noise = new byte[500];
        random.nextBytes(noise);
        assertRefused(peer -> peer.send(packed(0, 0, 1, 1_000, noise)), "cannot be unpacked");
        byte[] broken = Zstd.compress(frames(1, 2));
        assertRefused(peer -> peer.send(packed(0, 0, 2, 2 * FRAME_BYTES, Arrays.copyOf(broken, broken.length - 5))), "cannot be unpacked");
    }

    @Test
    void refusesPackedContentOfWrongCountJobOrType() throws Exception {
        assertRefused(peer -> peer.send(packed(0, 0, 3, frames(1, 2))), "frame 2");
        assertRefused(peer -> peer.send(packed(0, 0, 1, frames(1, 2))), "its frames are 1064");
        assertRefused(peer -> peer.send(packed(0, 0, 1, Arrays.copyOf(frames(1), FRAME_BYTES - 1))), "frame 0");
        ByteBuffer other = ByteBuffer.wrap(frames(1));
        other.putLong(8, JOB + 1);
        assertRefused(peer -> peer.send(packed(0, 0, 1, other.array())), "frame 0");
        byte[] nested = packed(0, 0, 1, frames(1)).array();
        assertRefused(peer -> peer.send(packed(0, 0, 1, nested)), "frame 0");
    }

    @Test
    void relayWithCompressionNeverRefusesPackedFrames() throws Exception {
        relay.close();
        relay = start(config -> config.compression(Compression.NEVER));
        try (RawPeer peer = up(relay)) {
            peer.send(packed(0, 0, 1, frames(1)));
            assertClosed(peer, CloseReason.NOT_EXPECTED, "unpacks nothing");
        }
    }

    @Tag("long")
    @Test
    void helloAnnouncesWhetherRelayUnpacks() throws Exception {
        try (RawPeer peer = RawPeer.dial(relay.links.port(), keys)) {
            assertThat(peer.hello("a", "m", ++epoch, 0, 0).awaitHello().unpacks()).isTrue();
        }
        relay.close();
        relay = start(config -> config.compression(Compression.NEVER));
        try (RawPeer peer = RawPeer.dial(relay.links.port(), keys)) {
            assertThat(peer.hello("a", "m", ++epoch, 0, 0).awaitHello().unpacks()).isFalse();
        }
    }

    @Test
    void packsOnlyForPeersThatAnnounceUnpacking() throws Exception {
        relay.close();
        relay = start(config -> config.compression(Compression.ALWAYS));
        try (RawPeer peer = up(relay)) {
            relay.send("a", Frames.send(1, new byte[50_000]));
            assertThat(peer.await(FrameType.SEND).capacity()).isEqualTo(50_000 + Wire.MESSAGE_HEADER_BYTES);
        }
        try (RawPeer peer = RawPeer.dial(relay.links.port(), keys)) {
            peer.send(new LinkHello("a", "a", "m", ++epoch, EPOCH, 0, 1, 0, 0, true, false).encode()).awaitHello();
            relay.send("a", Frames.send(1, new byte[50_000]));
            assertThat(peer.await(FrameType.LINK_PACKED).capacity()).isLessThan(1_000);
        }
    }

    private interface Talk {
        void with(RawPeer peer) throws Exception;
    }

    private void assertRefused(Talk talk, String detail) throws Exception {
        try (RawPeer peer = up(relay)) {
            talk.with(peer);
            assertClosed(peer, CloseReason.MALFORMED_FRAME, detail);
        }
    }

    private static void assertClosed(RawPeer peer, CloseReason closeReason, String detail) throws Exception {
        CloseNotice why = peer.awaitClose();
        assertThat(why.reason()).isEqualTo(closeReason);
        assertThat(why.text()).contains(detail);
    }

    /** Each time as a relay that was started again: its frames count from 0. */
    private RawPeer up(TestRelay with) throws Exception {
        RawPeer peer = RawPeer.dial(with.links.port(), keys);
        peer.hello("a", "m", ++epoch, 0, 0).awaitHello();
        return peer;
    }

    private byte[] frames(long... numbers) {
        ByteBuffer all = ByteBuffer.allocate(numbers.length * FRAME_BYTES);
        for (long number : numbers) {
            ByteBuf frame = Frames.send(number, FRAME_BYTES - Wire.MESSAGE_HEADER_BYTES, random);
            frame.readBytes(all.slice(all.position(), FRAME_BYTES));
            all.position(all.position() + FRAME_BYTES);
            frame.release();
        }
        return all.array();
    }

    private static ByteBuffer packed(long number, long after, int count, byte[] frames) {
        return packed(number, after, count, frames.length, Zstd.compress(frames));
    }

    private static ByteBuffer packed(long number, long after, int count, int bytes, byte[] content) {
        int length = Wire.PACKED_HEADER_BYTES + content.length;
        ByteBuffer frame = ByteBuffer.allocate(length);
        new FrameView()
                .wrap(frame, 0)
                .begin(FrameType.LINK_PACKED, Wire.PACKED_HEADER_BYTES, JOB)
                .length(length)
                .linkWord(0, number)
                .linkWord(1, after)
                .packed(bytes, count);
        return frame.put(Wire.PACKED_HEADER_BYTES, content);
    }
}
