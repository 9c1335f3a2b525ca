package org.posthouse.launch.remote;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;

/**
 * Finds the processes that an earlier launcher has started: asks each agent of their home relays whether it has the job.
 * Guarded by the lock of its {@link AgentPool}. Times are those of {@link System#nanoTime}, passed in.
 */
final class ProcessAdoption {
    /** For so long agents may be on their way to a relay that is back. */
    static final long RETURN_NS = 3_000_000_000L;

    private final int[] homeOf;
    private final List<String> sites;
    private final long nodeTimeoutNs;
    private final Consumer<Node> attach;

    /** Processes that no agent has reported yet, by rank. */
    private final Map<Integer, NodeProcess> sought = new TreeMap<>();

    /** Since when each relay is connected. */
    private final Map<Integer, Long> backNs = new HashMap<>();

    /** Agents that were asked and have not answered. */
    private final Map<Long, Node> asked = new HashMap<>();

    private final Set<Long> answered = new HashSet<>();

    /**
     * @param homeOf for each rank, the index of its home
     * @param sites of the job's homes
     * @param nodeTimeoutNs how long an agent may be away before its processes count as lost
     * @param attach asks an agent
     */
    ProcessAdoption(int[] homeOf, List<String> sites, long nodeTimeoutNs, Consumer<Node> attach) {
        this.homeOf = homeOf.clone();
        this.sites = List.copyOf(sites);
        this.nodeTimeoutNs = nodeTimeoutNs;
        this.attach = attach;
    }

    void seek(NodeProcess process) {
        sought.put(process.rank(), process);
    }

    /** Nobody wants this process any more. @return whether it was sought */
    boolean drop(NodeProcess process) {
        return sought.remove(process.rank(), process);
    }

    void relayLost(int relay) {
        backNs.remove(relay);
    }

    /** Agents that have not answered are asked again. */
    void relayBack(int relay, long nowNs) {
        backNs.put(relay, nowNs);
        asked.values().removeIf(node -> node.relay() == relay);
    }

    /** The connected relays whose agents may have processes that are sought. */
    List<Integer> relays() {
        return sought.keySet().stream().map(rank -> homeOf[rank]).distinct().filter(backNs::containsKey).toList();
    }

    /** Asks the agents of a relay that were not asked yet. @param known agents that the job has already */
    void ask(int relay, List<AgentOffer> offers, Set<Long> known) {
        for (AgentOffer offer : offers) {
            long agent = offer.agent();
            if (!known.contains(agent) && !asked.containsKey(agent) && !answered.contains(agent)) {
                Node node = new Node(relay, sites.get(relay), offer, 0);
                asked.put(agent, node);
                attach.accept(node);
            }
        }
    }

    /** Agents that were asked and have not answered. */
    Collection<Node> asked() {
        return asked.values();
    }

    /** A part of an agent's answer. @return the node, with its slots, once the answer is whole, if it has the job */
    Optional<Node> answered(long agent, AgentMessage.Attached part) {
        Node node = asked.get(agent);
        if (node == null || !node.reports(part)) {
            return Optional.empty();
        }
        asked.remove(agent);
        answered.add(agent);
        node.slots(part.slots());
        return part.slots() == 0 ? Optional.empty() : Optional.of(node);
    }

    /** The process that an agent has reported, which is then sought no more; empty if it is not sought. */
    Optional<NodeProcess> take(AgentMessage.AttachedProcess there) {
        NodeProcess process = sought.get(there.rank());
        if (process == null || process.incarnation() != there.incarnation()) {
            return Optional.empty();
        }
        sought.remove(there.rank());
        return Optional.of(process);
    }

    /**
     * The processes at home at a relay that no agent has: those that are there have all answered, or none has come back in
     * time. They are sought no more. None while the relay is away.
     *
     * @param offers of the relay's agents
     */
    List<NodeProcess> giveUp(int relay, List<AgentOffer> offers, long nowNs) {
        Long sinceNs = backNs.get(relay);
        if (sinceNs == null) {
            return List.of();
        }
        boolean haveAllAnswered = offers.stream().noneMatch(offer -> asked.containsKey(offer.agent()));
        long waitNs = haveAllAnswered ? Math.min(RETURN_NS, nodeTimeoutNs) : nodeTimeoutNs;
        if (nowNs - sinceNs < waitNs) {
            return List.of();
        }
        List<NodeProcess> lost = sought.values().stream().filter(process -> homeOf[process.rank()] == relay).toList();
        lost.forEach(this::drop);
        return lost;
    }
}
