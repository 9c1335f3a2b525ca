package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.Frames;
import org.posthouse.tunnel.LeakWatch;
import org.posthouse.tunnel.LinkLimits;
import org.posthouse.tunnel.LinkTimeouts;
import org.posthouse.tunnel.RawPeer;
import org.posthouse.tunnel.TestGrid;
import org.posthouse.tunnel.TestRelay;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkReach;

/** One site, whose certificate is good, takes all that it can get; others find room. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class FairShareTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(10);
    private static final LinkTimeouts PATIENT = new LinkTimeouts(60_000, 60_000, 60_000, 300, 60_000, 5, 50, 100);
    private static final int LINKS_OF_ONE = 3 * LinkLimits.LINKS_MAX / 4;

    @TempDir
    private Path folder;

    private Vertx vertx;
    private TestGrid grid;
    private Path greedy;
    private Path honest;
    private TestRelay relay;

    @BeforeEach
    void issueKeys() throws Exception {
        grid = new TestGrid(folder);
        greedy = folder.resolve("greedy");
        honest = folder.resolve("honest");
        grid.authority().issue("greedy", 10, greedy);
        grid.authority().issue("honest", 10, honest);
    }

    @AfterEach
    void close() throws Exception {
        if (relay == null) {
            return;
        }
        relay.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(relay.failure).isNull();
    }

    @Test
    void alwaysLeavesRoomForSiteHoldingNothing() {
        for (int sites = 1; sites <= 16; sites++) {
            int[] has = new int[sites];
            for (int wish = 0; wish < sites * 64; wish++) {
                has[wish % sites] += FairShare.allows(has[wish % sites], IntStream.of(has).sum(), 64) ? 1 : 0;
            }
            assertThat(FairShare.allows(0, IntStream.of(has).sum(), 64)).as("%s of 64", IntStream.of(has).sum()).isTrue();
        }
        assertThat(IntStream.range(0, 64).filter(has -> FairShare.allows(has, has, 64)).count()).as("alone").isEqualTo(48);
        assertThat(FairShare.allows(0, 64, 64)).isFalse();
    }

    @Test
    void leavesConnectionsHoweverManyASiteHolds() throws Exception {
        start(8);
        List<RawPeer> held = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            held.add(dial(greedy));
            held.getLast().shakeHands();
        }
        try (RawPeer peer = dial(greedy)) {
            assertRefused(peer, "6 of 6 accepted connections are of site greedy, at most 8");
        }
        assertThat(relay.refusals(LinkRefusal.LIMIT)).isEqualTo(1);
        assertLinks("honest");
        for (RawPeer peer : held) {
            peer.close();
        }
    }

    @Test
    void leavesLinksHoweverManyRelaysASiteHasOrSaysToReach() throws Exception {
        start(LinkLimits.DEFAULT.connectionsMax());
        try (RawPeer liar = dial(greedy)) {
            liar.hello("greedy", "m", 1, 0, 0).awaitHello();
            long ping = new FrameView().wrap(liar.await(FrameType.LINK_PING), 0).linkWord(0);
            liar.send(pong(ping)).send(reach("n", LinkLimits.LINKS_MAX).encode());
            until(() -> relay.call(() -> relay.links.status().size()) == LINKS_OF_ONE);
            try (RawPeer more = dial(greedy)) {
                more.hello("greedy/2", "m", 1, 0, 0);
                assertRefused(more, LINKS_OF_ONE + " of " + LINKS_OF_ONE + " links are of site greedy, at most 256");
            }
            assertLinks("honest");
            assertLinks("honest/2");
            liar.send(reach("o", 3).encode());
            until(() -> relay.call(() -> relay.links.status().stream().map(LinkStatus::peerRelay).toList())
                    .equals(List.of("greedy", "honest", "honest/2", "o0", "o1", "o2")));
            assertThat(relay.call(() -> relay.links.send("o1", Frames.send(1, 10, new Random(1))))).isTrue();
            liar.send(new LinkReach(List.of()).encode());
            until(() -> relay.status("o0") == null);
            assertThat(relay.status("o1")).as("somebody has sent there").isNotNull();
        }
    }

    @Test
    void sumsHeldBackBytesOverAllLinksOfSite() throws Exception {
        start(LinkLimits.DEFAULT.connectionsMax());
        ByteBuffer run = ByteBuffer.allocate(FrameType.LINK_RUN.bytesMin());
        new FrameView().wrap(run, 0).begin(FrameType.LINK_RUN, run.capacity(), 0).linkWord(0, 1);
        ByteBuffer bulk = ByteBuffer.allocate(10_000);
        new FrameView().wrap(bulk, 0).begin(FrameType.SEND, FrameType.SEND.bytesMin(), 7).length(bulk.capacity());
        long cost = bulk.capacity() + LinkWindow.FRAME_OVERHEAD_BYTES;
        try (RawPeer one = dial(greedy); RawPeer two = dial(greedy)) {
            one.hello("greedy", "m", 1, 0, 0).awaitHello();
            two.hello("greedy/2", "m", 1, 0, 0).awaitHello();
            one.send(run.duplicate()).send(bulk.duplicate());
            two.send(run.duplicate()).send(bulk.duplicate());
            until(() -> relay.call(() -> relay.links.heldBack().of("greedy")) == 2 * cost);
        }
        until(() -> relay.call(() -> relay.links.heldBack().taken()) == 0);
    }

    /** It says two things in one interval, which is twenty seconds: the second waits. */
    @Test
    void listensToANeighbourOnceAnInterval() throws Exception {
        start(LinkLimits.DEFAULT.connectionsMax(), new LinkTimeouts(60_000, 60_000, 60_000, 60_000, 120_000, 5, 50, 100));
        try (RawPeer liar = dial(greedy)) {
            liar.hello("greedy", "m", 1, 0, 0).awaitHello();
            long ping = new FrameView().wrap(liar.await(FrameType.LINK_PING), 0).linkWord(0);
            liar.send(pong(ping)).send(reach("n", 2).encode()).send(reach("o", 3).encode());
            liar.send(word(FrameType.LINK_PING, 1));
            liar.await(FrameType.LINK_PONG);
            assertThat(relay.call(() -> relay.links.status().stream().map(LinkStatus::peerRelay).toList())).containsExactly("greedy", "n0", "n1");
        }
    }

    private void start(int connections) throws Exception {
        start(connections, PATIENT);
    }

    private void start(int connections, LinkTimeouts timeouts) throws Exception {
        vertx = Vertx.vertx();
        relay = new TestRelay(vertx, grid.listening("m", 1).timeouts(timeouts).limits(1 << 20, connections)).start();
    }

    private RawPeer dial(Path keys) throws Exception {
        return RawPeer.dial(relay.links.port(), keys);
    }

    private void assertLinks(String id) throws Exception {
        try (RawPeer peer = dial(honest)) {
            assertThat(peer.hello(id, "m", 1, 0, 0).awaitHello().site()).isEqualTo("m");
        }
    }

    private static void assertRefused(RawPeer peer, String text) throws Exception {
        CloseNotice why = peer.awaitClose();
        assertThat(why.reason()).isSameAs(CloseReason.LIMIT);
        assertThat(why.text()).contains(text);
    }

    private static LinkReach reach(String prefix, int relays) {
        return LinkReach.fitting(IntStream.range(0, relays)
                .mapToObj(i -> new LinkReach.Entry(prefix + i, 10, 0, List.of()))
                .toList());
    }

    private static ByteBuffer pong(long word) {
        return word(FrameType.LINK_PONG, word);
    }

    private static ByteBuffer word(FrameType type, long word) {
        ByteBuffer frame = ByteBuffer.allocate(type.bytesMin());
        new FrameView().wrap(frame, 0).begin(type, type.bytesMin(), 0).linkWord(0, word);
        return frame;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void until(Condition condition) {
        await().pollInterval(POLL).atMost(PATIENCE).until(condition::holds);
    }
}
