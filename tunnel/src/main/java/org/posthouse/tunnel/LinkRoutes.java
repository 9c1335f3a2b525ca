package org.posthouse.tunnel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.posthouse.keys.RelayId;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.WireException;

/**
 * A relay's routes to other relays, from its own direct links and the announcements of the relays at their far ends.
 * Confined to the relay's context; uses no socket and no clock.
 *
 * <p>It uses path vectors: an announcement of a reachable relay lists the relays on the path. A path that contains this
 * relay or the listener is ignored, so no path has a loop. No path has more than {@link LinkPath#HOPS_MAX} links. An
 * announcement alone proves nothing. It is passed on only if this relay has been linked with the announced relay, whose
 * certificate proves it.
 */
final class LinkRoutes {
    /**
     * A directly linked relay.
     *
     * @param load bytes that it has not acknowledged
     */
    record Neighbour(String relay, int roundTripMicros, long load) {}

    /**
     * A route to a relay.
     *
     * @param load bytes in flight on the route's most loaded link
     */
    record Route(LinkPath path, int roundTripMicros, long load) {
        /** Whether a relay on the route is drained. */
        boolean isLastResort() {
            return roundTripMicros >= LAST_RESORT_MICROS;
        }
    }

    private static final int VIA_MAX = LinkPath.HOPS_MAX - 1;

    /** Penalty that a drained relay adds to every round trip, 18 minutes; no other route takes as long. */
    private static final int LAST_RESORT_MICROS = 1 << 30;
    private static final Comparator<Route> NEAREST =
            Comparator.comparingInt(Route::roundTripMicros).thenComparingLong(Route::load);

    private final String own;

    /** The last announcement of each neighbour, by announced relay: {@link LinkLimits#LINKS_MAX} frames at most. */
    private final Map<String, Map<String, LinkReach.Entry>> heard = new TreeMap<>();

    /** The neighbours of the last update. */
    private Map<String, Neighbour> neighbours = Map.of();

    LinkRoutes(String own) {
        this.own = own;
    }

    /**
     * Sets the current neighbours.
     *
     * @return whether they differ from the previous ones
     */
    boolean neighbours(List<Neighbour> now) {
        Set<String> before = neighbours.keySet();
        Map<String, Neighbour> byRelay = new TreeMap<>();
        now.forEach(neighbour -> byRelay.put(neighbour.relay, neighbour));
        neighbours = byRelay;
        return !before.equals(byRelay.keySet());
    }

    /** Drops the announcements of {@code neighbour}, which is no longer a neighbour. */
    void forget(String neighbour) {
        heard.remove(neighbour);
    }

    /** @throws WireException if a neighbour cannot announce that */
    static void check(String neighbour, LinkReach reach) throws WireException {
        int relays = reach.entries().size();
        if (relays > LinkLimits.LINKS_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, "relay " + neighbour + " says that it reaches " + relays + " relays, expected at most " + LinkLimits.LINKS_MAX);
        }
        Set<String> names = new HashSet<>();
        for (LinkReach.Entry entry : reach.entries()) {
            boolean fits = entry.roundTripMicros() >= 0 && entry.load() >= 0 && entry.via().size() < VIA_MAX
                    && RelayId.isWritten(entry.relay()) && entry.via().stream().allMatch(RelayId::isWritten);
            if (!fits || !names.add(entry.relay())) {
                throw new WireException(CloseReason.MALFORMED_FRAME, "relay " + neighbour + " says that it reaches " + entry);
            }
        }
    }

    /** @param reach was checked */
    void hear(String neighbour, LinkReach reach) {
        Map<String, LinkReach.Entry> entries = new HashMap<>();
        reach.entries().forEach(entry -> entries.put(entry.relay(), entry));
        heard.put(neighbour, entries);
    }

    /** All relays that can be reached over other relays. */
    Set<String> reached() {
        Set<String> relays = new TreeSet<>();
        heard.keySet().forEach(neighbour -> relays.addAll(reached(neighbour)));
        return relays;
    }

    /** The relays that can be reached over {@code neighbour}. */
    Set<String> reached(String neighbour) {
        Set<String> relays = new TreeSet<>();
        heard.getOrDefault(neighbour, Map.of()).values().stream()
                .filter(entry -> isWay(neighbour, entry))
                .forEach(entry -> relays.add(entry.relay()));
        return relays;
    }

    /** The routes to {@code relay} over other relays, one per neighbour, the shortest first. */
    List<Route> to(String relay) {
        List<Route> routes = new ArrayList<>();
        heard.forEach((neighbour, entries) -> {
            LinkReach.Entry entry = entries.get(relay);
            if (entry != null && isWay(neighbour, entry)) {
                routes.add(route(neighbours.get(neighbour), entry));
            }
        });
        routes.sort(NEAREST);
        return routes;
    }

    /**
     * The announcement for a neighbour: the shortest route to each relay that does not pass through the neighbour.
     *
     * @param met whether this relay has been linked with a relay; only such relays are announced, so that a neighbour's
     *         inventions spread no further
     */
    LinkReach tell(String listener, Predicate<String> met) {
        List<LinkReach.Entry> entries = new ArrayList<>();
        neighbours.values().stream()
                .filter(neighbour -> !neighbour.relay.equals(listener))
                .forEach(neighbour -> entries.add(
                        new LinkReach.Entry(neighbour.relay, neighbour.roundTripMicros, neighbour.load, List.of())));
        for (String relay : reached()) {
            if (!relay.equals(listener) && !neighbours.containsKey(relay) && met.test(relay)) {
                to(relay).stream()
                        .filter(route -> route.path.via().size() < VIA_MAX && !route.path.via().contains(listener))
                        .findFirst()
                        .ifPresent(route -> entries.add(
                                new LinkReach.Entry(relay, route.roundTripMicros, route.load, route.path.via())));
            }
        }
        entries.sort(Comparator.comparingInt(LinkReach.Entry::roundTripMicros));
        return LinkReach.fitting(entries);
    }

    /** The announcement of a drained relay for the same routes; they are used only if there is no other. */
    static LinkReach lastResort(LinkReach reach) {
        return new LinkReach(reach.entries().stream()
                .map(entry -> new LinkReach.Entry(entry.relay(), sum(entry.roundTripMicros(), LAST_RESORT_MICROS), entry.load(), entry.via()))
                .toList());
    }

    private static int sum(int micros, int more) {
        return (int) Math.min(Integer.MAX_VALUE, (long) micros + more);
    }

    private boolean isWay(String neighbour, LinkReach.Entry entry) {
        return neighbours.containsKey(neighbour)
                && !entry.relay().equals(own)
                && !entry.relay().equals(neighbour)
                && !entry.via().contains(own)
                && !entry.via().contains(neighbour)
                && !entry.via().contains(entry.relay());
    }

    private static Route route(Neighbour first, LinkReach.Entry entry) {
        List<String> via = new ArrayList<>(List.of(first.relay));
        via.addAll(entry.via());
        return new Route(new LinkPath(via), sum(first.roundTripMicros, entry.roundTripMicros()), Math.max(first.load, entry.load()));
    }
}
