package org.posthouse.launch.place;

import java.util.Map;
import org.posthouse.wire.AgentOffer;

/**
 * An agent's slots, as placement sees them. Several agents may share one host. The host is the unit of placement: it
 * holds at most one copy of each rank.
 *
 * @param agent the agent's number
 * @param name of the node, for people
 * @param host identifies the host
 * @param site of the relay that the agent is connected to
 * @param distanceMicros usual round trip between the submitting relay and the agent, in microseconds: that of the link
 *     plus that of the agent to its relay (P2P-MPI, section 3.1, measures it with an empty message of its own protocol)
 * @param slots processes that the agent runs at most
 * @param free slots that no job has reserved, or those that the agent has granted
 * @param labels by key
 * @param relay of the agent: ranks that run there are at home at it
 */
public record NodeSlots(
        long agent, String name, String host, String site, long distanceMicros, int slots, int free, Map<String, String> labels, String relay) {
    public NodeSlots {
        labels = Map.copyOf(labels);
    }

    /** A node at a site with one relay. */
    public NodeSlots(long agent, String name, String host, String site, long distanceMicros, int slots, int free, Map<String, String> labels) {
        this(agent, name, host, site, distanceMicros, slots, free, labels, site);
    }

    /**
     * @param linkMicros usual round trip between the submitting relay and the agent's relay; 0 if they are one
     * @return the slots of {@code offer}; none of them free if the agent is draining
     */
    public static NodeSlots of(AgentOffer offer, String site, long linkMicros) {
        return new NodeSlots(
                offer.agent(),
                offer.name(),
                offer.host(),
                site,
                linkMicros + offer.rttMicros(),
                offer.draining() ? 0 : offer.slots(),
                offer.draining() ? 0 : offer.free(),
                offer.labels());
    }

    /** The same agent, at this relay. */
    public NodeSlots at(String itsRelay) {
        return new NodeSlots(agent, name, host, site, distanceMicros, slots, free, labels, itsRelay);
    }

    /** The same agent with this number of free slots. */
    public NodeSlots withFree(int slotsFree) {
        return new NodeSlots(agent, name, host, site, distanceMicros, slots, slotsFree, labels, relay);
    }
}
