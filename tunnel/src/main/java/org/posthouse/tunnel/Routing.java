package org.posthouse.tunnel;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.WireException;

/**
 * Tells the neighbours which relays they reach over this one, hears the same from them, and has links know when ways have changed. Confined to
 * the relay's context. A relay that is reached over others and is not linked yet gets a link, so that all relays of a grid are linked; one that nobody says to
 * reach any more loses it, unless it has ever been up.
 */
final class Routing {
    /** Three tellings between two pings: a second by default. */
    private static final int PARTS_OF_PING = 3;

    private final Links links;
    private final LinkRoutes routes;
    private final ReachPace pace;
    private final long intervalMs;

    /** What was said last, and on which connection. */
    private final Map<String, Told> told = new HashMap<>();

    private ScheduledFuture<?> timer;
    private ScheduledFuture<?> hearing;
    private long toldAtNanos;
    private boolean drained;
    private boolean stopped;

    private record Told(LinkConnection connection, LinkReach reach) {}

    Routing(Links links) {
        this.links = links;
        this.routes = new LinkRoutes(links.config().relay());
        this.intervalMs = Math.max(1, links.config().timeouts().pingMs() / PARTS_OF_PING);
        this.pace = new ReachPace(TimeUnit.MILLISECONDS.toNanos(intervalMs));
        this.toldAtNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(intervalMs);
    }

    /** The shortest time between two tellings, and between two of a neighbour that count. */
    long intervalMs() {
        return intervalMs;
    }

    /** The ways to {@code relay} over others, the shortest first. */
    List<LinkRoutes.Route> to(String relay) {
        return routes.to(relay);
    }

    boolean drained() {
        return drained;
    }

    /** From now on only those lanes are to go through this relay that have no other way, or all may again. */
    void drain(boolean drain) {
        drained = drain;
        tellSoon();
    }

    /** @throws WireException if a neighbour cannot say so */
    void onReach(String neighbour, LinkReach reach) throws WireException {
        LinkRoutes.check(neighbour, reach);
        if (pace.admits(neighbour, reach, System.nanoTime())) {
            hear(neighbour, reach);
        } else {
            hearLater();
        }
    }

    private void hearLater() {
        long nanos = pace.nextNanos(System.nanoTime());
        if (hearing == null && nanos >= 0 && !stopped) {
            hearing = links.after(TimeUnit.NANOSECONDS.toMillis(nanos) + 1, this::hearDue);
        }
    }

    private void hearDue() {
        hearing = null;
        pace.due(System.nanoTime()).forEach(this::hear);
        hearLater();
    }

    private void hear(String neighbour, LinkReach reach) {
        routes.hear(neighbour, reach);
        links.table().keepHearsay(routes.reached());
        for (String relay : routes.reached(neighbour)) {
            if (links.config().relay().compareTo(relay) < 0) {
                links.table().meet(relay, neighbour);
            }
        }
        links.table().each(Link::onRoutes);
        tellSoon();
    }

    /** A relay is linked, over whichever way: neighbours may be told of it. */
    void onLinked() {
        tellSoon();
    }

    /** A neighbour came or went, or is nearer or farther now. */
    void onNeighbours() {
        if (routes.neighbours(links.table().neighbours())) {
            links.table().each(Link::onRoutes);
        }
        tellSoon();
    }

    /** The link to {@code relay} is down: nothing goes over it any more. */
    void forget(String relay) {
        routes.forget(relay);
        pace.forget(relay);
        if (!stopped) {
            links.table().keepHearsay(routes.reached());
        }
    }

    /** This relay stops. */
    void stop() {
        stopped = true;
        if (timer != null) {
            timer.cancel(false);
        }
        if (hearing != null) {
            hearing.cancel(false);
        }
    }

    private void tellSoon() {
        if (timer == null && !stopped) {
            long sinceMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - toldAtNanos);
            timer = links.after(Math.max(0, intervalMs - sinceMs), this::tell);
        }
    }

    private void tell() {
        timer = null;
        toldAtNanos = System.nanoTime();
        List<String> gone = new ArrayList<>(told.keySet());
        for (LinkRoutes.Neighbour neighbour : links.table().neighbours()) {
            String relay = neighbour.relay();
            gone.remove(relay);
            LinkConnection connection = links.table().get(relay).first();
            LinkReach reach = routes.tell(relay, links.table()::hasMet);
            Told now = new Told(connection, drained ? LinkRoutes.lastResort(reach) : reach);
            if (connection.writable() && !now.equals(told.put(relay, now))) {
                connection.tell(now.reach);
            }
        }
        told.keySet().removeAll(gone);
    }
}
