package org.posthouse.tunnel;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.Comparator;
import java.util.List;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Provides a link's first lane: directly if there is an address, and over other relays while that fails. Confined to
 * its link.
 *
 * <p>A direct connection is preferred to any detour, and is retried forever. Among detours, the one with the shortest
 * round trip is used. A lane changes its path in three cases: the path is no longer offered, only a drained relay
 * offers it, or another path is clearly faster. The new lane is secured before the old one ends.
 */
final class LinkEstablishment {
    /** Factor by which a path must be faster to justify a change. */
    private static final double FASTER = 1.2;

    /** Minimum difference for a change; smaller ones are noise of a busy machine. */
    private static final int FASTER_MICROS = 1_000;

    /** Number of consecutive pings at which the other path must be faster. */
    private static final int PINGS = 3;

    /** Lane number of the probe to the peer; any number but 0. */
    private static final int LANE_ASKED = 1;

    private final Links links;
    private final Link link;
    private final LinkDialer straight;
    private final LinkDialer over;
    private final boolean hasAddress;
    private ScheduledFuture<?> wait;

    /**
     * The direct connection that probes the peer; null if there is none. It is used while the link goes over other
     * relays, because a session ends before its successor is greeted. The direct address may lead to a different relay,
     * or to one that refuses this relay. The peer closes the probe's lane as NORMAL once it has passed all checks of a
     * first lane.
     */
    private LinkConnection asking;

    /** True if the peer would accept a direct connection now. */
    private boolean welcome;

    /** Number of consecutive pings at which another path was faster. */
    private int faster;

    /** The fastest path at the last of them; null if there was none. */
    private LinkPath fastest;

    /** Target of a dialler for the first lane, on one kind of path. */
    private final class Way implements LinkDialer.Target {
        private final boolean direct;

        private Way(boolean direct) {
            this.direct = direct;
        }

        @Override
        public int lane() {
            return direct && link.isUp() && !welcome ? LANE_ASKED : 0;
        }

        @Override
        public LinkPath path(int failures) {
            if (direct) {
                return LinkPath.DIRECT;
            }
            // While the link is up, only other paths than its own qualify, and none that should be left.
            List<LinkPath> paths = links.routing().to(link.relay()).stream()
                    .filter(route -> !link.isUp() || !route.isLastResort() && !route.path().equals(link.first().path()))
                    .map(LinkRoutes.Route::path)
                    .toList();
            if (failures == 0 && fastest != null && paths.contains(fastest)) {
                return fastest;
            }
            return paths.isEmpty() ? null : paths.get(failures % paths.size());
        }

        @Override
        public void onDialling() {
            link.onDialling();
        }

        @Override
        public void onDialFailed(CloseNotice why) {
            if (direct) {
                welcome = false;
            }
            if (!direct && link.isUp()) {
                over.stop();
            } else {
                link.onDialFailed(why);
                dialOverLater();
            }
        }

        @Override
        public void onDialled(LinkConnection connection) {
            if (connection.lane() == LANE_ASKED) {
                asking = connection;
                connection.greet(link.hello(link.relay(), LANE_ASKED, LinkLanes.NO_SESSION));
            } else {
                if (direct) {
                    welcome = false;
                }
                link.onDialled(connection);
            }
        }
    }

    LinkEstablishment(Links links, Link link) {
        this.links = links;
        this.link = link;
        this.hasAddress = links.config().peers().containsKey(link.relay());
        this.straight = new LinkDialer(links, link, new Way(true));
        this.over = new LinkDialer(links, link, new Way(false));
    }

    /** Begins to dial, if an address is known. */
    void start() {
        if (hasAddress) {
            straight.dial();
        }
    }

    void stop() {
        straight.stop();
        over.stop();
        stopWaiting();
        stopAsking();
    }

    /** Called when the link is up on this first lane. */
    void onUp(LinkConnection first) {
        over.stop();
        stopWaiting();
        faster = 0;
        fastest = null;
        if (first.path().isDirect()) {
            straight.stop();
            stopAsking();
        } else if (hasAddress && !straight.isBusy() && asking == null) {
            straight.dialLater();
        }
    }

