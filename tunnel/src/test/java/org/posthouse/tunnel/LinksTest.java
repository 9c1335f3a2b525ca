package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Links between relays over real sockets and TLS on loopback. */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class LinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(10);

    @TempDir
    private static Path folder;

    private static TestGrid grid;
    private static Vertx vertx;

    private final Random random = new Random(7);
    private final List<TestRelay> relays = new ArrayList<>();
    private final List<CuttingProxy> proxies = new ArrayList<>();

    @BeforeAll
    static void open() throws IOException {
        grid = new TestGrid(folder);
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void closeRelays() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        for (CuttingProxy proxy : proxies) {
            proxy.close();
        }
        for (TestRelay relay : relays) {
            if (relay.failure != null) {
                throw relay.failure;
            }
        }
    }

    @Test
    void carriesFramesBothWaysThoughOnlyOneEndDials() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        TestRelay a = start(grid.config("a", 1).peer("b", address(b)));
        awaitUp(a, b);
        for (int number = 1; number <= 500; number++) {
            assertThat(a.send("b", frame(number))).isTrue();
            assertThat(b.send("a", frame(number))).isTrue();
        }
        awaitLast(a, "b", 500);
        awaitLast(b, "a", 500);
        assertThat(a.events).containsExactly("up b 1");
        assertThat(b.events).containsExactly("up a 1");
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.status("b").waitingBytes() == 0);
        LinkStatus status = a.status("b");
        assertThat(status.framesIn()).isEqualTo(500);
        assertThat(status.framesOut()).isEqualTo(500);
        assertThat(status.framesRepeated()).isZero();
        assertThat(status.peerRelay()).isEqualTo("b");
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.status("b").roundTripMicros() > 0);
    }

    @Test
    void linksRelaysOfOneSiteAsThoseOfTwo() throws Exception {
        TestRelay first = start(grid.listening("b", 1));
        TestRelay second = start(grid.listening("b/2", 1).peer("b", address(first)));
        TestRelay other = start(grid.config("a", 1).peer("b", address(first)).peer("b/2", address(second)));
        awaitUp(first, second);
        awaitUp(first, other);
        awaitUp(second, other);
        for (int number = 1; number <= 100; number++) {
            first.send("b/2", frame(number));
            other.send("b/2", frame(number));
            second.send("b", frame(number));
            second.send("a", frame(number));
        }
        awaitLast(second, "b", 100);
        awaitLast(second, "a", 100);
        awaitLast(first, "b/2", 100);
        awaitLast(other, "b/2", 100);
        assertThat(other.call(other.links::status)).extracting(LinkStatus::peerSite).containsExactly("b", "b");
        assertThat(other.call(other.links::status)).extracting(LinkStatus::peerRelay).containsExactly("b", "b/2");
        assertThat(other.last("b")).as("frames of the first relay").isZero();
    }

    @Test
    void framesSentBeforeFirstConnectionAreDelivered() throws Exception {
        int port = TestGrid.freePort();
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + port));
        for (int number = 1; number <= 100; number++) {
            a.send("b", frame(number));
        }
        await().pollInterval(POLL)
                .atMost(PATIENCE)
                .until(() -> a.status("b").lastReason().contains("SITE_UNREACHABLE"));
        TestRelay b = start(grid.config("b", 1).listen("127.0.0.1", port));
        awaitLast(b, "a", 100);
        assertThat(a.events).containsExactly("up b 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void losesRepeatsAndReordersNothingOverManyCuts(int lanes) throws Exception {
        int cutsWanted = Boolean.getBoolean("posthouse.long") ? 210 : 45;
        TestRelay b = start(grid.listening("b", 1));
        Random cutAt = new Random(11);
        AtomicBoolean calm = new AtomicBoolean();
        CuttingProxy proxy = proxyTo(b, () -> calm.get() ? Long.MAX_VALUE : 500 + cutAt.nextInt(60_000));
        TestRelay a = start(grid.config("a", 1).peer("b", proxy.address()).lanes(lanes));
        awaitUp(a, b);
        a.feed("b");
        b.feed("a");
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> proxy.cuts() >= cutsWanted);
        calm.set(true);
        proxy.cutAll();
        awaitLast(b, "a", a.stopFeeding());
        awaitLast(a, "b", b.stopFeeding());
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.status("b").waitingBytes() == 0);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> b.status("a").waitingBytes() == 0);
        assertThat(a.status("b").framesRepeated()).as("frames were really lost on the way").isPositive();
        assertThat(b.status("a").framesRepeated()).isPositive();
        assertThat(a.events).doesNotContain("forgotten b");
        assertThat(b.events).doesNotContain("forgotten a");
        assertThat(a.downs).hasSizeGreaterThan(cutsWanted / 4);
    }

    @Test
    void goesOnOverTheOtherLanesWhenOneIsLost() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        AtomicInteger connections = new AtomicInteger();
        CuttingProxy proxy = proxyTo(b, () -> connections.getAndIncrement() == 2 ? 300_000 : Long.MAX_VALUE);
        TestRelay a = start(grid.config("a", 1).peer("b", proxy.address()).lanes(3));
        awaitUp(a, b);
        awaitLanes(a, "b", 3);
        awaitLanes(b, "a", 3);
        for (long number = 1; number <= 40; number++) {
            a.send("b", frame(number, Wire.PAYLOAD_BYTES_MAX));
        }
        awaitLast(b, "a", 40);
        assertThat(proxy.cuts()).isEqualTo(1);
        assertThat(a.status("b").framesRepeated()).as("those that were on the lane").isPositive();
        awaitLanes(a, "b", 3);
        awaitLanes(b, "a", 3);
        awaitCounted(a.status("b").frameBytesOut(), () -> a.status("b").perLane(), LinkStatus.Lane::bytesOut);
        awaitCounted(b.status("a").frameBytesIn(), () -> b.status("a").perLane(), LinkStatus.Lane::bytesIn);
        assertThat(a.events).as("the link itself was up all the time").containsExactly("up b 1");
        assertThat(b.events).containsExactly("up a 1");
    }

    @Test
    void aLaneIsOfTheSessionThatHasUseForIt() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        TestRelay before = start(grid.config("a", 1).peer("b", address(b)).lanes(3));
        awaitUp(before, b);
        awaitLanes(b, "a", 3);
        assertThat(b.status("a").perLane()).extracting(LinkStatus.Lane::inSession).containsExactly(true, true, true);
        before.close();
        awaitLanes(b, "a", 0);
        assertThat(b.status("a").perLane()).extracting(LinkStatus.Lane::inSession).containsExactly(false, false, false);
        AtomicInteger connections = new AtomicInteger();
        CuttingProxy proxy = proxyTo(b, () -> connections.getAndIncrement() == 0 ? Long.MAX_VALUE : 0);
        TestRelay a = start(grid.config("a", 2).peer("b", proxy.address()).lanes(2));
        awaitLanes(a, "b", 1);
        awaitLanes(b, "a", 1);
        assertThat(b.status("a").perLane()).extracting(LinkStatus.Lane::inSession).containsExactly(true, false, false);
        assertThat(a.status("b").perLane()).as("one is dialled in vain").extracting(LinkStatus.Lane::inSession).containsExactly(true, true);
        assertThat(a.status("b").perLane()).extracting(LinkStatus.Lane::up).containsExactly(true, false);
    }

    @Test
    void opensTheLanesThatTheAcceptingEndWants() throws Exception {
        TestRelay b = start(grid.listening("b", 1).lanes(3));
        TestRelay a = start(grid.config("a", 1).peer("b", address(b)));
        awaitUp(a, b);
        awaitLanes(a, "b", 3);
        awaitLanes(b, "a", 3);
        TestRelay one = start(grid.config("c", 1).peer("b", address(b)).lanes(1));
        awaitUp(one, b);
        one.send("b", frame(1));
        awaitLast(b, "c", 1);
        assertThat(one.status("b").lanes()).as("the dialling end was told how many").isEqualTo(1);
        a.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> b.status("a").lanes() == 0);
    }

    /** 40 MB/s and 100 ms hold 4 MB, which is more than a lane should. */
    @Test
    void opensAsManyLanesAsTheNetworkHolds() throws Exception {
        assertLanesOpened(true);
    }

    @Tag("long")
    @Test
    void opensAsManyForBulkFromTheAcceptingEnd() throws Exception {
        assertLanesOpened(false);
    }

    private void assertLanesOpened(boolean bulkFromTheDiallingEnd) throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        try (WanEmulator network = WanEmulator.start(random)) {
            WanWay way = network.way(WanShape.of(50, 320));
            TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + way.lead(b.links.port())));
            awaitUp(a, b);
            assertThat(a.status("b").lanes()).isEqualTo(1);
            TestRelay from = bulkFromTheDiallingEnd ? a : b;
            String to = bulkFromTheDiallingEnd ? "b" : "a";
            long sent = 0;
            while (a.status("b").lanes() < 3) {
                if (from.status(to).waitingBytes() < 16_000_000) {
                    from.send(to, frame(++sent, Wire.PAYLOAD_BYTES_MAX));
                }
                assertThat(sent).isLessThan(20_000);
            }
            awaitLast(bulkFromTheDiallingEnd ? b : a, bulkFromTheDiallingEnd ? "a" : "b", sent);
            assertThat(a.status("b").lanes()).isLessThanOrEqualTo(LinkWindow.LANES_MAX);
            a.close();
        }
    }

    @Test
    void losesNothingIfBothEndsDialAndBothAreCutOften() throws Exception {
        int portA = TestGrid.freePort();
        int portB = TestGrid.freePort();
        Random cutAt = new Random(12);
        AtomicBoolean calm = new AtomicBoolean();
        LongSupplier bytes = () -> calm.get() ? Long.MAX_VALUE : 2_000 + cutAt.nextInt(40_000);
        CuttingProxy toA = proxyTo(portA, bytes);
        CuttingProxy toB = proxyTo(portB, bytes);
        TestRelay a = start(grid.config("a", 1).listen("127.0.0.1", portA).peer("b", toB.address()).lanes(3));
        TestRelay b = start(grid.config("b", 1).listen("127.0.0.1", portB).peer("a", toA.address()).lanes(2));
        a.feed("b");
        b.feed("a");
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> toA.cuts() + toB.cuts() >= 40);
        calm.set(true);
        toA.cutAll();
        toB.cutAll();
        awaitLast(b, "a", a.stopFeeding());
        awaitLast(a, "b", b.stopFeeding());
        awaitUp(a, b);
    }

    @Test
    void comesUpOnceIfBothEndsDialAtTheSameTime() throws Exception {
        for (int round = 0; round < 5; round++) {
            int portA = TestGrid.freePort();
            int portB = TestGrid.freePort();
            TestRelay a = new TestRelay(
                    vertx, grid.config("a", 1).listen("127.0.0.1", portA).peer("b", "127.0.0.1:" + portB));
            TestRelay b = new TestRelay(
                    vertx, grid.config("b", 1).listen("127.0.0.1", portB).peer("a", "127.0.0.1:" + portA));
            relays.add(a);
            relays.add(b);
            a.links.start();
            b.links.start();
            awaitUp(a, b);
            a.send("b", frame(1));
            b.send("a", frame(1));
            awaitLast(a, "b", 1);
            awaitLast(b, "a", 1);
            assertThat(a.events).as("round %d", round).containsOnlyOnce("up b 1");
            assertThat(b.events).as("round %d", round).containsOnlyOnce("up a 1");
            a.close();
            b.close();
        }
    }

    @Test
    void tellsThatThePeerRestartedAndStartsAnew() throws Exception {
        int port = TestGrid.freePort();
        TestRelay first = start(grid.config("b", 1).listen("127.0.0.1", port));
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + port));
        awaitUp(a, first);
        a.send("b", frame(1));
        first.send("a", frame(1));
        awaitLast(first, "a", 1);
        awaitLast(a, "b", 1);
        first.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        a.send("b", frame(2));
        TestRelay second = start(grid.config("b", 2).listen("127.0.0.1", port));
        awaitUp(a, second);
        assertThat(a.events).containsExactly("up b 1", "down b", "forgotten b", "up b 2");
        assertThat(a.downs.getFirst().reason()).isEqualTo(CloseReason.RELAY_STOPPING);
        a.send("b", frame(1));
        second.send("a", frame(1));
        awaitLast(second, "a", 1);
        awaitLast(a, "b", 1);
        assertThat(second.events).containsExactly("up a 1");
    }

    @Test
    void letsGoOfARelayThatHasStoppedUnlessItIsNeeded() throws Exception {
        TestRelay a = start(grid.listening("a", 1));
        TestRelay first = start(grid.config("b", 1).peer("a", address(a)));
        TestRelay cut = start(grid.config("c", 1).peer("a", proxyTo(a, () -> Long.MAX_VALUE).address()));
        awaitUp(a, first);
        awaitUp(a, cut);
        a.handlesLater = true;
        first.send("a", frame(1));
        awaitLast(a, "b", 1);
        proxies.getFirst().close();
        first.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b") && !a.isUp("c"));
        a.send("b", frame(7));
        letGo(a, relay -> false);
        assertThat(a.status("b")).as("its frame is being handled").isNotNull();
        a.handle("b", a.unhandled.getFirst());
        letGo(a, "b"::equals);
        assertThat(a.status("b")).as("it is needed").isNotNull();
        letGo(a, relay -> false);
        assertThat(a.status("b")).isNull();
        assertThat(a.status("c")).as("it may be there, with its part of the link").isNotNull();
        assertThat(a.handedBack).containsExactly(7L);
        assertThat(a.events).endsWith("let go b").doesNotContain("let go c");

        a.handlesLater = false;
        TestRelay second = start(grid.config("b", 2).peer("a", address(a)));
        awaitUp(a, second);
        letGo(a, relay -> false);
        second.send("a", frame(1));
        a.send("b", frame(1));
        awaitLast(a, "b", 1);
        awaitLast(second, "a", 1);
    }

    /** Other relays have kept their part of the link to it, for a job: they would not take an earlier start. */
    @Test
    void takesNoEarlierStartOfARelayThatItHasLetGoOf() throws Exception {
        TestRelay a = start(grid.listening("a", 7));
        LinkConfig earlier = grid.config("b", 100).peer("a", address(a));
        TestRelay first = start(earlier);
        awaitUp(first, a);
        first.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        letGo(a, relay -> false);
        TestRelay second = start(earlier.epoch(60));
        awaitUp(second, a);
        assertThat(second.events).containsExactly("epoch 101", "up a 7");
        assertThat(a.events).containsExactly("up b 100", "down b", "let go b", "up b 101");
        second.send("a", frame(1));
        awaitLast(a, "b", 1);
    }

    /** It may be there, with its part of the link, and hears that this one has none. */
    @Test
    void letsGoOfARelayThatIsSilentAndBeginsAnewWithItIfItWasOnlyCutOff() throws Exception {
        TestRelay a = start(grid.listening("a", 1));
        CuttingProxy way = proxyTo(a, () -> Long.MAX_VALUE);
        TestRelay b = start(grid.config("b", 1).peer("a", way.address()));
        awaitUp(a, b);
        for (int number = 1; number <= 3; number++) {
            a.send("b", frame(number));
            b.send("a", frame(number));
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.acknowledged.get() == 3 && b.acknowledged.get() == 3);
        way.freeze();
        way.cutAll();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b") && !b.isUp("a"));
        a.send("b", frame(4));
        b.send("a", frame(4));
        letGo(a, relay -> false);
        assertThat(a.status("b")).as("it was there just now").isNotNull();
        letGo(a, "b"::equals, 0);
        assertThat(a.status("b")).as("it is needed").isNotNull();
        letGo(a, relay -> false, 0);
        assertThat(a.status("b")).isNull();
        assertThat(a.handedBack).containsExactly(4L);

        way.thaw();
        awaitUp(a, b);
        assertThat(a.events).containsExactly("up b 1", "down b", "let go b", "up b 1");
        assertThat(b.events).containsExactly("up a 1", "down a", "forgotten a", "up a 1");
        assertThat(b.handedBack).containsExactly(4L);
        for (int number = 1; number <= 3; number++) {
            a.send("b", frame(number));
            b.send("a", frame(number));
        }
        awaitLast(a, "b", 3);
        awaitLast(b, "a", 3);
    }

    /** It may be cut off once more before it hears that, and says again what it has received over the link before. */
    @Test
    void writesNothingToARelayThatHasNotHeardThatItsLinkWasLetGoOf() throws Exception {
        TestRelay a = start(grid.listening("a", 7).timeouts(new LinkTimeouts(20_000, 20_000, 20_000, 300, 20_000, 5, 1, 20)));
        Path keys = folder.resolve("raw-b");
        grid.authority().issue("b", 10, keys);
        a.call(() -> {
            a.links.expect("b");
            return null;
        });
        a.send("b", frame(1));
        for (int cut = 0; cut < 2; cut++) {
            try (RawPeer b = RawPeer.dial(a.links.port(), keys)) {
                assertThat(b.hello("b", "a", 1, 7, 1).awaitHello().anew()).isTrue();
                assertThat(a.status("b").framesOut()).isZero();
            }
            await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        }
        try (RawPeer b = RawPeer.dial(a.links.port(), keys)) {
            b.hello("b", "a", 1, 7, 1).awaitHello();
            ByteBuffer ping = ByteBuffer.allocate(FrameType.LINK_PING.bytesMin());
            new FrameView().wrap(ping, 0).begin(FrameType.LINK_PING, ping.capacity(), 0);
            assertThat(new FrameView().wrap(b.send(ping).await(FrameType.SEND), 0).sequence()).isEqualTo(1);
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        try (RawPeer b = RawPeer.dial(a.links.port(), keys)) {
            assertThat(b.hello("b", "a", 1, 7, 1).awaitHello().anew()).as("that is of this link").isFalse();
            assertThat(a.status("b").framesRepeated()).isZero();
        }
    }

    private static void letGo(TestRelay relay, Predicate<String> isNeeded) throws Exception {
        letGo(relay, isNeeded, TimeUnit.HOURS.toMillis(1));
    }

    private static void letGo(TestRelay relay, Predicate<String> isNeeded, long silentMs) throws Exception {
        relay.call(() -> {
            relay.links.letGo(isNeeded, silentMs);
            return null;
        });
    }

    @Test
    void keepsAPeerThatHasStoppedIfItIsDialled() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        TestRelay a = start(grid.config("a", 1).peer("b", address(b)));
        awaitUp(a, b);
        b.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> {
            letGo(a, relay -> false);
            return a.status("b").lastReason().contains("Connection refused");
        });
    }

    /** Who has its name, and answers, may not lose its place to one that was started by mistake: what was sent to it would be gone. */
    @Test
    void refusesTheLaterOfTwoThatClaimOneNameWhileTheEarlierAnswersAndFencesThatOnceItDoesNot() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        CuttingProxy way = proxyTo(b, () -> Long.MAX_VALUE);
        TestRelay first = start(grid.config("a", 5).peer("b", way.address()));
        awaitUp(first, b);
        TestRelay second = start(grid.config("a", 6).peer("b", address(b)));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> b.refusals(LinkRefusal.NAME_TAKEN) > 2);
        assertThat(second.events).isEmpty();
        assertThat(second.status("b").lastReason()).contains("NAME_TAKEN").contains("has epoch 6, but the one with epoch 5 is linked");
        first.send("b", frame(1));
        awaitLast(b, "a", 1);
        assertThat(b.events).containsExactly("up a 5");

        way.freeze();
        awaitUp(second, b);
        assertThat(b.events).containsExactly("up a 5", "down a", "forgotten a", "up a 6");
        second.send("b", frame(1));
        awaitLast(b, "a", 1);
        way.cutAll();
        way.thaw();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> first.refusals(LinkRefusal.REFUSED_BY_PEER) > 0);
        assertThat(first.status("b").lastReason()).contains("FENCED").contains("epoch 5");
        assertThat(b.refusals(LinkRefusal.FENCED)).isPositive();
    }

    /** Without a log a relay's epoch is what its host's clock says at the start. */
    @ParameterizedTest(name = "it dials itself: {0}")
    @ValueSource(booleans = {true, false})
    void takesTheEpochAfterItsEarlierStartIfTheClockWasSetBack(boolean dials) throws Exception {
        int port = TestGrid.freePort();
        TestRelay a = start(dials ? grid.listening("a", 7) : grid.config("a", 7).peer("b", "127.0.0.1:" + port));
        LinkConfig earlier = dials ? grid.config("b", 100).peer("a", address(a)) : grid.config("b", 100).listen("127.0.0.1", port);
        TestRelay first = start(earlier);
        awaitUp(first, a);
        first.close();
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.isUp("b"));
        TestRelay second = start(earlier.epoch(60));
        awaitUp(second, a);
        assertThat(second.events).containsExactly("epoch 101", "up a 7");
        assertThat(a.events).containsExactly("up b 100", "down b", "forgotten b", "up b 101");
        second.send("a", frame(1));
        awaitLast(a, "b", 1);
    }

    /** The one that is linked may not hear of it: it would lose its place to one that was started by mistake. */
    @Test
    void takesNoOtherEpochAsLongAsTheOtherOfItsNameIsLinked() throws Exception {
        TestRelay a = start(grid.listening("a", 7));
        LinkConfig config = grid.config("b", 100).peer("a", address(a));
        TestRelay first = start(config);
        awaitUp(first, a);
        TestRelay second = start(config.epoch(60));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> second.refusals(LinkRefusal.REFUSED_BY_PEER) > 2);
        assertThat(second.events).isEmpty();
        assertThat(second.status("a").lastReason()).contains("FENCED").contains("epoch 60, expected at least 100")
                .contains("clock was set back");
        assertThat(a.events).containsExactly("up b 100");
        first.close();
        awaitUp(second, a);
        assertThat(second.events).containsExactly("epoch 101", "up a 7");
    }

    @Test
    void turnsUnwritableWhenThePeerStopsAndResumes() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        CuttingProxy proxy = proxyTo(b, () -> Long.MAX_VALUE);
        TestRelay a = start(grid.config("a", 1)
                .peer("b", proxy.address())
                .limits(256 * 1024, 8)
                .timeouts(new LinkTimeouts(2_000, 2_000, 2_000, 300, 60_000, 5, 1, 20)));
        awaitUp(a, b);
        proxy.freeze();
        long sent = 0;
        while (a.call(() -> a.links.writable("b"))) {
            a.send("b", frame(++sent, 10_000));
            assertThat(sent).isLessThan(1_000);
        }
        assertThat(a.status("b").waitingBytes()).isGreaterThan(256 * 1024);
        assertThat(a.writables.get()).isZero();
        proxy.thaw();
        awaitLast(b, "a", sent);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> a.writables.get() == 1);
        assertThat(a.call(() -> a.links.writable("b"))).isTrue();
        assertThat(a.events).containsExactly("up b 1");
    }

    @Test
    void noticesAHalfOpenConnectionAndGoesOnOverAnother() throws Exception {
        TestRelay b = start(grid.listening("b", 1).timeouts(impatient()));
        CuttingProxy proxy = proxyTo(b, () -> Long.MAX_VALUE);
        TestRelay a = start(grid.config("a", 1).peer("b", proxy.address()).timeouts(impatient()));
        awaitUp(a, b);
        proxy.freeze();
        a.send("b", frame(1));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.downs.isEmpty() && !b.downs.isEmpty());
        assertThat(a.downs.getFirst().reason()).isEqualTo(CloseReason.TIMEOUT);
        assertThat(b.downs.getFirst().text()).contains("silent");
        proxy.thaw();
        awaitUp(a, b);
        awaitLast(b, "a", 1);
    }

    @Test
    void closesAfterABreachAndDeliversTheFrameAgain() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        TestRelay a = start(grid.config("a", 1).peer("b", address(b)));
        awaitUp(a, b);
        b.breachOnce = CloseReason.SEQUENCE_GAP;
        a.send("b", frame(1));
        a.send("b", frame(2));
        awaitLast(b, "a", 2);
        assertThat(b.downs.getFirst().reason()).isEqualTo(CloseReason.SEQUENCE_GAP);
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.downs.isEmpty());
        assertThat(a.downs.getFirst().reason()).as("the peer hears the reason").isEqualTo(CloseReason.SEQUENCE_GAP);
    }

    @Test
    void refusesUnknownDestinationsAndMalformedFrames() throws Exception {
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + TestGrid.freePort()));
        ByteBuf lost = frame(1);
        assertThat(a.send("nowhere", lost)).isFalse();
        assertThat(lost.refCnt()).isZero();
        assertThat(a.call(() -> a.links.writable("nowhere"))).isFalse();
        ByteBuf two = Unpooled.wrappedBuffer(frame(1), frame(2));
        ByteBuf own = Unpooled.wrappedBuffer(CloseNotice.closing(0, CloseReason.NORMAL, "").encode(FrameType.CLOSE));
        ByteBuf shortOne = Unpooled.buffer().writeZero(Wire.HEADER_BYTES - 1);
        for (ByteBuf wrong : List.of(two, own, shortOne)) {
            assertThatThrownBy(() -> a.send("b", wrong)).hasRootCauseInstanceOf(IllegalArgumentException.class);
            assertThat(wrong.refCnt()).isZero();
        }
        assertThat(a.status("b").waitingBytes()).isZero();
    }

    @Test
    void saysInWordsWhyItCannotConnect() throws Exception {
        int port = TestGrid.freePort();
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + port).peer("c", "[::1]:" + port));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.status("b").lastReason().isEmpty() && !a.status("c").lastReason().isEmpty());
        assertThat(a.status("b").lastReason()).isEqualTo("SITE_UNREACHABLE: cannot connect to 127.0.0.1:" + port + ": Connection refused");
        assertThat(a.status("c").lastReason()).startsWith("SITE_UNREACHABLE: cannot connect to [::1]:" + port + ": ");
    }

    @Test
    void plaintextPeerIsReportedWithoutItsBytes() throws Exception {
        try (ServerSocket plain = new ServerSocket(0)) {
            TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + plain.getLocalPort()));
            try (Socket peer = plain.accept()) {
                peer.getOutputStream().write("SSH-2.0-OpenSSH_9.6\r\n".getBytes(StandardCharsets.US_ASCII));
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> !a.status("b").lastReason().isEmpty());
            }
            assertThat(a.status("b").lastReason())
                    .isEqualTo("SITE_UNREACHABLE: PLAIN_TCP at 127.0.0.1:" + plain.getLocalPort()
                            + ": the other end does not speak TLS; check that only relays use this port");
        }
    }

    @Test
    void reportsAPortThatIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            TestRelay a = new TestRelay(vertx, grid.config("a", 1).listen("0.0.0.0", taken.getLocalPort()));
            assertThatThrownBy(a::start)
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasMessageContaining("relay a cannot listen for links at 0.0.0.0:" + taken.getLocalPort() + ": Address already in use");
            a.close();
        }
    }

    /** Three lanes that are up and have nothing on their way, and with those before them carried all the frames, and little more. */
    private static void awaitCounted(long frameBytes, Callable<List<LinkStatus.Lane>> lanes, ToLongFunction<LinkStatus.Lane> count) {
        await().pollInterval(POLL).atMost(PATIENCE).untilAsserted(() -> {
            List<LinkStatus.Lane> told = lanes.call();
            assertThat(told).extracting(LinkStatus.Lane::lane).containsExactly(0, 1, 2);
            assertThat(told).allMatch(lane -> lane.up() && lane.via().isEmpty() && lane.waitingBytes() == 0 && count.applyAsLong(lane) > 0);
            assertThat(told.stream().mapToLong(count).sum()).isBetween(frameBytes, frameBytes + frameBytes / 4);
        });
    }

    private static void awaitLanes(TestRelay relay, String other, int lanes) {
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> relay.status(other).lanes() == lanes);
    }

    private static LinkTimeouts impatient() {
        return new LinkTimeouts(2_000, 2_000, 2_000, 100, 600, 5, 1, 20);
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config);
        relays.add(relay);
        return relay.start();
    }

    private CuttingProxy proxyTo(TestRelay relay, LongSupplier bytes) throws IOException {
        return proxyTo(relay.links.port(), bytes);
    }

    private CuttingProxy proxyTo(int port, LongSupplier bytes) throws IOException {
        CuttingProxy proxy = new CuttingProxy(port, bytes);
        proxies.add(proxy);
        return proxy;
    }

    private ByteBuf frame(long number) {
        return frame(number, (int) (number % 300));
    }

    private synchronized ByteBuf frame(long number, int bytes) {
        return Frames.send(number, bytes, random);
    }

    private static String address(TestRelay relay) {
        return "127.0.0.1:" + relay.links.port();
    }

    private static void awaitUp(TestRelay one, TestRelay other) {
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> one.isUp(other.links.config().relay()));
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> other.isUp(one.links.config().relay()));
    }

    private static void awaitLast(TestRelay relay, String site, long number) {
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> relay.failure != null || relay.last(site) >= number);
        assertThat(relay.failure).isNull();
        assertThat(relay.last(site)).isEqualTo(number);
    }
}
