package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/**
 * The hosts of one relay's nodes, and the ranks that get this relay as their home; or those of all relays' nodes together. Places the
 * processes of these ranks, at most one of a rank on a host. Confined to one {@link ReplicaPlan}.
 *
 * <p>Gale and Ryser: if there is a way at all, there is one that gives each rank in turn, those with most processes first, the
 * hosts with most room left. Of equal ones a rank takes those of one relay.
 */
final class RelayHosts {
    /** The nodes of each host, both in order of distance. */
    private final List<List<NodeSlots>> hosts;

    /** The ranks at home here, in the order in which they came. */
    private final List<Integer> ranks = new ArrayList<>();

    private RelayHosts(Map<String, List<NodeSlots>> hosts) {
        this.hosts = List.copyOf(hosts.values());
    }

    /** Of each relay, in order of distance. @param nodes in order of distance */
    static List<RelayHosts> of(List<NodeSlots> nodes) {
        Map<String, List<NodeSlots>> relays = grouped(nodes, NodeSlots::relay);
        return relays.values().stream().map(RelayHosts::together).toList();
    }

    /** Those of all relays. A host whose agents are connected to different relays is one host. @param nodes in order of distance */
    static RelayHosts together(List<NodeSlots> nodes) {
        return new RelayHosts(grouped(nodes, NodeSlots::host));
    }

    private static Map<String, List<NodeSlots>> grouped(List<NodeSlots> nodes, Function<NodeSlots, String> by) {
        return nodes.stream().filter(node -> node.free() > 0).collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
    }

    /** The relay of a host's nearest agent. */
    private String relay(int host) {
        return hosts.get(host).getFirst().relay();
    }

    /** Number of hosts with a free slot. */
    int count() {
        return hosts.size();
    }

    /** Slots that so many ranks could use, by host. */
    int[] capacities(int ofRanks) {
        return hosts.stream().mapToInt(host -> Math.min(ofRanks, host.stream().mapToInt(NodeSlots::free).sum())).toArray();
    }

    List<Integer> ranks() {
        return ranks;
    }

    /** Takes the longest beginning of {@code others} that has room here, of at most so many processes. Removes it there. */
    void take(List<Integer> others, int[] degrees, long slots) {
        int least = 0;
        int most = 0;
        for (long sum = 0; most < others.size() && sum + degrees[others.get(most)] <= slots; most++) {
            sum += degrees[others.get(most)];
        }
        while (least < most) {
            int middle = (least + most + 1) / 2;
            List<Integer> all = new ArrayList<>(ranks);
            all.addAll(others.subList(0, middle));
            if (fit(all, degrees, hosts.size(), Integer.MAX_VALUE) == null) {
                most = middle - 1;
            } else {
                least = middle;
            }
        }
        List<Integer> taken = others.subList(0, least);
        ranks.addAll(taken);
        taken.clear();
    }

    /**
     * Hosts for the processes of these ranks.
     *
     * @param hostsMax how many of the hosts, nearest first
     * @param perHost most processes on a host
     * @return for each rank its hosts; null if there is no way
     */
    private Map<Integer, List<Integer>> fit(List<Integer> which, int[] degrees, int hostsMax, int perHost) {
        int[] room = capacities(which.size());
        Comparator<Integer> roomiest = (a, b) -> room[b] - room[a];
        PriorityQueue<Integer> queue = new PriorityQueue<>(roomiest.thenComparing(Comparator.naturalOrder()));
        for (int host = 0; host < hostsMax; host++) {
            room[host] = Math.min(room[host], perHost);
            queue.add(host);
        }
        Map<Integer, List<Integer>> hostsOf = new TreeMap<>();
        for (int rank : which.stream().sorted(Comparator.<Integer>comparingInt(rank -> -degrees[rank]).thenComparing(Comparator.naturalOrder())).toList()) {
            List<Integer> taken = new ArrayList<>();
            while (taken.size() < degrees[rank]) {
                if (queue.isEmpty() || room[queue.peek()] == 0) {
                    return null;
                }
                taken.add(taken.isEmpty() ? queue.poll() : next(queue, room, relay(taken.getFirst())));
            }
            taken.forEach(host -> room[host]--);
            queue.addAll(taken);
            hostsOf.put(rank, taken);
        }
        return hostsOf;
    }

    /** Removes a host with most room: of this relay, if one of them is, else the nearest. */
    private Integer next(PriorityQueue<Integer> queue, int[] room, String relay) {
        int most = room[queue.peek()];
        List<Integer> passed = new ArrayList<>();
        Integer found = null;
        while (found == null && !queue.isEmpty() && room[queue.peek()] == most) {
            Integer host = queue.poll();
            if (relay(host).equals(relay)) {
                found = host;
            } else {
                passed.add(host);
            }
        }
        if (found == null) {
            found = passed.removeFirst();
        }
        queue.addAll(passed);
        return found;
    }

    /** Places all processes of the ranks that were taken: on the fewest nearest hosts, or as few on each host as possible. */
    List<PlacedRank> place(int[] degrees, Strategy strategy) {
        boolean isSpread = strategy == Strategy.SPREAD;
        int least = 0;
        int most = isSpread ? ranks.size() : hosts.size();
        while (least < most) {
            int middle = (least + most) / 2;
            if (fit(ranks, degrees, isSpread ? hosts.size() : middle, isSpread ? middle : Integer.MAX_VALUE) == null) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        return onNodes(fit(ranks, degrees, isSpread ? hosts.size() : least, isSpread ? least : Integer.MAX_VALUE));
    }

    /** The first process of each rank is at the relay that has most of its hosts, on the one of these with fewest first processes. */
    private List<PlacedRank> onNodes(Map<Integer, List<Integer>> hostsOf) {
        int[] leaders = new int[hosts.size()];
        int[] used = new int[hosts.size()];
        List<PlacedRank> placed = new ArrayList<>();
        hostsOf.forEach((rank, itsHosts) -> {
            List<Integer> inOrder = itsHosts.stream()
                    .sorted(Comparator.<Integer>comparingLong(host -> -itsHosts.stream().filter(other -> relay(other).equals(relay(host))).count())
                            .thenComparingInt(host -> leaders[host])
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
            leaders[inOrder.getFirst()]++;
            for (int copy = 0; copy < inOrder.size(); copy++) {
                placed.add(new PlacedRank(rank, copy, slot(hosts.get(inOrder.get(copy)), used[inOrder.get(copy)]++)));
            }
        });
        return placed;
    }

    /** The node with this slot of its host's free ones. */
    private static NodeSlots slot(List<NodeSlots> host, int number) {
        int before = 0;
        for (NodeSlots node : host) {
            before += node.free();
            if (number < before) {
                return node;
            }
        }
        throw new IllegalStateException("slot " + number + " of a host with " + before);
    }
}
