package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** A short message sent behind large ones, over a link of 20 MB/s and 4 ms of round trip. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class SmallFirstTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Each of two large messages; together 1.2 s of the link. */
    private static final int CHUNKS = 192;

    @TempDir
    private Path folder;

    /** What came, in order: the sequence numbers of messages, one for each frame. */
    private final List<Long> came = new CopyOnWriteArrayList<>();

    @Test
    void aShortMessageOvertakesTheLargeOnesThatWait() throws Exception {
        assertOvertakes(Compression.AUTO);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(value = Compression.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void soItDoesWhereAllIsPackedOrNothing(Compression compression) throws Exception {
        assertOvertakes(compression);
    }

    private void assertOvertakes(Compression compression) throws Exception {
        Vertx vertx = Vertx.vertx();
        ContextInternal loop = ((VertxInternal) vertx).createEventLoopContext();
        TestGrid grid = new TestGrid(folder);
        Links receiver = new Links(((VertxInternal) vertx).createEventLoopContext(), grid.listening("b", 1), new Receiver());
        try (WanEmulator network = WanEmulator.start(new Random(1))) {
            receiver.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            WanWay way = network.way(WanShape.of(2, 160));
            Links sender = new Links(
                    loop, grid.config("a", 1).peer("b", "127.0.0.1:" + way.lead(receiver.port())).compression(compression), new Receiver());
            sender.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            loop.nettyEventLoop().submit(() -> sendAll(sender)).get(60, TimeUnit.SECONDS);
            await().atMost(PATIENCE).until(() -> came.size() == 2 * CHUNKS + 3);
            assertThat(came.indexOf(3L)).as("chunks before the short message: what the sockets held").isLessThan(CHUNKS);
            assertThat(came.lastIndexOf(1L)).as("the last chunks of two messages that took turns").isGreaterThanOrEqualTo(2 * CHUNKS);
            assertThat(came.lastIndexOf(2L)).isGreaterThanOrEqualTo(2 * CHUNKS);
            sender.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } finally {
            receiver.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    /** Two large messages of two ranks, one behind the other, and a short one behind both. */
    private static void sendAll(Links links) {
        for (long message = 1; message <= 2; message++) {
            links.send("b", frame(FrameType.EAGER, message, 0));
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                links.send("b", frame(FrameType.CHUNK, message, Wire.PAYLOAD_BYTES_MAX));
            }
        }
        links.send("b", frame(FrameType.SEND, 3, 100));
    }

    private static ByteBuf frame(FrameType type, long sequence, int payloadBytes) {
        int header = type == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        ByteBuffer frame = ByteBuffer.allocate(header + payloadBytes);
        new FrameView().wrap(frame, 0).begin(type, header, 7).length(header + payloadBytes).address(0, (int) sequence, 2, 0).sequence(sequence);
        return Unpooled.wrappedBuffer(frame);
    }

    private final class Receiver implements Links.Listener {
        @Override
        public boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view) {
            came.add(view.sequence());
            return true;
        }
    }
}
