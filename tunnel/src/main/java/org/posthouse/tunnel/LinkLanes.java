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
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.window.CongestionControl;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;

/**
 * The connections of a link. Confined to the link's context.
 *
 * <p>Lane 0 begins and ends a session. The end that dialled lane 0 dials the other lanes; they name the session and end
 * with it. If a further lane alone is lost, it is dialled again, and its unacknowledged frames are written again on
 * other lanes. Lane 0 carries heads, and carries bulk only while it is the sole lane. The other lanes carry bulk.
 */
final class LinkLanes {
    /**
     * Bytes in flight per connection before another lane helps: 2 MiB, half of the 4 MiB that Linux gives a
     * connection's buffers by default. Lanes are thus added before the first one is full.
     */
    private static final long LANE_BYTES = 2L * 1024 * 1024;

    /** A path counts as good if its round trip is at most this factor times the shortest, */
    private static final double LONGER = 1.5;

    /** plus this much, so that the load of a machine does not matter. */
    private static final int LONGER_MICROS = 2_000;

    /** A lane leaves its path when that is longer than this factor times the limit of a good path. */
    private static final int TOO_LONG = 2;

    /**
     * A path that refused a lane is avoided for one ping interval, then for twice as long each time, at most for 32
     * intervals.
     */
    private static final int SHUNNED_TIMES_MAX = 5;

    /** The number that means no lane. */
    static final int NONE = -1;

    /** The number that means no session; sessions count from 1. */
    static final long NO_SESSION = 0;

    private final Links links;
    private final Link link;

    /** The further lanes, from index 1. Null at numbers that were never used. */
    private final Lane[] lanes = new Lane[LinkWindow.LANES_MAX];

    /** Lane 0 of the session; null if there is no session. */
    private LinkConnection first;

    /** Bytes received and sent on connections that have ended, by lane. */
    private final long[] bytesIn = new long[LinkWindow.LANES_MAX];

    private final long[] bytesOut = new long[LinkWindow.LANES_MAX];

    /** Last known time per bulk frame on each offered path. */
    private final Map<LinkPath, FrameTime> frames = new HashMap<>();

    private long session = NO_SESSION;
    private int wanted;
    private int wantedByPeer = 1;

    /**
     * The lane that carried bulk last. The search for the next lane begins behind it, so that equal lanes take turns.
     */
    private int last;

    /** Offered paths on which a lane could not be opened. */
    private final Map<LinkPath, Shunned> shunned = new HashMap<>();

    private record FrameTime(int micros, long atNanos) {}

    /** @param times consecutive failures, minus one */
    private record Shunned(int times, long untilNanos) {}

    /** A lane other than lane 0. */
    private final class Lane implements LinkDialer.Target {
        private final int number;
        private LinkDialer dialler;
        private LinkConnection connection;

        /** Whether the lane was dialled in this session, or has joined it. */
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

        /**
         * A lane that is up keeps its connection. The new path does not accept a lane, for example because the
         * gateway's streams are all in use.
         */
        @Override
        public void onDialFailed(CloseNotice why) {
            if (!dialler.path().isDirect()) {
                shun(dialler.path());
            }
            if (isUp()) {
                dialler.stop();
            }
        }

