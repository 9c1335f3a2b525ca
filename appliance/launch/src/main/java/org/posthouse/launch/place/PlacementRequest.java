package org.posthouse.launch.place;

import java.util.List;
import java.util.Optional;
import org.posthouse.wire.Token;

/**
 * Over which relays a job is to be spread.
 *
 * @param addresses host:port of one relay or more; their sites take part
 * @param sites how many sites, further ones from the relays' directories; fewer than are named means those that are
 * @param relaysPerSite how many relays of each site; 0 for all that are known there. Those named take part in any case
 * @param token the launch token of the relays
 * @param nodes how ranks are placed on the relays' nodes
 * @param parts what is waited for before the ranks are placed; empty: nothing
 */
public record PlacementRequest(List<String> addresses, int sites, int relaysPerSite, Token token, NodeRequest nodes, Optional<PartsRequest> parts) {
    public PlacementRequest {
        addresses = List.copyOf(addresses);
    }

    /** On nodes that are there. */
    public PlacementRequest(List<String> addresses, int sites, int relaysPerSite, Token token, NodeRequest nodes) {
        this(addresses, sites, relaysPerSite, token, nodes, Optional.empty());
    }

    /** Ranks on this host, whatever nodes there are. */
    public PlacementRequest(List<String> addresses, int sites, int relaysPerSite, Token token) {
        this(addresses, sites, relaysPerSite, token, NodeRequest.LOCAL);
    }
}
