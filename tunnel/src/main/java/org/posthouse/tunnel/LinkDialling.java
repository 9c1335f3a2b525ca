package org.posthouse.tunnel;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.Comparator;
import java.util.List;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Gets a link its first lane: straight, where there is an address, and over other relays while that does not succeed. Confined to its link.
 *
 * <p>Straight is better than any detour, and is tried on and on. Of detours the one with the least round trip is taken. A lane changes to another way when its own is not offered any more, or by a drained relay only, or when another one is clearly
 * faster; the new lane is secured before the old one ends.
 */
final class LinkDialling {
    /** A way must be this much shorter to be worth a change. */
    private static final double FASTER = 1.2;

    /** And so much: less is what a busy machine makes of it. */
    private static final int FASTER_MICROS = 1_000;

    /** At so many in a row. */
    private static final int PINGS = 3;

    /** Any but the first: which lane of no session the peer is asked with. */
    private static final int LANE_ASKED = 1;

    private final Links links;
    private final Link link;
    private final LinkDialler straight;
    private final LinkDialler over;
    private final boolean hasAddress;
    private ScheduledFuture<?> wait;

    /**
     * The straight connection on which the peer was asked; null if none is. While the link goes over others it is asked first, as a session ends before its
     * successor is greeted, and a straight address may be that of another relay, or of one that refuses this one: the peer closes this lane as NORMAL once it has checked all that it checks of a first one's.
     */
    private LinkConnection asking;

    /** It would take the straight connection that is made now. */
    private boolean welcome;

    /** Pings in a row at which another way was faster, */
    private int faster;

    /** and the fastest at the last of them; null if none was. */
    private LinkPath fastest;

    /** A dialler's task: the first lane, on one kind of way. */
    private final class Way implements LinkDialler.Target {
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
            // Where it is up already it goes to another way than its own, and to none that is to be left.
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

    LinkDialling(Links links, Link link) {
        this.links = links;
        this.link = link;
        this.hasAddress = links.config().peers().containsKey(link.relay());
        this.straight = new LinkDialler(links, link, new Way(true));
        this.over = new LinkDialler(links, link, new Way(false));
    }

    /** Begins to dial, if there is an address. */
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

    /** The link is up on this first lane. */
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

    /** The first lane has ended. @param progressed whether it was of use */
    void onEnded(LinkConnection ended, boolean progressed) {
        stopAsking();
        LinkDialler its = ended.path().isDirect() ? straight : over;
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

    /** {@code ended} is over, and no lane. @return whether it is the one on which the peer was asked */
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

    /** Ways over other relays have come, gone, or changed. */
    void onRoutes() {
        if (link.isUp()) {
            changeIfWorse();
        } else {
            dialOverLater();
        }
    }

    /** The first lane was measured. */
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

    /** What a head takes on this way and back, compared with another one: behind a frame of bulk, if it is known of both how long that takes. */
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

    /** Its own way is not offered any more, or as the last resort only, and another one is. */
    private boolean isToLeave() {
        LinkRoutes.Route mine = route();
        return mine == null || mine.isLastResort() && !links.routing().to(link.relay()).getFirst().isLastResort();
    }

    /** The way of the first lane as it is offered now; null if it is not, or is straight. */
    private LinkRoutes.Route route() {
        LinkConnection first = link.first();
        return links.routing().to(link.relay()).stream()
                .filter(route -> first != null && route.path().equals(first.path()))
                .findFirst()
                .orElse(null);
    }

    /** After a while in which a straight connection may come, from either end. */
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

    /** The relay with the smaller id dials, so that the two do not meet half-way. */
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
