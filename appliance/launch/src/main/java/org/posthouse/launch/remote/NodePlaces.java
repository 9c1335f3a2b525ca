package org.posthouse.launch.remote;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes of a job, which of its processes are where, and which wait for a slot: says where a process may be started, and how many slots are missing.
 * Guarded by the {@link AgentPool}.
 */
final class NodePlaces {
    /** Of the job's relays. */
    private final List<String> sites;

    /** For each rank, the index of its home among the job's relays. */
    private final int[] homeOf;

    private final boolean mayRoam;

    /** Slots to be free at each relay. */
    private final int spares;

    /** By their agents. */
    private final Map<Long, Node> nodes = new HashMap<>();

    /** The node where each rank was started last, or is to be started first; ranks without one take any. */
    private final Map<Integer, Node> nodeOf = new HashMap<>();

    /** The nodes where each rank's first followers are to be started. */
    private final Map<Integer, Deque<Node>> followersAt = new HashMap<>();

    /** The node of each process that has not ended. */
    private final Map<NodeProcess, Node> placed = new LinkedHashMap<>();

    /** Processes for which there is no slot. */
    private final Set<NodeProcess> waiting = new LinkedHashSet<>();

    /** Those of them for which the nodes of the rank's home were asked for slots. */
    private final Set<NodeProcess> sought = new HashSet<>();

    /** Those of them that got none there, and may be at any relay of the job. */
    private final Set<NodeProcess> roaming = new HashSet<>();

    /**
     * @param sites the sites of the job's relays
     * @param mayRoam whether a process may be at another relay than its rank's home, if that has no slot
     */
    NodePlaces(List<String> sites, int[] homeOf, int spares, boolean mayRoam) {
        this.sites = List.copyOf(sites);
        this.homeOf = homeOf.clone();
        this.spares = spares;
        this.mayRoam = mayRoam;
    }

    // ---- nodes

    /** The job has slots on this node. */
    void add(Node node) {
        nodes.put(node.agent(), node);
    }

    /** The rank's next process is to be started there, if it can be. */
    void prefer(int rank, Node node) {
        nodeOf.put(rank, node);
    }

    /** The next follower of the rank that has no node yet is to be started there, if it can be. */
    void preferForFollower(int rank, Node node) {
        followersAt.computeIfAbsent(rank, it -> new ArrayDeque<>()).add(node);
    }

    Collection<Node> nodes() {
        return Collections.unmodifiableCollection(nodes.values());
    }

    Set<Long> agents() {
        return Collections.unmodifiableSet(nodes.keySet());
    }

    boolean isOf(long agent) {
        return nodes.containsKey(agent);
    }

    /** The node of this agent; null if the job has none there. */
    Node node(long agent) {
        return nodes.get(agent);
    }

    /** Whether the site has a node that does not count as dead. */
    boolean hasNode(String site) {
        return nodes.values().stream().anyMatch(node -> node.site().equals(site) && !node.isLost());
    }

    // ---- processes

    /** Chooses a node for a process, which waits if there is none. @return null if it waits */
    Node place(NodeProcess process) {
        Node node = choose(process);
        if (node == null) {
            waiting.add(process);
            return null;
        }
        cancel(process);
        if (!process.request().follows()) {
            prefer(process.rank(), node);
        }
        put(process, node);
        return node;
    }

    void put(NodeProcess process, Node node) {
        placed.put(process, node);
        node.add(process);
        process.on(node, node.site().equals(sites.get(homeOf[process.rank()])));
    }

    /** It has ended, or was not started. */
    void remove(NodeProcess process) {
        Node node = placed.remove(process);
        if (node != null) {
            node.remove(process);
        }
    }

    /** The node counts as dead. @return the processes that were there */
    List<NodeProcess> giveUp(Node node) {
        List<NodeProcess> lost = new ArrayList<>();
        node.processes().forEach(lost::add);
        node.lost();
        lost.forEach(placed::remove);
        return lost;
    }

    /** The node where the process is; null if it is at none. */
    Node of(NodeProcess process) {
        return placed.get(process);
    }

    /** The rank's own node if it can be, else the node with the most free slots of its home, or of other relays if it may be there. */
    private Node choose(NodeProcess process) {
        int rank = process.rank();
        boolean follows = process.request().follows();
        Node own = follows ? followersAt.getOrDefault(rank, new ArrayDeque<>()).poll() : nodeOf.get(rank);
        if (own != null && own.isUsable() && own.free() > 0 && mayBeOn(process, own.host())) {
            return own;
        }
        Node best = null;
        for (Node node : nodes.values()) {
            boolean mayBe = node.isUsable() && node.free() > 0 && mayBeAt(process, node.relay()) && mayBeOn(process, node.host());
            if (mayBe && (best == null || isBetter(node, best, homeOf[rank]))) {
                best = node;
            }
        }
        return best;
    }

    private static boolean isBetter(Node node, Node than, int home) {
        boolean isHome = node.relay() == home;
        return isHome == (than.relay() == home) ? node.free() > than.free() : isHome;
    }

    private boolean mayBeAt(NodeProcess process, int relay) {
        return homeOf[process.rank()] == relay || roaming.contains(process);
    }

    /** Whether a process that follows would be alone of its rank on the host. Others may be anywhere: without them the job stands still. */
    private boolean mayBeOn(NodeProcess process, String host) {
        return !process.request().follows()
                || placed.entrySet().stream().noneMatch(each -> each.getKey().rank() == process.rank() && each.getValue().host().equals(host));
    }

    // ---- slots that are missing

    boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    boolean isWaiting(NodeProcess process) {
        return waiting.contains(process);
    }

    /** It waits no more. @return whether it did */
    boolean cancel(NodeProcess process) {
        sought.remove(process);
        roaming.remove(process);
        return waiting.remove(process);
    }

    /** Slots are about to be sought. Those that wait since an earlier search take one of any relay of the job from now on (ADR 125). */
    void letRoam() {
        sought.retainAll(waiting);
        roaming.addAll(sought);
        if (mayRoam) {
            sought.addAll(waiting);
        }
    }

    /** Those that wait, in the order in which they get slots: followers behind all others. */
    List<NodeProcess> waiting() {
        List<NodeProcess> inOrder = new ArrayList<>(waiting.stream().filter(process -> !process.request().follows()).toList());
        waiting.stream().filter(process -> process.request().follows()).forEach(inOrder::add);
        return inOrder;
    }

    /** Slots that processes which may be at a relay wait for, and that are to be free besides. */
    int missingAt(int relay) {
        return missingAt(relay, "");
    }

    /** The same of processes that may be on this host. */
    int missingAt(int relay, String host) {
        int waitingThere = (int) waiting.stream().filter(process -> mayBeAt(process, relay) && mayBeOn(process, host)).count();
        int free = nodes.values().stream().filter(node -> node.relay() == relay && node.isUsable()).mapToInt(Node::free).sum();
        return waitingThere + Math.max(0, spares - free);
    }
}
