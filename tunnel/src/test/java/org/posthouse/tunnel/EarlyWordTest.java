package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** When the other end hears of chunks of which one follows the other. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class EarlyWordTest {
    private static final int BULK_CAME = 2;

    @TempDir
    private Path folder;

    /** The relay's loop reads both chunks at once: it is held up until they are there. */
    private final CountDownLatch allSent = new CountDownLatch(1);

    private final CountDownLatch heard = new CountDownLatch(1);
    private final AtomicBoolean heardInTime = new AtomicBoolean();

    @Test
    void theOtherEndHearsOfAChunkWhileTheOneBehindItIsHandled() throws Exception {
        TestGrid grid = new TestGrid(folder);
        Path keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        Vertx vertx = Vertx.vertx();
        Links links = new Links(((VertxInternal) vertx).createEventLoopContext(), grid.listening("m", 1), new SlowWithTheSecondChunk());
        links.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        try (RawPeer peer = RawPeer.dial(links.port(), keys)) {
            peer.hello("a", "m", 1, 0, 0).awaitHello();
            peer.send(head());
            for (int number = 0; number < 2; number++) {
                peer.send(run(number)).send(chunk(number));
            }
            allSent.countDown();
            FrameView word = new FrameView().wrap(peer.await(FrameType.LINK_ACK), 0);
            while (word.linkWord(BULK_CAME) == 0) {
                word.wrap(peer.await(FrameType.LINK_ACK), 0);
            }
            heard.countDown();
            assertThat(word.linkWord(BULK_CAME)).isOne();
            while (word.linkWord(BULK_CAME) == 1) {
                word.wrap(peer.await(FrameType.LINK_ACK), 0);
            }
            assertThat(heardInTime).isTrue();
        } finally {
            links.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void framesThatAreShortAreToldOfTogether() throws WireException {
        LinkArrivals arrivals = new LinkArrivals((name, buffer, index, length, view) -> {}, new FairShare(LinkArrivals.HELD_BYTES_MAX), "a");
        ByteBuf frame = Frames.send(0, new byte[20_000]);
        FrameView view = new FrameView().wrap(frame.nioBuffer(), 0);
        int frames = 0;
        while (!arrivals.isDueAtOnce()) {
            arrivals.bulk(frames++, 0, frame, 0, frame.readableBytes(), view);
        }
        assertThat(frames).isEqualTo(4);
        frame.release();
    }

    private static ByteBuffer head() {
        ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7).length(frame.capacity()).address(0, 1, 3, 0);
        return frame;
    }

    private static ByteBuffer run(long number) {
        ByteBuffer run = ByteBuffer.allocate(FrameType.LINK_RUN.bytesMin());
        new FrameView().wrap(run, 0).begin(FrameType.LINK_RUN, run.capacity(), 0).linkWord(0, number).linkWord(1, 1);
        return run;
    }

    private static ByteBuffer chunk(int sequence) {
        int bytes = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, 7).length(bytes).address(0, 1, 2, 0).sequence(sequence);
        return frame;
    }

    private final class SlowWithTheSecondChunk implements Links.Listener {
        private int frames;

        @Override
        public boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view) {
            try {
                if (++frames == 1) {
                    allSent.await(60, TimeUnit.SECONDS);
                } else if (frames == 3) {
                    heardInTime.set(heard.await(60, TimeUnit.SECONDS));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        }
    }
}
