package org.posthouse.tunnel;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.posthouse.keys.RelayId;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * The links of a relay, by the relay at the other end; decides which relays get a link and which lose it. Confined to
 * the relay's context.
 */
final class LinkTable {
    private final Function<String, Link> maker;
    private final Map<String, Link> links = new TreeMap<>();
    private final ClosedEpochs closedEpochs = new ClosedEpochs();

    /** @param maker creates the link to a relay */
    LinkTable(Function<String, Link> maker) {
        this.maker = maker;
    }

    /** The link to a relay; null if there is none. */
    Link get(String relay) {
        return links.get(relay);
    }

    Stream<Link> all() {
        return links.values().stream();
    }

    /** Visits the current links, even if {@code action} adds or removes some. */
    void each(Consumer<Link> action) {
        List.copyOf(links.values()).forEach(action);
    }

    /** Creates the link to a relay that this one will send frames to, if there is none. */
    void expect(String relay) {
        links.computeIfAbsent(relay, maker).expect();
    }

    /**
     * The link to a relay that has sent LINK_HELLO; created if missing.
     *
     * @throws WireException if its site has used up its share
     */
    Link linkTo(String relay) throws WireException {
        String site = RelayId.parse(relay).site();
        if (!links.containsKey(relay) && !mayLink(site)) {
            throw new WireException(
                    CloseReason.LIMIT,
                    linksOf(site) + " of " + links.size() + " links are of site " + site + ", at most " + LinkLimits.LINKS_MAX
                            + " there may be, and " + FairShare.RULE);
        }
        return links.computeIfAbsent(relay, maker);
    }

    /**
     * Handles the announcement by {@code neighbour} of a path to {@code relay}. The relay gets a link, if the
     * neighbour's site may have one more.
     */
    void meet(String relay, String neighbour) {
        String site = RelayId.parse(neighbour).site();
        if (!links.containsKey(relay) && mayLink(site)) {
            Link link = maker.apply(relay);
            link.hear(site);
            links.put(relay, link);
        }
    }

    private boolean mayLink(String site) {
        return FairShare.allows(linksOf(site), links.size(), LinkLimits.LINKS_MAX);
    }

    private long linksOf(String site) {
        return all().filter(link -> link.isOf(site)).count();
    }

    /** Drops links that are known by hearsay only and have received nothing, except those to {@code relays}. */
    void keepHearsay(Set<String> relays) {
        CloseNotice why = CloseNotice.closing(0, CloseReason.SITE_UNREACHABLE, "nobody says that it is there");
        each(link -> {
            if (link.isHearsay() && !relays.contains(link.relay())) {
                links.remove(link.relay());
                link.stop(why);
            }
        });
    }

    /** Removes the link to a peer that has left. */
    void remove(Link left) {
        links.remove(left.relay());
        closedEpochs.note(left.relay(), left.peerEpoch());
    }

    /** The epochs of relays whose links were removed. */
    ClosedEpochs leftEpochs() {
        return closedEpochs;
    }

    /** The relays with a direct, measured link. */
    List<LinkRoutes.Neighbour> neighbours() {
        return all().map(Link::neighbour).filter(Objects::nonNull).toList();
    }

    /** Whether the link to {@code relay} is up and direct. */
    boolean isNeighbour(String relay) {
        Link link = links.get(relay);
        return link != null && link.isStraight();
    }

    /** Whether {@code relay} has been linked with this relay, so that its identity is proven. */
    boolean hasMet(String relay) {
        Link link = links.get(relay);
        return link != null && link.hasBeenUp();
    }
}
