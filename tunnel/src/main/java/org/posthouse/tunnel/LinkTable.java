package org.posthouse.tunnel;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/** The links of a relay, by the relay at the other end: who gets one, and who loses it. Confined to the relay's context. */
final class LinkTable {
    /** Most peer relays: with full windows they hold 256 * 2 * 64 MiB = 32 GiB, so set the window to the links there are. A site has its {@link FairShare} of them. */
    static final int LINKS_MAX = 256;

    private final Function<String, Link> maker;
    private final Map<String, Link> links = new TreeMap<>();
    private final LeftEpochs leftEpochs = new LeftEpochs();

    /** @param maker makes the link to a relay */
    LinkTable(Function<String, Link> maker) {
        this.maker = maker;
    }

    /** Null if there is none. */
    Link get(String relay) {
        return links.get(relay);
    }

    Stream<Link> all() {
        return links.values().stream();
    }

    /** Of those that there are now, whatever {@code action} does to them. */
    void each(Consumer<Link> action) {
        List.copyOf(links.values()).forEach(action);
    }

    /** The link to a relay that this one will send frames to. */
    void expect(String relay) {
        links.computeIfAbsent(relay, maker).expect();
    }

    /** The link to a relay that has said LINK_HELLO. @throws WireException if its site has its share */
    Link linkTo(String relay) throws WireException {
        String site = RelayId.parse(relay).site();
        if (!links.containsKey(relay) && !mayLink(site)) {
            throw new WireException(
                    CloseReason.LIMIT,
                    linksOf(site) + " of " + links.size() + " links are of site " + site + ", at most " + LINKS_MAX
                            + " there may be, and " + FairShare.RULE);
        }
        return links.computeIfAbsent(relay, maker);
    }

    /** {@code neighbour} says that there is a way to {@code relay}: that gets a link, if the neighbour's site may have one more. */
    void meet(String relay, String neighbour) {
        String site = RelayId.parse(neighbour).site();
        if (!links.containsKey(relay) && mayLink(site)) {
            Link link = maker.apply(relay);
            link.hear(site);
            links.put(relay, link);
        }
    }

    private boolean mayLink(String site) {
        return FairShare.allows(linksOf(site), links.size(), LINKS_MAX);
    }

    private long linksOf(String site) {
        return all().filter(link -> link.isOf(site)).count();
    }

    /** Lets go of links that were made because somebody said so, and of which nothing has come, but for those to {@code relays}. */
    void keepHearsay(Set<String> relays) {
        CloseNotice why = CloseNotice.closing(0, CloseReason.SITE_UNREACHABLE, "nobody says that it is there");
        each(link -> {
            if (link.isHearsay() && !relays.contains(link.relay())) {
                links.remove(link.relay());
                link.stop(why);
            }
        });
    }

    /** There is no link to this one's peer any more, which has left. */
    void remove(Link left) {
        links.remove(left.relay());
        leftEpochs.note(left.relay(), left.peerEpoch());
    }

    /** Of relays whose links were removed. */
    LeftEpochs leftEpochs() {
        return leftEpochs;
    }

    /** The relays that are linked straight and were measured. */
    List<LinkRoutes.Neighbour> neighbours() {
        return all().map(Link::neighbour).filter(Objects::nonNull).toList();
    }

    /** Whether frames flow to and from {@code relay} over no other one. */
    boolean isNeighbour(String relay) {
        Link link = links.get(relay);
        return link != null && link.isStraight();
    }

    /** Whether {@code relay} has been linked with this one, so that it is what it says it is. */
    boolean hasMet(String relay) {
        Link link = links.get(relay);
        return link != null && link.hasBeenUp();
    }
}
