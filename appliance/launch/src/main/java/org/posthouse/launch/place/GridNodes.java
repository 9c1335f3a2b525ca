package org.posthouse.launch.place;

import java.util.Comparator;
import java.util.List;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/**
 * The nodes of the named relays and of all relays that they know. Immutable.
 *
 * @param nodes by site, relay and name
 * @param unreached relays that could not be asked
 */
public record GridNodes(List<Node> nodes, List<GridRelays.Unreached> unreached) {
    private static final Comparator<Node> ORDER =
            Comparator.comparing(Node::site).thenComparing(Node::relay).thenComparing(node -> node.offer().name());

    /**
     * One agent.
     *
     * @param site of its relay
     * @param relay its relay
     * @param address where its relay was asked, as host:port
     * @param offer its last offer
     */
    public record Node(String site, String relay, String address, AgentOffer offer) {
        /** The node's name among all nodes of the grid. */
        public String fullName() {
            return offer.name() + "@" + relay;
        }
    }

    public GridNodes {
        nodes = List.copyOf(nodes);
        unreached = List.copyOf(unreached);
    }

    /**
     * Asks the relays, as {@link GridRelays#ask}.
     *
     * @param addresses of the named relays, as host:port
     * @throws JobFailure if a named relay cannot be asked
     */
    public static GridNodes ask(List<String> addresses, Token token) throws JobFailure {
        GridRelays<List<Node>> grid = GridRelays.ask(addresses, token, GridNodes::nodes);
        return new GridNodes(grid.answers().stream().flatMap(List::stream).sorted(ORDER).toList(), grid.unreached());
    }

    private static List<Node> nodes(RelayClient relay) throws JobFailure {
        HomeRelay home = relay.home();
        return relay.nodes().stream().map(offer -> new Node(home.site(), home.relay(), home.address(), offer)).toList();
    }
}
