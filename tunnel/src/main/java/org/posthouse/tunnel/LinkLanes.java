package org.posthouse.tunnel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.keys.RevocationList;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;

/**
 * The connections of a link. Confined to its link.
 *
 * <p>Lane 0 is the link's own: with it a session begins and ends. The other lanes join a session: they are dialled by the end that dialled lane 0, name
 * the session, and end with it. One that is lost alone is dialled again; what was on it is written again on others. Lane 0 carries
 * heads, and bulk as long as it is alone; the others carry bulk.
 */
final class LinkLanes {
    /**
     * What a connection may have on its way before another one is of use: half of 4 MiB, the most that Linux gives a connection's
     * buffers by default, so that there are more before the first one is full.
     */
    private static final long LANE_BYTES = 2L * 1024 * 1024;

    /** A way that is so much longer than the shortest is as good, */
    private static final double LONGER = 1.5;

    /** and so much more, so that it does not matter how busy a machine is. */
    private static final int LONGER_MICROS = 2_000;

    /** A lane that is on a way stays there until it is so many times longer than a good one. */
    private static final int TOO_LONG = 2;

    /** A way that takes no lane is left alone for a ping, then for twice as long, and for 32 pings at last. */
    private static final int SHUNNED_TIMES_MAX = 5;

    /** No lane. */
    static final int NONE = -1;

    /** No session: they count from 1. */
    static final long NO_SESSION = 0;

    private final Links links;
    private final Link link;

    /** From 1. Null where no lane was ever. */
    private final Lane[] lanes = new Lane[LinkLimits.LANES_MAX];

    /** Lane 0 of the session; null if there is none. */
    private LinkConnection first;

    /** Bytes that came and went on connections that have ended, by lane. */
    private final long[] bytesIn = new long[LinkLimits.LANES_MAX];

    private final long[] bytesOut = new long[LinkLimits.LANES_MAX];

    /** How long a frame took last on the ways that are offered. */
    private final Map<LinkPath, FrameTime> frames = new HashMap<>();

    private long session = NO_SESSION;
    private int wanted;
    private int wantedByPeer = 1;

    /** The lane that bulk went to last, behind which those that have as little on their way as others take turns. */
    private int last;

    /** Ways that are offered, and over which a lane could not be made. */
    private final Map<LinkPath, Shunned> shunned = new HashMap<>();

    private record FrameTime(int micros, long atNanos) {}

    /** @param times in a row that it was not possible, but one */
    private record Shunned(int times, long untilNanos) {}

    /** A further lane. */
    private final class Lane implements LinkDialler.Target {
        private final int number;
        private LinkDialler dialler;
        private LinkConnection connection;

        /** Whether it was dialled in this session, or has joined it. */
        private boolean inSession;

        private Lane(int number) {
            this.number = number;
        }

        @Override
        public int lane() {
            return number;
        }

        @Override
        public LinkPath path(int failures) {
            return pathFor(this, failures);
        }

        /** One that is up stays where it is: what it was to go to takes no lane, as a gateway whose streams are all in use. */
        @Override
        public void onDialFailed(CloseNotice why) {
            if (!dialler.path().isDirect()) {
                shun(dialler.path());
            }
            if (isUp()) {
                dialler.stop();
            }
        }

        /** What was on its old connection, if it had one, is written again. */
        @Override
        public void onDialled(LinkConnection dialled) {
            LinkConnection old = connection;
            connection = dialled;
            if (old != null) {
                old.cut(CloseNotice.closing(0, CloseReason.NORMAL, "replaced by a newer connection, " + dialled));
                link.emission().onLaneLost(number);
            }
            dialled.greet(link.hello(link.relay(), number, session));
        }

        private void dial() {
            inSession = true;
            if (dialler == null) {
                dialler = new LinkDialler(links, link, this);
            }
            dialler.dial();
        }

        private boolean isDialling() {
            return dialler != null && dialler.isBusy();
        }

        /** The way that it goes, or is to go; null if it does not. */
        private LinkPath way() {
            if (isDialling()) {
                return dialler.path();
            }
            return connection == null ? null : connection.path();
        }

        private boolean isUp() {
            return connection != null && connection.isUp();
        }