    /**
     * Called when the first lane has ended.
     *
     * @param progressed whether the lane made progress
     */
    void onEnded(LinkConnection ended, boolean progressed) {
        stopAsking();
        LinkDialer its = ended.path().isDirect() ? straight : over;
        if (progressed) {
            its.succeeded();
        }
        if (hasAddress && (its == straight || !straight.isBusy())) {
            straight.dialLater();
        }
        if (its == over && mayGoOver()) {
            if (progressed) {
                over.dial();
            } else {
                over.dialLater();
            }
        } else {
            dialOverLater();
        }
    }

    /**
     * Handles the end of {@code ended}, which is not a lane.
     *
     * @return whether it was the probe to the peer
     */
    boolean tryAnswer(LinkConnection ended, CloseNotice why) {
        if (ended != asking) {
            return false;
        }
        asking = null;
        welcome = ended.isClosedByPeer() && why.reason() == CloseReason.NORMAL;
        if (welcome) {
            straight.dial();
        } else {
            straight.dialLater();
        }
        return true;
    }

    /** Called when paths over other relays have appeared, disappeared or changed. */
    void onRoutes() {
        if (link.isUp()) {
            changeIfWorse();
        } else {
            dialOverLater();
        }
    }

    /** Called when the first lane's round trip was measured. */
    void onRoundTrip() {
        LinkRoutes.Route mine = route();
        if (mine != null) {
            fastest = links.routing().to(link.relay()).stream()
                    .filter(other -> isFaster(other, mine))
                    .min(Comparator.comparingLong(other -> headMicros(other, mine)))
                    .map(LinkRoutes.Route::path)
                    .orElse(null);
            faster = fastest == null ? 0 : faster + 1;
            changeIfWorse();
        }
    }

    private boolean isFaster(LinkRoutes.Route way, LinkRoutes.Route than) {
        long micros = headMicros(way, than);
        long others = headMicros(than, way);
        return micros * FASTER < others && micros + FASTER_MICROS < others;
    }

    /**
     * Round-trip time of a head on this path, for comparison with another one. It includes the wait behind a frame of
     * bulk, if that is known of both paths.
     */
    private long headMicros(LinkRoutes.Route way, LinkRoutes.Route other) {
        int micros = link.frameMicros(way.path());
        boolean known = micros > 0 && link.frameMicros(other.path()) > 0;
        return way.roundTripMicros() + (known ? micros : 0L);
    }

    private void changeIfWorse() {
        LinkConnection first = link.first();
        boolean detour = first != null && first.isUp() && first.dialled() && !first.path().isDirect();
        if (detour && !over.isBusy() && mayGoOver() && (faster >= PINGS || isToLeave())) {
            faster = 0;
            over.dial();
        }
    }

    /** Whether the own path is no longer offered, or only as a last resort, while another one is offered. */
    private boolean isToLeave() {
        LinkRoutes.Route mine = route();
        return mine == null || mine.isLastResort() && !links.routing().to(link.relay()).getFirst().isLastResort();
    }

    /** The route of the first lane as it is offered now; null if it is not offered, or is direct. */
    private LinkRoutes.Route route() {
        LinkConnection first = link.first();
        return links.routing().to(link.relay()).stream()
                .filter(route -> first != null && route.path().equals(first.path()))
                .findFirst()
                .orElse(null);
    }

    /** Dials over other relays after a delay in which either end may connect directly. */
    private void dialOverLater() {
        if (wait == null && !over.isBusy() && !link.isUp() && mayGoOver()) {
            wait = links.after(links.routing().intervalMs(), () -> {
                wait = null;
                if (!over.isBusy() && !link.isUp() && mayGoOver()) {
                    over.dial();
                }
            });
        }
    }

    /**
     * Whether this end dials over other relays. Only the relay with the smaller id does, so that the two do not
     * collide.
     */
    private boolean mayGoOver() {
        return links.config().relay().compareTo(link.relay()) < 0 && !links.routing().to(link.relay()).isEmpty();
    }

    private void stopAsking() {
        welcome = false;
        if (asking != null) {
            LinkConnection ending = asking;
            asking = null;
            ending.cut(CloseNotice.closing(0, CloseReason.NORMAL, "the answer is of no use any more"));
        }
    }

    private void stopWaiting() {
        if (wait != null) {
            wait.cancel(false);
            wait = null;
        }
    }
}
