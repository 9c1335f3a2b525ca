package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.tunnel.TestSites.awaitLast;
import static org.posthouse.tunnel.TestSites.awaitPaths;
import static org.posthouse.tunnel.TestSites.dial;
import static org.posthouse.tunnel.TestSites.id;
import static org.posthouse.tunnel.TestSites.streams;
import static org.posthouse.tunnel.TestSites.until;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;
import org.posthouse.wan.WanWay;

/**
 * A relay of site a that no other site reaches and that reaches none, and gateways of its site that do: gw1 and gw2, each over a network of
 * its own of 4 MB/s. Frames of 60 KiB go from it to site b all the time.
 */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class GatewaysTest {
    private static final double WAY_MS = 4;
    private static final double MEGABITS = 32;
    private static final int FRAME_BYTES = 60 * 1024;
    private static final long WAITING_BYTES = 2_000_000;

    @TempDir
    private Path folder;

    private final Random random = new Random(5);
    private final ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
    private TestSites sites;
    private TestRelay b;
    private TestRelay a;
    private TestRelay gw1;
    private TestRelay gw2;
    private TestRelay sender;
    private TestRelay receiver;
    private WanWay way1;
    private WanWay inside1;
    private volatile boolean feeding = true;
    private volatile long fed;

    /** The next frames come when all before have been received: in between a way is idle, and looks as short as it is. */
    private volatile boolean inBursts;

    @BeforeEach
    void open() throws Exception {
        sites = new TestSites(folder);
        b = sites.start(sites.listening("b"));
        way1 = sites.way(WAY_MS, MEGABITS);
        inside1 = sites.way(0, 0);
        gw1 = sites.start(dial(sites.listening("a/gw1"), b, way1));
        gw2 = sites.start(dial(sites.listening("a/gw2"), b, sites.way(WAY_MS, MEGABITS)));
        a = sites.start(dial(dial(sites.listening("a"), gw1, inside1), gw2, sites.way(0, 0)));
    }

    @AfterEach
    void close() throws Exception {
        feeder.shutdownNow();
        sites.close();
    }

    @Tag("long")
    @Test
    void shareTheLoadAndReplaceEachOtherWhileItFlows() throws Exception {
        feed();
        awaitPaths(a, "b", "via a/gw1", "via a/gw2");
        until(() -> a.status("b").lanes() == 3);
        carry(2_000_000, gw1, gw2);
        assertThat(a.status("a/gw1").streams().bytesOut()).as("lanes that go through it").isGreaterThan(500_000);
        // A lane that changes its way has streams over both for a moment, and the gateways' own link may go over b.
        until(() -> lanes(a, "b", "a/gw1") > 0 && lanes(a, "b", "a/gw2") > 0);
        until(() -> gw1.status("b").streams().open() == lanes(a, "b", "a/gw1") + lanes(gw1, "a/gw2", "b"));

        drain(gw1, true);
        awaitPaths(a, "b", "via a/gw2");
        until(() -> streams(gw1).carried() == 0);
        assertThat(gw1.isUp("b") && gw1.isUp("a")).as("its own links stay").isTrue();
        carry(1_000_000, gw2);

        TestRelay gw3 = sites.start(dial(dial(sites.dialling("a/gw3"), b, sites.way(WAY_MS, MEGABITS)), a, sites.way(0, 0)));
        awaitPaths(a, "b", "via a/gw2", "via a/gw3");
        carry(1_000_000, gw2, gw3);

        drain(gw1, false);
        awaitPaths(a, "b", "via a/gw1", "via a/gw2", "via a/gw3");
        carry(1_000_000, gw1, gw2, gw3);
        arrived();
        assertThat(b.events).as("for all of that the link was up: %s", b.downs).doesNotContain("down a");
    }

    /** Nobody is cut off by it: what has no other way any more comes to it, and leaves it again when there is one. */
    @Test
    void thatAreDrainedAreTheLastResort() throws Exception {
        drain(gw2, true);
        awaitPaths(a, "b", "via a/gw1");
        until(() -> streams(gw2).carried() == 0);
        way1.down();
        awaitPaths(a, "b", "via a/gw2");
        way1.up();
        awaitPaths(a, "b", "via a/gw1");
        until(() -> streams(gw2).carried() == 0);
        drain(gw1, true);
        way1.down();
        until(() -> a.status("a/gw1") != null && !gw1.isUp("b"));
        way1.up();
        until(() -> a.isUp("b"));
    }

    /** Lanes of a relay's link that go over another relay. */
    private static long lanes(TestRelay relay, String to, String via) throws Exception {
        LinkStatus link = relay.status(to);
        return link == null ? 0 : link.perLane().stream().filter(lane -> lane.via().contains(via)).count();
    }

    /** What is on its way through a gateway is written again through the others. */
    @Test
    void loseNothingWhenOneIsGoneInTheMiddleOfIt() throws Exception {
        feed();
        awaitPaths(a, "b", "via a/gw1", "via a/gw2");
        for (int loss = 0; loss < 2; loss++) {
            carry(500_000, gw1, gw2);
            way1.down();
            inside1.down();
            awaitPaths(a, "b", "via a/gw2");
            carry(500_000, gw2);
            way1.up();
            inside1.up();
            awaitPaths(a, "b", "via a/gw1", "via a/gw2");
        }
        arrived();
        assertThat(a.status("b").framesRepeated()).isPositive();
    }

    /** One of a tenth of the other's bandwidth takes nothing from it: each has what it can carry. */
    @Tag("long")
    @Test
    void ofUnlikeSpeedHaveEachItsShare() throws Exception {
        drain(gw2, true);
        TestRelay slow = startSlow(WAY_MS);
        awaitPaths(a, "b", "via a/gw1", "via a/slow");
        feed();
        carry(2_000_000, gw1);
        carry(200_000, slow);
        long before = streams(slow).bytesCarried();
        carry(8_000_000, gw1);
        assertThat(streams(slow).bytesCarried() - before).as("bytes over the slow one, beside 8,000,000").isLessThan(2_000_000);
        carry(200_000, slow); // A machine that is busy may keep it waiting: it has its share all the same.
        arrived();
    }

    /** The slow one is nearer: so it goes there, until bulk has shown that it is slow, whichever end sends that; and stays at the other one then. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofUnlikeSpeedTheFastOneHasTheFirstLane(boolean back) throws Exception {
        drain(gw2, true);
        TestRelay slow = startSlow(WAY_MS - 1);
        awaitPaths(a, "b", "via a/gw1", "via a/slow");
        until(() -> firstLane().equals(List.of("a/slow")));
        inBursts = true;
        if (back) {
            feed(b, a);
        } else {
            feed();
        }
        TestSites.during(20, () -> firstLane().equals(List.of("a/gw1")));
        long moves = a.status("b").moves();
        carry(8_000_000, gw1);
        assertThat(streams(slow).bytesCarried()).as("bytes over the slow one, which is in use").isPositive();
        assertThat(firstLane()).containsExactly("a/gw1");
        assertThat(a.status("b").moves()).isEqualTo(moves);
        arrived();
    }

    /** All its streams are in use, say: it is asked now and then, and what goes over the other one is not written again for that. */
    @Tag("long")
    @Test
    void gatewayRefusingLanesCausesNoRetransmissionOnOthers() throws Exception {
        drain(gw2, true);
        awaitPaths(a, "b", "via a/gw1");
        StreamConfig few = new StreamConfig(8, 1, 4);
        LinkConfig full = sites.dialling("a/full").forwards(ForwardConfig.NONE.streams(few));
        TestRelay refusing = sites.start(dial(dial(full, b, sites.way(WAY_MS, MEGABITS)), a, sites.way(0, 0)));
        feed();
        until(() -> streams(refusing).refused() > 1);
        carry(1_000_000, gw1);
        long refused = streams(refusing).refused();
        long before = a.status("b").framesRepeated();
        carry(8_000_000, gw1);
        until(() -> streams(refusing).refused() > refused + 1);
        assertThat(a.status("b").framesRepeated()).isEqualTo(before);
        arrived();
    }

    private List<String> firstLane() throws Exception {
        return a.status("b").perLane().getFirst().via();
    }

    private TestRelay startSlow(double wayMs) throws Exception {
        return sites.start(dial(dial(sites.dialling("a/slow"), b, sites.way(wayMs, MEGABITS / 10)), a, sites.way(0, 0)));
    }

    private static void drain(TestRelay gateway, boolean drains) throws Exception {
        gateway.call(() -> {
            gateway.links.drain(drains);
            return null;
        });
    }

    private void carry(long bytes, TestRelay... gateways) throws Exception {
        for (TestRelay gateway : gateways) {
            long before = streams(gateway).bytesCarried();
            until(() -> receiver.failure != null || streams(gateway).bytesCarried() > before + bytes);
        }
        assertThat(receiver.failure).isNull();
    }

    private void feed() {
        feed(a, b);
    }

    private void feed(TestRelay from, TestRelay to) {
        sender = from;
        receiver = to;
        feeder.scheduleWithFixedDelay(this::feedSome, 0, 5, TimeUnit.MILLISECONDS);
    }

    private void feedSome() {
        try {
            String to = id(receiver);
            sender.call(() -> {
                LinkStatus link = sender.statusNow(to);
                boolean pauses = inBursts && link != null && link.waitingBytes() > 0;
                while (feeding && !pauses && link != null && link.waitingBytes() < WAITING_BYTES) {
                    sender.links.send(to, Frames.send(++fed, FRAME_BYTES, random));
                    link = sender.statusNow(to);
                }
                return null;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void arrived() throws Exception {
        feeding = false;
        awaitLast(receiver, id(sender), sender.call(() -> fed));
    }
}