        /** Ends what there is of it, without a word. */
        private void cut(CloseNotice why) {
            if (dialler != null) {
                dialler.stop();
            }
            if (connection != null) {
                LinkConnection ending = connection;
                connection = null;
                ending.cut(why);
            }
        }
    }

    LinkLanes(Links links, Link link) {
        this.links = links;
        this.link = link;
        this.wanted = Math.max(1, links.config().limits().lanes());
    }

    /** A session begins, with its first connection. */
    void begin(LinkConnection connection, long newSession) {
        first = connection;
        session = newSession;
        if (connection.dialled()) {
            open();
        } else if (wanted > 1) {
            connection.wantLanes(wanted);
        }
    }

    /** The session is over: nothing of its lanes comes any more. */
    void end(CloseNotice why) {
        first = null;
        for (Lane lane : lanes) {
            if (lane != null) {
                lane.cut(why);
                lane.inSession = false;
            }
        }
    }

    /** A connection of another lane than the first has been greeted: it joins the session, or comes too late for its own. */
    void onHello(LinkConnection connection, LinkHello hello) {
        int number = hello.lane();
        if (!belongs(connection, hello)) {
            connection.close(CloseNotice.closing(
                    0, CloseReason.NORMAL, "lane " + number + " of session " + hello.session() + " comes too late or is none"));
            return;
        }
        Lane lane = lane(number);
        if (!connection.dialled()) {
            if (lane.connection != null) {
                lane.cut(CloseNotice.closing(0, CloseReason.NORMAL, "replaced by a newer connection, " + connection));
                link.emission().onLaneLost(number);
            }
            lane.connection = connection;
            connection.greet(link.hello("", number, session));
        }
        lane.inSession = true;
        if (connection.dialled()) {
            lane.dialler.succeeded();
            shunned.remove(connection.path());
        }
        connection.begin(link, number);
        link.emission().onLaneUp(connection);
    }

    private boolean belongs(LinkConnection connection, LinkHello hello) {
        int number = hello.lane();
        return first != null
                && first.isUp()
                && first.dialled() == connection.dialled()
                && hello.session() == session
                && link.isPresent(hello)
                && number > 0
                && number < LinkLimits.LANES_MAX
                && (!connection.dialled() || lane(number).connection == connection);
    }

    /** This connection, of another lane than the first, has ended. */
    void onEnded(LinkConnection connection) {
        for (Lane lane : lanes) {
            if (lane != null && lane.connection == connection) {
                lane.connection = null;
                if (connection.dialled()) {
                    if (connection.isUp()) {
                        lane.dialler.succeeded();
                    }
                    lane.dialler.dialLater();
                }
                if (connection.isUp()) {
                    link.emission().onLaneLost(lane.number);
                }
            }
        }
    }

    /** A lane that was dialled later than the first may have shown another certificate. */
    void onRevocations(RevocationList list) {
        for (Lane lane : lanes) {
            if (lane != null && lane.isUp()) {
                link.endIfRevoked(lane.connection, list);
            }
        }
    }

    /** So much is on its way at once, as far as is known: more lanes may be of use. Their number only grows. */
    void onProduct(long bytes) {
        if (links.config().limits().lanes() == 0 && bytes > wanted * LANE_BYTES) {
            wanted = (int) Math.min(LinkLimits.LANES_MAX, 1 + (bytes + LANE_BYTES - 1) / LANE_BYTES);
            if (first != null && first.dialled()) {
                open();
            } else if (first != null) {
                first.wantLanes(wanted);
            }
        }
    }

    void onWantedByPeer(long count) {
        wantedByPeer = (int) Math.clamp(count, 1, LinkLimits.LANES_MAX);
        if (first != null && first.dialled()) {
            open();
        }
    }

    /** How many lanes this end dials if it dials: what it was told to, or what either end has use for, and one for each good way. */
    private int count() {
        if (links.config().limits().lanes() > 0) {
            return wanted;
        }
        int ways = first.path().isDirect() ? 1 : goodRoutes().size();
        return Math.min(LinkLimits.LANES_MAX, Math.max(Math.max(wanted, wantedByPeer), ways > 1 ? 1 + ways : 1));
    }

