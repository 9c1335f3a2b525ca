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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.window.CongestionControlTest;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Short messages beside bulk that never ends, over a network of 20 MB/s and 40 ms of round trip. How late a short one is, is told by how much bulk came
 * between its sending and its coming: the network's bandwidth makes a time of that. A busy machine makes the network look longer and holds words up, so that
 * the best of many tries counts, and for the median only that it is below the 4 MB that are the least of all tries without the governor. What it is on a
 * machine that is always in time, twice the idle way and a chunk, {@link CongestionControlTest} holds.
 */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class BesideBulkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final double WAY_MS = 20;
    private static final long BYTES_PER_MS = 20_000;
    private static final int PROBES = 25;
    private static final int CHUNK = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX;

    /** Enough to keep the network busy while the loop of the sender does other things. */
    private static final long WAITING_BYTES = 8_000_000;

    /** What comes before the first probe: the governor has seen the network. */
    private static final long WARM_BYTES = 30_000_000;

    @TempDir
    private Path folder;

    private final AtomicLong bulkCame = new AtomicLong();
    private final List<Long> ahead = new ArrayList<>();

    /** Of the probe that is under way, what had come when it was sent; -1 if none is. */
    private volatile long probedAt = -1;

    @Test
    void aShortMessageWaitsForLittleBulk() throws Exception {
        waitsForLittleBulk(1);
    }

    @Test
    @Tag("long")
    void soItDoesOverTwoLanes() throws Exception {
        waitsForLittleBulk(2);
    }

    private void waitsForLittleBulk(int lanes) throws Exception {
        Vertx vertx = Vertx.vertx();
        ContextInternal loop = ((VertxInternal) vertx).createEventLoopContext();
        TestGrid grid = new TestGrid(folder);
        Links receiver = new Links(((VertxInternal) vertx).createEventLoopContext(), grid.listening("b", 1), new Receiver());
        try (WanEmulator network = WanEmulator.start(new Random(1))) {
            receiver.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            WanWay way = network.way(WanShape.of(WAY_MS, BYTES_PER_MS * 8 / 1_000.0));
            Links sender = new Links(
                    loop,
                    grid.config("a", 1).peer("b", "127.0.0.1:" + way.lead(receiver.port())).lanes(lanes).compression(Compression.NEVER),
                    new Receiver());
            sender.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            loop.nettyEventLoop().execute(() -> feed(sender, loop));
            await().atMost(PATIENCE).until(() -> bulkCame.get() > WARM_BYTES);
            for (int probe = 0; probe < PROBES; probe++) {
                loop.nettyEventLoop().execute(() -> probe(sender));
                int wanted = probe + 1;
                await().pollInterval(Duration.ofMillis(3)).atMost(PATIENCE).until(() -> probes() == wanted);
            }
            sender.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } finally {
            receiver.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
        ahead.sort(null);
        long idle = Math.round(WAY_MS * BYTES_PER_MS);
        assertThat(ahead.getFirst()).as("bytes of bulk that came meanwhile: %s", ahead).isLessThanOrEqualTo(3 * idle + CHUNK);
        assertThat(ahead.get(PROBES / 2)).as("bytes of bulk that came meanwhile: %s", ahead).isLessThanOrEqualTo(8 * idle);
    }

    private void feed(Links links, ContextInternal loop) {
        boolean open = links.status().stream().anyMatch(link -> link.state() == LinkStatus.State.UP);
        while (open && links.status().getFirst().waitingBytes() < WAITING_BYTES) {
            links.send("b", frame(FrameType.CHUNK, 1, Wire.PAYLOAD_BYTES_MAX));
        }
        loop.nettyEventLoop().schedule(() -> feed(links, loop), 5, TimeUnit.MILLISECONDS);
    }

    private void probe(Links links) {
        probedAt = bulkCame.get();
        links.send("b", frame(FrameType.SEND, 2, 100));
    }

    private synchronized int probes() {
        return ahead.size();
    }

    private static ByteBuf frame(FrameType type, int source, int payloadBytes) {
        int header = type == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        ByteBuffer frame = ByteBuffer.allocate(header + payloadBytes);
        new FrameView().wrap(frame, 0).begin(type, header, 7).length(header + payloadBytes).address(0, source, 2, 0);
        return Unpooled.wrappedBuffer(frame);
    }

    private final class Receiver implements Links.Listener {
        @Override
        public boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view) {
            if (view.type() == FrameType.CHUNK) {
                bulkCame.addAndGet(length);
            } else {
                synchronized (BesideBulkTest.this) {
                    ahead.add(bulkCame.get() - probedAt);
                }
            }
            return true;
        }
    }
}
