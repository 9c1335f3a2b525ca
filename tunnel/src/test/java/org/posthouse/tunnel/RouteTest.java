package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.tunnel.TestSites.awaitLast;
import static org.posthouse.tunnel.TestSites.awaitPaths;
import static org.posthouse.tunnel.TestSites.awaitUp;
import static org.posthouse.tunnel.TestSites.dial;
import static org.posthouse.tunnel.TestSites.during;
import static org.posthouse.tunnel.TestSites.paths;
import static org.posthouse.tunnel.TestSites.streams;
import static org.posthouse.tunnel.TestSites.until;

import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/** Links between relays that cannot reach each other, over others that both reach. */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class RouteTest {
    @TempDir
    private Path folder;

    private TestSites sites;
    private TestRelay a;
    private TestRelay b;
    private TestRelay c;

    @BeforeEach
    void open() throws Exception {
        sites = new TestSites(folder);
    }

    @AfterEach
    void close() throws Exception {
        sites.close();
    }

    @Test
    void linksTwoThatOnlyDialOutOverAThirdAndLosesNothingWhenItIsCut() throws Exception {
        b = sites.start(sites.listening("b"));
        WanWay toA = sites.way(3, 0);
        WanWay toC = sites.way(3, 0);
        a = sites.start(dial(sites.dialling("a"), b, toA));
        c = sites.start(dial(sites.dialling("c"), b, toC));
        awaitUp(a, c);
        awaitPaths(a, "c", "via b");
        awaitPaths(c, "a", "via b");
        a.feed("c");
        c.feed("a");
        for (int cut = 1; cut <= 6; cut++) {
            long sofar = c.last("a");
            until(() -> a.failure != null || c.last("a") > sofar + 100);
            (cut % 2 == 0 ? toA : toC).cut();
        }
        awaitLast(c, "a", a.stopFeeding());
        awaitLast(a, "c", c.stopFeeding());
        assertThat(b.lastFrom).as("what the relay on the way saw").isEmpty();
        until(() -> a.status("c").roundTripMicros() >= 12_000);
    }

    @Tag("long")
    @Test
    void goesOverAFasterWayWhenOneComes() throws Exception {
        b = sites.start(sites.listening("b"));
        TestRelay d = sites.start(sites.listening("d"));
        WanWay fast = sites.way(1, 0);
        LinkConfig toBoth = dial(dial(sites.dialling("a").lanes(1), b, sites.way(20, 0)), d, fast);
        fast.down();
        a = sites.start(toBoth);
        c = sites.start(dial(dial(sites.dialling("c"), b, sites.way(20, 0)), d, sites.way(1, 0)));
        awaitPaths(a, "c", "via b");
        a.feed("c");
        c.feed("a");
        fast.up();
        awaitPaths(a, "c", "via d");
        assertThat(a.status("c").moves()).isEqualTo(1);
        long then = c.last("a");
        until(() -> c.failure != null || c.last("a") > then + 500);
        awaitLast(c, "a", a.stopFeeding());
        awaitLast(a, "c", c.stopFeeding());
        assertThat(a.events).contains("up c 1").doesNotContain("down c");
        assertThat(c.events).contains("up a 1").doesNotContain("down a");
        until(() -> streams(b).carried() == 0 && streams(d).carried() == 1);
    }

    /** When it went there it was hardly longer than the other one. */
    @Tag("long")
    @Test
    void aLaneLeavesAWayThatIsLongByNow() throws Exception {
        b = sites.start(sites.listening("b"));
        TestRelay d = sites.start(sites.listening("d"));
        WanWay first = sites.way(16, 0);
        WanWay second = sites.way(16, 0);
        a = sites.start(dial(dial(sites.dialling("a"), b, sites.way(20, 0)), d, first));
        c = sites.start(dial(dial(sites.dialling("c"), b, sites.way(20, 0)), d, second));
        awaitPaths(a, "c", "via b", "via d");
        a.feed("c");
        WanShape near = WanShape.of(1, 0);
        first.shape(near, near);
        second.shape(near, near);
        awaitPaths(a, "c", "via d");
        awaitLast(c, "a", a.stopFeeding());
    }

    @Tag("long")
    @Test
    void staysWhereItIsForAWayThatIsHardlyFaster() throws Exception {
        b = sites.start(sites.listening("b"));
        TestRelay d = sites.start(sites.listening("d"));
        WanWay other = sites.way(76, 0);
        LinkConfig toBoth = dial(dial(sites.dialling("a"), b, sites.way(80, 0)), d, other);
        other.down();
        a = sites.start(toBoth);
        c = sites.start(dial(dial(sites.dialling("c"), b, sites.way(80, 0)), d, sites.way(76, 0)));
        awaitPaths(a, "c", "via b");
        other.up();
        until(() -> a.call(() -> a.links.routing().to("c")).size() == 2);
        during(10, () -> a.status("c").moves() == 0);
    }

    @Tag("long")
    @Test
    void takesTheStraightWayWhenItComes() throws Exception {
        WanWay straight = sites.way(3, 0);
        overB("a", "c", 3, straight);
        a.feed("c");
        c.feed("a");
        straight.up();
        awaitPaths(a, "c", "direct");
        until(() -> streams(b).carried() == 0);
        straight.down();
        awaitPaths(a, "c", "via b");
        awaitLast(c, "a", a.stopFeeding());
        awaitLast(a, "c", c.stopFeeding());
    }

    /** From when it has said what it has until the other end hears that, frames come on the old way: those are written again. */
    @Test
    void movesToLongerDirectPathAndIgnoresLateFrames() throws Exception {
        WanWay straight = sites.way(100, 0);
        overB("a", "c", 1, straight);
        straight.up();
        Random random = new Random(2);
        int[] sent = new int[1];
        until(() -> {
            for (int i = 0; i < 20; i++) {
                c.send("a", Frames.send(++sent[0], 100, random)); // None is long: those have numbers, and would be known again.
            }
            return paths(a, "c").equals(List.of("direct"));
        });
        awaitLast(a, "c", sent[0]);
        during(6, () -> a.status("c").moves() == 1);
        assertThat(a.events).doesNotContain("down c");
        assertThat(c.events).doesNotContain("down a");
    }

    @Tag("long")
    @Test
    void takesTheStraightWayThatTheLargerDials() throws Exception {
        WanWay straight = sites.way(3, 0);
        overB("c", "a", 3, straight);
        a.feed("c");
        straight.up();
        awaitPaths(a, "c", "direct");
        awaitPaths(c, "a", "direct");
        awaitLast(c, "a", a.stopFeeding());
        assertThat(a.events).doesNotContain("down c");
        assertThat(c.events).doesNotContain("down a");
    }

    /** Its address is said to be that of another relay of its site. */
    @Tag("long")
    @Test
    void staysOnDetourWhileDirectAddressRefusesConnection() throws Exception {
        b = sites.start(sites.listening("b"));
        TestRelay other = sites.start(sites.listening("c/2"));
        c = sites.start(dial(sites.dialling("c"), b, sites.way(1, 0)));
        a = sites.start(dial(sites.dialling("a"), b, sites.way(1, 0)).peer("c", "127.0.0.1:" + other.links.port()));
        awaitPaths(a, "c", "via b");
        int downs = c.downs.size();
        a.feed("c");
        c.feed("a");
        long refused = a.refusals(LinkRefusal.REFUSED_BY_PEER);
        until(() -> a.refusals(LinkRefusal.REFUSED_BY_PEER) > refused + 5);
        awaitLast(c, "a", a.stopFeeding());
        awaitLast(a, "c", c.stopFeeding());
        assertThat(a.downs).isEmpty();
        assertThat(c.downs).hasSize(downs);
        assertThat(a.status("c").moves()).isZero();
    }

    @Test
    void parksWhileNoRelayLeadsThereAndGoesOnOverAnotherOne() throws Exception {
        b = sites.start(sites.listening("b"));
        WanWay toB = sites.way(3, 0);
        TestRelay d = sites.start(sites.listening("d"));
        WanWay toD = sites.way(3, 0);
        LinkConfig toBoth = dial(dial(sites.dialling("a"), b, toB), d, toD);
        toD.down();
        a = sites.start(toBoth);
        c = sites.start(dial(dial(sites.dialling("c"), b, sites.way(3, 0)), d, sites.way(3, 0)));
        awaitPaths(a, "c", "via b");
        a.feed("c");
        toB.down();
        until(() -> !a.isUp("c") && !c.isUp("a"));
        assertThat(a.downs).as("both ends hear of it, and not by their silence").extracting(CloseNotice::reason).isNotEmpty()
                .doesNotContain(CloseReason.TIMEOUT);
        assertThat(c.downs).extracting(CloseNotice::reason).isNotEmpty().doesNotContain(CloseReason.TIMEOUT);
        toD.up();
        awaitPaths(a, "c", "via d");
        awaitLast(c, "a", a.stopFeeding());
        awaitPaths(a, "b", "via d, c");
    }

    @Tag("long")
    @Test
    void goesOverThreeRelaysAndNotOverFour() throws Exception {
        TestRelay[] chain = new TestRelay[6];
        for (int i = 0; i < chain.length; i++) {
            LinkConfig config = sites.listening("r" + i);
            chain[i] = sites.start(i == 0 ? config : dial(config, chain[i - 1], sites.way(1, 0)));
        }
        awaitPaths(chain[0], "r4", "via r1, r2, r3");
        awaitPaths(chain[1], "r5", "via r2, r3, r4");
        chain[0].feed("r4");
        until(() -> chain[4].last("r0") > 300);
        awaitLast(chain[4], "r0", chain[0].stopFeeding());
        during(5, () -> chain[0].status("r5") == null);
    }

    @Test
    void refusesToForwardAlongInvalidPaths() throws Exception {
        b = sites.start(sites.listening("b"));
        a = sites.start(dial(sites.dialling("a"), b, sites.way(0, 0)));
        c = sites.start(dial(sites.dialling("c"), b, sites.way(0, 0)));
        awaitUp(a, c);
        assertThat(refusal(a, "b", "links a b x")).startsWith("SITE_UNREACHABLE").contains("no straight link to relay x");
        assertThat(refusal(a, "b", "links x b c")).startsWith("SITE_UNREACHABLE");
        assertThat(refusal(a, "b", "links b a c")).startsWith("SITE_UNREACHABLE");
        assertThat(refusal(a, "b", "links a b a")).startsWith("LIMIT");
        assertThat(refusal(a, "b", "links a b")).startsWith("LIMIT");
        assertThat(refusal(a, "b", "links a b c d e f")).startsWith("LIMIT");
        assertThat(refusal(a, "b", "links a b A:")).startsWith("LIMIT");
        assertThat(refusal(a, "c", "links a c b")).as("a path within a path").startsWith("SITE_UNREACHABLE");
        assertThat(streams(b).open()).as("the link's own lane").isEqualTo(2);
    }

    /** {@code dialling} and {@code listening} have b between them, and a straight way that is down. @param wayMs to b, from each */
    private void overB(String dialling, String listening, double wayMs, WanWay straight) throws Exception {
        b = sites.start(sites.listening("b"));
        TestRelay dialled = sites.start(dial(sites.listening(listening), b, sites.way(wayMs, 0)));
        LinkConfig toBoth = dial(dial(sites.dialling(dialling), b, sites.way(wayMs, 0)), dialled, straight);
        straight.down();
        TestRelay dials = sites.start(toBoth);
        a = dialling.equals("a") ? dials : dialled;
        c = dialling.equals("a") ? dialled : dials;
        awaitPaths(a, "c", "via b");
    }

    private static String refusal(TestRelay from, String relay, String door) throws Exception {
        CompletableFuture<String> told = new CompletableFuture<>();
        from.call(() -> from.links.streams().open(relay, door, new LinkStream.Listener() {
            @Override
            public void onBytes(ByteBuf bytes, boolean last) {
                bytes.release();
            }

            @Override
            public void onWritable() {
                told.complete("accepted");
            }

            @Override
            public void onDone() {
                told.complete("done");
            }

            @Override
            public void onEnded(CloseReason closeReason, String text) {
                told.complete(closeReason + ": " + text);
            }
        }));
        return told.get(60, TimeUnit.SECONDS);
    }
}