    // ---- over other relays

    /** Ways over other relays have changed: lanes leave those that are not offered any more, or are long by now, and go to new ones. */
    void onRoutes() {
        List<LinkPath> offered = links.routing().to(link.relay()).stream().map(LinkRoutes.Route::path).toList();
        frames.keySet().retainAll(offered);
        shunned.keySet().retainAll(offered);
        if (first == null || !first.isUp() || !first.dialled() || first.path().isDirect()) {
            return;
        }
        open();
        List<LinkPath> good = goodRoutes().stream().map(LinkRoutes.Route::path).toList();
        List<LinkPath> tolerable = routesWithin(TOO_LONG * goodMicros()).stream().map(LinkRoutes.Route::path).toList();
        for (Lane lane : lanes) {
            boolean idle = lane != null && lane.isUp() && !lane.isDialling();
            boolean lonely = good.stream().anyMatch(path -> users(path, lane) == 0 && !isShunned(path));
            if (idle && !good.isEmpty() && (!tolerable.contains(lane.way()) || lonely && users(lane.way(), lane) > 0)) {
                lane.dial();
            }
        }
    }

    /** Ways that are not much longer than the shortest: bulk is handed over in order, so one on a longer way would hold up what comes on others. */
    private List<LinkRoutes.Route> goodRoutes() {
        return routesWithin(goodMicros());
    }

    private long goodMicros() {
        List<LinkRoutes.Route> routes = links.routing().to(link.relay());
        return routes.isEmpty() ? 0 : (long) (routes.getFirst().roundTripMicros() * LONGER) + LONGER_MICROS;
    }

    private List<LinkRoutes.Route> routesWithin(long micros) {
        return links.routing().to(link.relay()).stream().filter(route -> route.roundTripMicros() <= micros).toList();
    }

    /**
     * How long a frame of bulk takes to leave on this way, in the direction that is slower, in microseconds; 0 if its lanes were not full for a while. It is known for longer than a session lasts:
     * else a first lane that has left a way because that is slow would find it as good as ever.
     */
    int frameMicros(LinkPath path) {
        long rate = rate(path);
        if (rate > 0) {
            int micros = (int) Math.clamp(LinkGovernor.FRAME_BYTES * TimeUnit.SECONDS.toMicros(1) / rate, 1, Integer.MAX_VALUE);
            frames.put(path, new FrameTime(micros, System.nanoTime()));
        }
        FrameTime known = frames.get(path);
        return known == null || System.nanoTime() - known.atNanos > LinkGovernor.RATE_OLD_NANOS ? 0 : known.micros;
    }

    private long rate(LinkPath path) {
        long out = 0;
        long in = 0;
        for (Lane lane : lanes) {
            if (lane != null && lane.isUp() && path.equals(lane.connection.path())) {
                out += link.emission().rate(lane.number);
                in += lane.connection.peerRate();
            }
        }
        return out == 0 || in == 0 ? Math.max(out, in) : Math.min(out, in);
    }

    /** Lanes but this one that go this way or are to. */
    private int users(LinkPath path, Lane but) {
        return (int) Arrays.stream(lanes).filter(lane -> lane != null && lane != but && path.equals(lane.way())).count();
    }

    private void shun(LinkPath path) {
        int times = Math.min(SHUNNED_TIMES_MAX, shunned.containsKey(path) ? shunned.get(path).times + 1 : 0);
        long nanos = TimeUnit.MILLISECONDS.toNanos((long) links.config().timeouts().pingMs() << times);
        shunned.put(path, new Shunned(times, System.nanoTime() + nanos));
    }

    private boolean isShunned(LinkPath path) {
        Shunned entry = shunned.get(path);
        return entry != null && entry.untilNanos - System.nanoTime() > 0;
    }