        /** Replaces the old connection, if there is one; its unacknowledged frames are written again. */
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
                dialler = new LinkDialer(links, link, this);
            }
            dialler.dial();
        }

        private boolean isDialling() {
            return dialler != null && dialler.isBusy();
        }

        /** The path that the lane uses or is being dialled over; null if none. */
        private LinkPath way() {
            if (isDialling()) {
                return dialler.path();
            }
            return connection == null ? null : connection.path();
        }

        private boolean isUp() {
            return connection != null && connection.isUp();
        }

        /** Stops dialling and cuts the connection without telling the peer. */
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

    /** Begins a session with its first connection. */
    void begin(LinkConnection connection, long newSession) {
        first = connection;
        session = newSession;
        if (connection.dialled()) {
            open();
        } else if (wanted > 1) {
            connection.wantLanes(wanted);
        }
    }

    /** Ends the session; nothing from its lanes arrives any more. */
    void end(CloseNotice why) {
        first = null;
        for (Lane lane : lanes) {
            if (lane != null) {
                lane.cut(why);
                lane.inSession = false;
            }
        }
    }

    /** Handles the LINK_HELLO of a further lane. The lane joins the session, or is closed if its session is over. */
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
                && number < LinkWindow.LANES_MAX
                && (!connection.dialled() || lane(number).connection == connection);
    }

    /** Called when the connection of a further lane has ended. */
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

    /**
     * Closes further lanes with revoked certificates. A lane that was dialled later than the first may have shown
     * another certificate.
     */
    void onRevocations(RevocationList list) {
        for (Lane lane : lanes) {
            if (lane != null && lane.isUp()) {
                link.endIfRevoked(lane.connection, list);
            }
        }
    }

    /**
     * Called with the estimated bandwidth-delay product in bytes; a larger product calls for more lanes. The wanted
     * number of lanes only grows.
     */
    void onProduct(long bytes) {
        if (links.config().limits().lanes() == 0 && bytes > wanted * LANE_BYTES) {
            wanted = (int) Math.min(LinkWindow.LANES_MAX, 1 + (bytes + LANE_BYTES - 1) / LANE_BYTES);
            if (first != null && first.dialled()) {
                open();
            } else if (first != null) {
                first.wantLanes(wanted);
            }
        }
    }

    void onWantedByPeer(long count) {
        wantedByPeer = (int) Math.clamp(count, 1, LinkWindow.LANES_MAX);
        if (first != null && first.dialled()) {
            open();
        }
    }

    /**
     * The number of lanes that the dialling end opens. It is the configured number, if set. Otherwise it is the larger
     * of both ends' wishes, or one lane per good path besides lane 0.
     */
    private int count() {
        if (links.config().limits().lanes() > 0) {
            return wanted;
        }
        int ways = first.path().isDirect() ? 1 : goodRoutes().size();
        return Math.min(LinkWindow.LANES_MAX, Math.max(Math.max(wanted, wantedByPeer), ways > 1 ? 1 + ways : 1));
    }

    // ---- paths over other relays

    /**
     * Called when routes over other relays have changed. Lanes leave paths that are no longer offered or have become
     * long, and move to new ones.
     */
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

    /**
     * Routes not much longer than the shortest. Bulk is delivered in order, so a lane on a longer path would delay
     * frames on others.
     */
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
     * Time for a bulk frame to leave on this path, in its slower direction, in microseconds. Returns 0 if its lanes
     * were not full recently. The value outlives the session. Otherwise a first lane that left a slow path would
     * consider it good again.
     */
    int frameMicros(LinkPath path) {
        long rate = rate(path);
        if (rate > 0) {
            int micros = (int) Math.clamp(CongestionControl.FRAME_BYTES * TimeUnit.SECONDS.toMicros(1) / rate, 1, Integer.MAX_VALUE);
            frames.put(path, new FrameTime(micros, System.nanoTime()));
        }
        FrameTime known = frames.get(path);
        return known == null || System.nanoTime() - known.atNanos > CongestionControl.RATE_OLD_NANOS ? 0 : known.micros;
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

    /** Number of lanes other than {@code but} that use this path or are being dialled over it. */
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

    /**
     * The good path with the fewest other lanes, preferring paths that have not just refused one. The lower load
     * decides between equals. A lane that is up only moves to a different path.
     */
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

    /** The distinct paths of the lanes that are up, the first lane's path first. */
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

    /**
     * The lane for the next bulk frame: the one on which it arrives soonest, in turn among equals. Returns
     * {@link #NONE} if no lane may take more.
     */
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

    /** Received bytes of incomplete bulk frames, on lanes that do not report them themselves. */
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

    /** Adds the byte counts of a connection that has ended to its lane's totals. */
    void count(LinkConnection ended) {
        if (ended.isUp()) {
            bytesIn[ended.lane()] += ended.bytesIn();
            bytesOut[ended.lane()] += ended.bytesOut();
        }
    }

    /** Status of lane 0, and of every other lane that ever existed. */
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

    /** Number of lanes that carry frames now. */
    int up() {
        return first == null ? 0 : 1 + (int) Arrays.stream(lanes).filter(Objects::nonNull).filter(Lane::isUp).count();
    }
}
