package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/**
 * The nodes of a job whose ranks, or some of them, have several processes ({@code --replicas}). The processes of a rank are on
 * different hosts. Their agents are connected to one relay, the rank's home, which has its history; only if not all ranks can be placed so,
 * the hosts of all relays are used as those of one (ADR 125).
 *
 * <p>It finds a placement exactly if there is one. It finds one at home for all ranks exactly if there is one, if all ranks have the same
 * degree or there is one relay: the ranks are divided over the relays in their order. Otherwise not every division is tried.
 */
final class ReplicaPlan {
    private final AllocationRequest request;
    private final int[] degrees;
    private final List<NodeSlots> nodes;
    private final List<PlacedRank> placed;

    /**
     * @param nodes in order of distance, all at allowed sites and with the wanted labels
     * @throws JobFailure in one line with both numbers, if the nodes do not suffice
     */
    ReplicaPlan(List<NodeSlots> nodes, AllocationRequest request) throws JobFailure {
        this.request = request;
        this.degrees = request.degrees();
        this.nodes = nodes;
        List<PlacedRank> all = new ArrayList<>();
        if (request.sites().isExact()) {
            int first = 0;
            for (Map.Entry<String, Integer> site : request.sites().ranks().entrySet()) {
                requireRanks();
                all.addAll(place(first, first + site.getValue(), nodes.stream().filter(node -> node.site().equals(site.getKey())).toList(),
                        " of site " + site.getKey()));
                first += site.getValue();
            }
        } else {
            all.addAll(place(0, degrees.length, nodes, ""));
        }
        all.sort(Comparator.comparingInt(PlacedRank::rank).thenComparingInt(PlacedRank::copy));
        this.placed = List.copyOf(all);
    }

    private void requireRanks() throws JobFailure {
        if (request.sites().sum() != request.ranks()) {
            throw new JobFailure("--sites gives " + request.sites().sum() + " ranks to sites, and the job has " + request.ranks());
        }
    }

    /** All copies of all ranks, sorted by rank and copy. */
    List<PlacedRank> placed() {
        return placed;
    }

    /** Places the ranks {@code [first, end)}. */
    private List<PlacedRank> place(int first, int end, List<NodeSlots> there, String where) throws JobFailure {
        List<Integer> ranks = IntStream.range(first, end).boxed().toList();
        List<Integer> mostFirst = ranks.stream().sorted(Comparator.<Integer>comparingInt(rank -> -degrees[rank])).toList();
        for (List<Integer> order : ranks.equals(mostFirst) ? List.of(ranks) : List.of(ranks, mostFirst)) {
            List<RelayHosts> relays = RelayHosts.of(there);
            List<Integer> left = new ArrayList<>(order);
            long[] shares = shares(relays, ranks);
            for (int relay = 0; relay < shares.length; relay++) {
                relays.get(relay).take(left, degrees, shares[relay]);
            }
            relays.forEach(relay -> relay.take(left, degrees, Long.MAX_VALUE));
            if (left.isEmpty()) {
                return relays.stream().flatMap(relay -> relay.place(degrees, request.strategy()).stream()).toList();
            }
        }
        RelayHosts all = RelayHosts.together(there);
        List<Integer> left = new ArrayList<>(ranks);
        all.take(left, degrees, Long.MAX_VALUE);
        if (left.isEmpty()) {
            return all.place(degrees, request.strategy());
        }
        throw new JobFailure(shortage(all, ranks, where));
    }

    /** Slots of each relay's hosts if the job's are divided over all hosts by its strategy. */
    private long[] shares(List<RelayHosts> relays, List<Integer> ranks) {
        long left = ranks.stream().mapToLong(rank -> degrees[rank]).sum();
        List<int[]> capacities = relays.stream().map(relay -> relay.capacities(ranks.size())).toList();
        long[] shares = new long[relays.size()];
        if (request.strategy() == Strategy.CONCENTRATE) {
            Arrays.setAll(shares, relay -> Arrays.stream(capacities.get(relay)).sum());
            return shares;
        }
        for (int level = 1; left > 0 && level <= ranks.size(); level++) {
            for (int relay = 0; relay < shares.length; relay++) {
                int filling = level;
                long more = Math.min(left, Arrays.stream(capacities.get(relay)).filter(capacity -> capacity >= filling).count());
                shares[relay] += more;
                left -= more;
            }
        }
        return shares;
    }

    private String shortage(RelayHosts all, List<Integer> ranks, String where) {
        int highest = ranks.stream().max(Comparator.comparingInt(rank -> degrees[rank])).orElseThrow(); // The first of equals.
        int hosts = all.count();
        String given = "-r " + request.copies() + (request.ranksCopied().isEmpty() ? "" : ":" + request.ranksCopied());
        if (degrees[highest] > hosts) {
            return given + " wants " + degrees[highest] + " hosts for rank " + highest + ", and " + hosts + (hosts == 1 ? " has" : " have") + " free places"
                    + where;
        }
        long needed = ranks.stream().mapToLong(rank -> degrees[rank]).sum();
        long free = Arrays.stream(all.capacities(Integer.MAX_VALUE)).sum();
        return given + " wants " + needed + " places for " + ranks.size() + " ranks, and the hosts" + where + " have " + free
                + (free >= needed ? ", but not on enough different hosts: a host holds at most one process of each rank" : "");
    }

    /**
     * The slots to ask for: what a placement on these nodes uses, and 25 % more. Some agents refuse.
     *
     * @param nodes in order of distance
     */
    static List<NodeSlots> overbooked(List<NodeSlots> nodes, AllocationRequest request) {
        Map<Long, Integer> asked = new HashMap<>();
        new AllocationPart("", 0, request.ranks(), 0, 1, nodes)
                .divide(request.strategy(), NodeAllocation.overbooked(request.processes()), (node, count) -> asked.put(node.agent(), count));
        try {
            Map<Long, Integer> used = new HashMap<>();
            new ReplicaPlan(nodes, request).placed().forEach(place -> used.merge(place.node().agent(), 1, Integer::sum));
            used.forEach((agent, count) -> asked.merge(agent, count, Math::max));
        } catch (JobFailure e) {
            // They do not suffice: as much as they have is asked for.
        }
        return nodes.stream().filter(node -> asked.containsKey(node.agent())).map(node -> node.withFree(asked.get(node.agent()))).toList();
    }
}
