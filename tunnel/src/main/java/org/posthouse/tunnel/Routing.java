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
 * Exchanges reachability with the neighbours, and notifies links when routes have changed. Confined to the relay's
 * context. A relay that is reached over others and is not linked yet gets a link, so that all relays of a grid are
 * linked. A relay that no neighbour announces any more loses its link, unless the link has ever been up.
 */
final class Routing {
    /** Announcements per ping interval: three, one a second by default. */
    private static final int PARTS_OF_PING = 3;

    private final Links links;
    private final LinkRoutes routes;
    private final ReachRateLimit pace;
    private final long intervalMs;

    /** The last announcement to each neighbour, and its connection. */
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
        this.pace = new ReachRateLimit(TimeUnit.MILLISECONDS.toNanos(intervalMs));
        this.toldAtNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(intervalMs);
    }

    /** Minimum time between two announcements, and between two that are accepted from one neighbour. */
    long intervalMs() {
        return intervalMs;
    }

    /** The routes to {@code relay} over other relays, the shortest first. */
    List<LinkRoutes.Route> to(String relay) {
        return routes.to(relay);
    }

    boolean drained() {
        return drained;
    }

    /** If true, only lanes without another path should use this relay from now on. If false, all may use it again. */
    void drain(boolean drain) {
        drained = drain;
        tellSoon();
    }

    /** @throws WireException if a neighbour cannot announce that */
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

    /** Called when a relay is linked over any path; neighbours may be told of it. */
    void onLinked() {
        tellSoon();
    }

    /** Called when a neighbour appeared, disappeared, or its distance changed. */
    void onNeighbours() {
        if (routes.neighbours(links.table().neighbours())) {
            links.table().each(Link::onRoutes);
        }
        tellSoon();
    }

    /** Called when the link to {@code relay} is down; it carries no routes any more. */
    void forget(String relay) {
        routes.forget(relay);
        pace.forget(relay);
        if (!stopped) {
            links.table().keepHearsay(routes.reached());
        }
    }

    /** Called when this relay stops. */
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
