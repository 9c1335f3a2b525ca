package org.posthouse.launch.place;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/**
 * The nodes of the named relays and of all relays that they know, and of the other relays what the elected one has recorded. Immutable.
 *
 * @param nodes as their relays have told, by site, relay and name
 * @param unreached relays that could not be asked
 * @param recorded relays that have not answered, as the elected relay knows them
 */
public record GridNodes(List<Node> nodes, List<GridRelays.Unreached> unreached, RecordedNodes recorded) {
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
        GridRelays<Answer> grid = GridRelays.ask(addresses, token, GridNodes::nodes);
        Set<String> answered = grid.answers().stream().map(Answer::relay).collect(Collectors.toSet());
        return new GridNodes(
                grid.answers().stream().flatMap(answer -> answer.nodes().stream()).sorted(ORDER).toList(), grid.unreached(),
                recorded(addresses, token).without(answered));
    }

    /** What one relay has answered. */
    private record Answer(String relay, List<Node> nodes) {}

    private static Answer nodes(RelayClient relay) throws JobFailure {
        HomeRelay home = relay.home();
        return new Answer(home.relay(), relay.nodes().stream().map(offer -> new Node(home.site(), home.relay(), home.address(), offer)).toList());
    }

    /** As the first of the named relays has it whose names are available. */
    private static RecordedNodes recorded(List<String> addresses, Token token) throws JobFailure {
        for (String address : addresses) {
            try (RelayClient relay = RelayClient.connect(address, token)) {
                Optional<RecordedNodes> found = RecordedNodes.read(relay);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return new RecordedNodes("", List.of());
    }
}
