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
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** When the other end hears of chunks that follow each other. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class EarlyWordTest {
    private static final int BULK_CAME = 2;

    /** Behind so many the system takes more in than two, and the relay reads more at once. */
    private static final int CHUNKS_BEFORE = 32;

    @TempDir
    private Path folder;

    /** The relay's loop reads all chunks at once: it is held up until they are there. */
    private final CountDownLatch allSent = new CountDownLatch(1);

    private final CountDownLatch heard = new CountDownLatch(1);
    private final AtomicBoolean heardInTime = new AtomicBoolean();

    @Test
    void theOtherEndHearsOfTwoChunksWhileTheOneBehindThemIsHandled() throws Exception {
        TestGrid grid = new TestGrid(folder);
        Path keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        Vertx vertx = Vertx.vertx();
        Links links = new Links(((VertxInternal) vertx).createEventLoopContext(), grid.listening("m", 1), new SlowWithTheThird());
        links.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        try (RawPeer peer = RawPeer.dial(links.port(), keys)) {
            peer.hello("a", "m", 1, 0, 0).awaitHello();
            peer.send(head());
            for (int number = 0; number < CHUNKS_BEFORE; number++) {
                peer.send(run(number)).send(chunk(number, Wire.PAYLOAD_BYTES_MAX));
            }
            awaitWord(peer, CHUNKS_BEFORE);
            peer.send(head());
            peer.send(run(CHUNKS_BEFORE)).send(chunk(CHUNKS_BEFORE, Wire.PAYLOAD_BYTES_MAX));
            peer.send(run(CHUNKS_BEFORE + 1)).send(chunk(CHUNKS_BEFORE + 1, Wire.PAYLOAD_BYTES_MAX));
            peer.send(run(CHUNKS_BEFORE + 2)).send(chunk(CHUNKS_BEFORE + 2, 1));
            allSent.countDown();
            awaitWord(peer, CHUNKS_BEFORE + 1);
            heard.countDown();
            awaitWord(peer, CHUNKS_BEFORE + 3);
            assertThat(heardInTime).isTrue();
        } finally {
            links.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shortFramesAreAcknowledgedTogether() throws WireException {
        LinkReceiver arrivals = new LinkReceiver((name, buffer, index, length, view) -> {}, new FairShare(LinkReceiver.HELD_BYTES_MAX), "a");
        ByteBuf frame = Frames.send(0, new byte[20_000]);
        FrameView view = new FrameView().wrap(frame.nioBuffer(), 0);
        int frames = 0;
        while (!arrivals.isDueAtOnce()) {
            arrivals.bulk(frames++, 0, frame, 0, frame.readableBytes(), view);
        }
        assertThat(frames).isEqualTo(7);
        frame.release();
    }

    /** Until the peer says that so much bulk has come. */
    private static void awaitWord(RawPeer peer, int came) throws Exception {
        FrameView word = new FrameView();
        do {
            word.wrap(peer.await(FrameType.LINK_ACK), 0);
        } while (word.linkWord(BULK_CAME) < came);
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

    private static ByteBuffer chunk(int sequence, int payloadBytes) {
        int bytes = Wire.CHUNK_HEADER_BYTES + payloadBytes;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, 7).length(bytes).address(0, 1, 2, 0).sequence(sequence);
        return frame;
    }

    private final class SlowWithTheThird implements Links.Listener {
        private int frames;

        @Override
        public boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view) {
            try {
                if (++frames == CHUNKS_BEFORE + 2) {
                    allSent.await(60, TimeUnit.SECONDS);
                    TimeUnit.MILLISECONDS.sleep(100); // For the system to carry it here: what comes later makes the test weaker, not red.
                } else if (frames == CHUNKS_BEFORE + 5) {
                    heardInTime.set(heard.await(20, TimeUnit.SECONDS));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        }
    }
}
