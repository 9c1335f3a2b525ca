package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.tunnel.window.CongestionControl;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** What the other end hears of a long frame while it comes. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class PartsTest {
    private static final int RECORD = 16 * 1024;
    private static final int BULK_CAME = 2;
    private static final int INCOMPLETE = 3;

    @TempDir
    private Path folder;

    @Test
    void theOtherEndHearsOfHalfAFrameBeforeTheRestComes() throws Exception {
        TestGrid grid = new TestGrid(folder);
        Path keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        Vertx vertx = Vertx.vertx();
        TestRelay relay = new TestRelay(vertx, grid.listening("m", 1)).start();
        ByteBuf sent = Frames.send(1, 60_000, new Random(1));
        ByteBuffer frame = sent.nioBuffer();
        try (RawPeer peer = RawPeer.dial(relay.links.port(), keys)) {
            peer.hello("a", "m", 1, 0, 0).awaitHello();
            ByteBuffer run = ByteBuffer.allocate(FrameType.LINK_RUN.bytesMin());
            new FrameView().wrap(run, 0).begin(FrameType.LINK_RUN, run.capacity(), 0).linkWord(0, 0).linkWord(1, 0);
            peer.send(run).send(frame.slice(0, 2 * RECORD));
            FrameView part = new FrameView().wrap(peer.await(FrameType.LINK_ACK), 0);
            assertThat(part.linkWord(BULK_CAME)).isZero();
            assertThat(part.linkWord(INCOMPLETE)).isBetween((long) RECORD, 2L * RECORD);
            peer.send(frame.slice(2 * RECORD, frame.remaining() - 2 * RECORD));
            FrameView whole = part;
            while (whole.linkWord(BULK_CAME) == 0) {
                whole = new FrameView().wrap(peer.await(FrameType.LINK_ACK), 0);
            }
            assertThat(whole.linkWord(INCOMPLETE)).isZero();
        } finally {
            sent.release();
            relay.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void tellsOfAPartNoMoreOftenThanOnceInAMillisecond() throws Exception {
        LinkReceiver arrivals = new LinkReceiver((name, buffer, index, length, view) -> {}, new FairShare(LinkReceiver.HELD_BYTES_MAX), "a");
        assertThat(arrivals.isPartDue(RECORD - 1, LinkReceiver.PART_NANOS)).isFalse();
        assertThat(arrivals.isPartDue(RECORD, LinkReceiver.PART_NANOS)).isTrue();
        arrivals.tell(RECORD, LinkReceiver.PART_NANOS);
        assertThat(arrivals.isPartDue(2 * RECORD, 2 * LinkReceiver.PART_NANOS - 1)).isFalse();
        assertThat(arrivals.isPartDue(2 * RECORD - 1, 2 * LinkReceiver.PART_NANOS)).isFalse();
        assertThat(arrivals.isPartDue(2 * RECORD, 2 * LinkReceiver.PART_NANOS)).isTrue();
    }

    /** What the pipe holds is known to a part of a frame: the next one may go sooner than when the whole of one has come. */
    @Test
    void aPartThatHasComeLetsTheNextFrameGo() throws Exception {
        LinkWindow window = new LinkWindow(1 << 30, () -> 0);
        ByteBuf chunk = chunk();
        while (window.allowsBulk(0)) {
            window.append(chunk.retainedSlice());
            window.next(0, true, true);
        }
        window.acknowledge(0, 0, 0, chunk.readableBytes() - 1);
        assertThat(window.allowsBulk(0)).as("a byte of the frame is missing").isFalse();
        window.acknowledge(0, 0, 0, CongestionControl.FRAME_BYTES);
        assertThat(window.allowsBulk(0)).isTrue();
        window.release();
        chunk.release();
    }

    private static ByteBuf chunk() {
        ByteBuffer frame = ByteBuffer.allocate((int) CongestionControl.FRAME_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, 7).length(frame.capacity()).address(0, 1, 2, 0);
        return Unpooled.wrappedBuffer(frame);
    }
}
