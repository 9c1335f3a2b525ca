package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.tunnel.GridAuthority;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.Links;
import org.posthouse.tunnel.RelayId;
import org.posthouse.tunnel.SiteKeys;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Stall;
import org.posthouse.wire.Wire;

/** A relay and what it sends to another one, which handles it when the test says so. */
@Timeout(60)
class OtherRelayTest {
    private static final long JOB = 7;
    private static final int LONG = 1;
    private static final int SHORT = 2;
    private static final int LONG_BYTES = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final Context farContext = vertx.getOrCreateContext();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final Far far = new Far();
    private Links farLinks;
    private Relay relay;
    private Shard shard;

    /** Notes what comes. SENDs are not handled. */
    private static final class Far implements Links.Listener {
        private final List<FrameType> came = new CopyOnWriteArrayList<>();

        /** What the link calls the SENDs, by their tags. */
        private final Map<Integer, Long> names = new ConcurrentHashMap<>();

        @Override
        public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view) {
            came.add(view.type());
            if (view.type() == FrameType.SEND) {
                names.put(view.tag(), number);
                return false;
            }
            return true;
        }
    }

    @BeforeEach
    void link() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 30);
        farLinks = new Links(farContext, links(authority, "far", 1).listen("127.0.0.1", 0), far);
        get(farLinks.start());
        RelayConfig config = RelayConfig.loopback(RelayId.parse("near"), 0);
        LinkConfig links = links(authority, "near", config.epoch()).peer("far", "127.0.0.1:" + farLinks.port());
        relay = new Relay(config.withLinks(links), directory);
        get(vertx.deployVerticle(relay));
        shard = relay.shards().all().getFirst();
        Promise<Void> contact = Promise.promise();
        relay.control().submit(() -> relay.links().contacted(List.of("far"), PATIENCE.toMillis()).onComplete(contact));
        get(contact.future());
    }

    private LinkConfig links(GridAuthority authority, String site, long epoch) throws Exception {
        authority.issue(site, 10, folder.resolve(site));
        return LinkConfig.of(site, epoch, SiteKeys.load(folder.resolve(site)));
    }

    @AfterEach
    void close() throws Exception {
        get(vertx.undeploy(relay.deploymentID()));
        get(farLinks.close());
        get(vertx.close());
        directory.close();
    }

    /** Heads come in the order in which they are sent: one that was sent behind it shows that it was not. */
    @ParameterizedTest
    @EnumSource(names = {"BLOCKED", "MISMATCH"})
    void whatIsSaidOfBlockedRanksLeavesWhenAllThatWasSentBeforeWasHandled(FrameType what) throws Exception {
        relay.control().submit(() -> {
            RelayPeer peer = relay.links().other("far").peer(shard);
            shard.strand().submit(() -> {
                peer.send(send(LONG, LONG_BYTES));
                peer.stall(what, new Stall(JOB, 1, 2, 3, 4, 5, "bcast"));
                peer.send(send(SHORT, 0));
            });
        });
        await().atMost(PATIENCE).until(() -> far.names.keySet().containsAll(List.of(LONG, SHORT)));
        assertThat(far.came).containsExactlyInAnyOrder(FrameType.SEND, FrameType.SEND);
        handle(LONG);
        await().atMost(PATIENCE).until(() -> far.came.contains(what));
        assertThat(far.came).hasSize(3);
    }

    private void handle(int tag) {
        farContext.runOnContext(now -> farLinks.handled("near", far.names.get(tag)));
    }

    private static ByteBuf send(int tag, int payloadBytes) {
        int bytes = Wire.MESSAGE_HEADER_BYTES + payloadBytes;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, JOB).length(bytes).address(0, 1, 2, tag);
        return Unpooled.wrappedBuffer(frame);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