    /** The good way that the fewest other lanes go, and that has not just refused one; of equals the one with the least on its way. One that is up goes on to another way only. */
    private LinkPath pathFor(Lane lane, int failures) {
        if (first.path().isDirect()) {
            return LinkPath.DIRECT;
        }
        List<LinkPath> paths = goodRoutes().stream()
                .filter(route -> !lane.isUp() || !route.path().equals(lane.connection.path()) && !isShunned(route.path()))
                .sorted(Comparator.<LinkRoutes.Route, Boolean>comparing(route -> isShunned(route.path()))
                        .thenComparingInt(route -> users(route.path(), lane))
                        .thenComparingLong(LinkRoutes.Route::load))
                .map(LinkRoutes.Route::path)
                .toList();
        return paths.isEmpty() ? null : paths.get(failures % paths.size());
    }

    /** The ways of the lanes that are up, each once, that of the first lane first. */
    List<LinkPath> paths() {
        Set<LinkPath> paths = new LinkedHashSet<>();
        if (first != null) {
            paths.add(first.path());
        }
        Arrays.stream(lanes).filter(lane -> lane != null && lane.isUp()).forEach(lane -> paths.add(lane.way()));
        return List.copyOf(paths);
    }

    private void open() {
        for (int number = 1; number < count(); number++) {
            if (lane(number).connection == null && !lane(number).isDialling()) {
                lane(number).dial();
            }
        }
    }

    private Lane lane(int number) {
        if (lanes[number] == null) {
            lanes[number] = new Lane(number);
        }
        return lanes[number];
    }

    /** The lane for the next frame of bulk, that on which it would come first, of equals the next in turn; {@link #NONE} if none takes more. */
    int forBulk(LinkWindow window) {
        int soonest = NONE;
        int best = NONE;
        for (int behind = 1; behind <= lanes.length; behind++) {
            Lane lane = lanes[(last + behind) % lanes.length];
            if (lane != null && lane.isUp()) {
                boolean takesMore = window.allowsBulk(lane.number) && lane.connection.writable();
                soonest = soonest == NONE || window.isSooner(lane.number, soonest) ? lane.number : soonest;
                best = takesMore && (best == NONE || window.isSooner(lane.number, best)) ? lane.number : best;
            }
        }
        if (soonest == NONE) {
            return window.allowsBulk(0) && first.writable() ? 0 : NONE;
        }
        boolean waits = best != soonest && best != NONE && lanes[best].connection.tellsWhatCame() && !window.pays(best, soonest);
        return waits ? NONE : best;
    }

    /** What came of bulk whose rest has not, on any lane that does not say so itself. */
    long incompleteBytes() {
        long bytes = first == null ? 0 : first.incompleteBytes();
        for (Lane lane : lanes) {
            bytes += lane != null && lane.isUp() && !lane.connection.tellsWhatCame() ? lane.connection.incompleteBytes() : 0;
        }
        return bytes;
    }

    void write(int lane, LinkFrame frame) {
        if (lane == 0) {
            first.write(frame);
        } else {
            lanes[lane].connection.write(frame);
            last = lane;
        }
    }

    /** What went over this connection, which has ended, stays counted. */
    void count(LinkConnection ended) {
        if (ended.isUp()) {
            bytesIn[ended.lane()] += ended.bytesIn();
            bytesOut[ended.lane()] += ended.bytesOut();
        }
    }

    /** Lane 0, and every other that ever was. */
    List<LinkStatus.Lane> status(LinkWindow window) {
        List<LinkStatus.Lane> told = new ArrayList<>();
        for (int number = 0; number < lanes.length; number++) {
            if (number == 0 || lanes[number] != null) {
                told.add(number == 0
                        ? status(0, first, first != null, window)
                        : status(number, lanes[number].connection, lanes[number].inSession, window));
            }
        }
        return told;
    }

    private LinkStatus.Lane status(int number, LinkConnection connection, boolean inSession, LinkWindow window) {
        boolean up = connection != null && connection.isUp();
        return new LinkStatus.Lane(
                number,
                up,
                inSession,
                up ? connection.path().via() : List.of(),
                bytesIn[number] + (up ? connection.bytesIn() : 0),
                bytesOut[number] + (up ? connection.bytesOut() : 0),
                up ? window.unacknowledged(number) : 0);
    }

    /** Lanes that carry frames now. */
    int up() {
        return first == null ? 0 : 1 + (int) Arrays.stream(lanes).filter(Objects::nonNull).filter(Lane::isUp).count();
    }
}
