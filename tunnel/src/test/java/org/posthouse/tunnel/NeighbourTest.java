package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkReach;

/** What a neighbour, played by hand, says of the relays that it reaches. Relay "m" hears it. */
@ExtendWith(LeakWatch.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NeighbourTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LinkTimeouts PINGING = new LinkTimeouts(10_000, 10_000, 10_000, 20, 3_600_000, 5, 50, 100);

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private Path keys;
    private TestRelay relay;

    @BeforeEach
    void open() throws Exception {
        TestGrid grid = new TestGrid(folder);
        keys = folder.resolve("a");
        grid.authority().issue("a", 10, keys);
        relay = new TestRelay(vertx, grid.listening("m", 10).timeouts(PINGING)).start();
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void isForgottenWithItsLinkAndNotBelievedWhenItComesAgain() throws Exception {
        try (RawPeer peer = comes()) {
            peer.send(new LinkReach(List.of(new LinkReach.Entry("b", 1, 0, List.of()))).encode());
            await().atMost(PATIENCE).until(() -> !ways().isEmpty());
        }
        await().atMost(PATIENCE).until(() -> !relay.isUp("a"));
        try (RawPeer again = comes()) {
            assertThat(ways()).as("it has not said it again").isEmpty();
        }
    }

    private List<LinkRoutes.Route> ways() throws Exception {
        return relay.call(() -> relay.links.routing().to("b"));
    }

    /** Relay "a" is linked, and measured. */
    private RawPeer comes() throws Exception {
        RawPeer peer = RawPeer.dial(relay.links.port(), keys);
        peer.hello("a", "m", 1, 0, 0).awaitHello();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> {
            // Each ping: of one that comes when the next has been sent, the answer counts no more.
            ByteBuffer answer = peer.await(FrameType.LINK_PING);
            new FrameView().wrap(answer, 0).type(FrameType.LINK_PONG);
            peer.send(answer);
            return relay.call(() -> relay.links.table().neighbours().size() == 1);
        });
        return peer;
    }
}
