package org.posthouse.launch.place;

import java.util.List;
import org.posthouse.wire.Token;

/**
 * Over which relays a job is to be spread.
 *
 * @param addresses host:port of one relay or more; their sites take part
 * @param sites how many sites, further ones from the relays' directories; fewer than are named means those that are
 * @param relaysPerSite how many relays of each site; 0 for all that are known there. Those named take part in any case
 * @param token the launch token of the relays
 * @param nodes how ranks are placed on the relays' nodes
 */
public record PlacementRequest(List<String> addresses, int sites, int relaysPerSite, Token token, NodeRequest nodes) {
    public PlacementRequest {
        addresses = List.copyOf(addresses);
    }

    /** Ranks on this host, whatever nodes there are. */
    public PlacementRequest(List<String> addresses, int sites, int relaysPerSite, Token token) {
        this(addresses, sites, relaysPerSite, token, NodeRequest.LOCAL);
    }
}
