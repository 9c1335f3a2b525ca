package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Wire;

/** Further lanes of a link that a peer has made by hand. Relay "m" accepts them. */
@ExtendWith(LeakWatch.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinkLanesTest {
    private static final long EPOCH = 10;

    /** Its peers answer no ping. */
    private static final LinkTimeouts ENDURING = new LinkTimeouts(10_000, 10_000, 10_000, 300, 3_600_000, 5, 50, 100);

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private Path keys;
    private TestRelay relay;
    private RawPeer first;

    @BeforeEach
    void link() throws Exception {
        TestGrid grid = new TestGrid(folder);
        keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        relay = new TestRelay(vertx, grid.listening("m", EPOCH).timeouts(ENDURING)).start();
        first = RawPeer.dial(relay.links.port(), keys);
        first.hello("a", "m", 1, 0, 0).awaitHello();
    }

    @AfterEach
    void close() throws Exception {
        first.close();
        relay.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void endWithTheFirst() throws Exception {
        try (RawPeer lane = lane()) {
            first.close();
            lane.awaitEnd();
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(relay.events).contains("down a"));
    }

    /** Who makes a lane anew has lost the one before: until the new one is up, its bulk goes over the first. */
    @Test
    void framesOfReplacedLaneAreRetransmitted() throws Exception {
        try (RawPeer lane = lane()) {
            relay.send("a", Frames.send(1, new byte[Wire.PAYLOAD_BYTES_MAX]));
            lane.await(FrameType.SEND);
            try (RawPeer next = lane()) {
                first.await(FrameType.SEND);
                lane.awaitEnd();
            }
        }
        assertThat(relay.status("a").framesRepeated()).isEqualTo(1);
    }

    /** One frame at a time has nothing on its way before it on either lane: none stays idle for that. */
    @Test
    void takeTurnsWhereTheyHaveAsMuchOnTheirWay() throws Exception {
        try (RawPeer one = lane(1);
                RawPeer two = lane(2)) {
            for (int frame = 1; frame <= 6; frame++) {
                relay.send("a", Frames.send(frame, new byte[Wire.PAYLOAD_BYTES_MAX]));
                RawPeer next = frame % 2 == 1 ? one : two;
                assertThat(new FrameView().wrap(next.await(FrameType.SEND), 0).sequence()).isEqualTo(frame);
                first.send(acknowledgement(frame));
                await().atMost(Duration.ofSeconds(60)).until(() -> relay.status("a").waitingBytes() == 0);
            }
        }
    }

    private static ByteBuffer acknowledgement(long bulk) {
        ByteBuffer frame = ByteBuffer.allocate(FrameType.LINK_ACK.bytesMin());
        new FrameView().wrap(frame, 0).begin(FrameType.LINK_ACK, frame.capacity(), 0).linkWord(1, bulk).linkWord(2, bulk);
        return frame;
    }

    private RawPeer lane() throws Exception {
        return lane(1);
    }

    private RawPeer lane(int number) throws Exception {
        RawPeer lane = RawPeer.dial(relay.links.port(), keys);
        lane.send(new LinkHello("a", "a", "m", 1, EPOCH, number, 1, 0, 0, false, false).encode()).awaitHello();
        await().atMost(Duration.ofSeconds(60)).until(() -> relay.status("a").lanes() == number + 1);
        return lane;
    }
}
