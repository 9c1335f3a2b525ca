package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/**
 * A part of a job that is placed on its own: some ranks, in some copies, on some hosts. Confined to one allocation.
 *
 * <p>A host holds at most one copy of each rank of the part. So its slots count only up to the number of ranks.
 */
final class AllocationPart {
    /** What the part is, for people: {@code "site b: "}, or empty for the whole job. */
    final String name;

    /** The part's ranks are {@code [rankFirst, rankFirst + ranks)}. */
    private final int rankFirst;

    private final int ranks;

    private final int copyFirst;
    private final int copies;

    /** The nodes of each host, both in order of distance. */
    private final List<List<NodeSlots>> hosts;

    AllocationPart(String name, int rankFirst, int ranks, int copyFirst, int copies, List<NodeSlots> nodes) {
        this.name = name;
        this.rankFirst = rankFirst;
        this.ranks = ranks;
        this.copyFirst = copyFirst;
        this.copies = copies;
        Map<String, List<NodeSlots>> byHost = new LinkedHashMap<>();
        nodes.forEach(node -> byHost.computeIfAbsent(node.host(), host -> new ArrayList<>()).add(node));
        this.hosts = List.copyOf(byHost.values());
    }

    /** Number of slots that the part needs. */
    long needed() {
        return (long) ranks * copies;
    }

    /** Number of slots that the hosts have for the part. */
    long available() {
        return hosts.stream().mapToLong(this::capacity).sum();
    }

    /** Number of free slots of the hosts, usable or not. */
    long free() {
        return hosts.stream().mapToLong(AllocationPart::free).sum();
    }

    /** Slots of the host that has most for the part. */
    int capacityMax() {
        return hosts.stream().mapToInt(this::capacity).max().orElse(0);
    }

    private int capacity(List<NodeSlots> host) {
        return (int) Math.min(free(host), ranks);
    }

    private static long free(List<NodeSlots> host) {
        return host.stream().mapToLong(NodeSlots::free).sum();
    }

    /**
     * Divides slots over the hosts.
     *
     * @param slots number of slots, at most {@link #available}
     * @return for each host its number of slots
     */
    private int[] counts(Strategy strategy, long slots) {
        int[] counts = new int[hosts.size()];
        long left = slots;
        for (int level = 1; left > 0; level++) {
            for (int host = 0; host < counts.length && left > 0; host++) {
                int count = Math.min(capacity(hosts.get(host)), strategy == Strategy.SPREAD ? level : ranks);
                count = (int) Math.min(count, counts[host] + left);
                left -= count - counts[host];
                counts[host] = count;
            }
        }
        return counts;
    }

    /** Calls {@code action} with each node that gets slots, and their number; the nodes are in order of distance. */
    void divide(Strategy strategy, long slots, ObjIntConsumer<NodeSlots> action) {
        int[] counts = counts(strategy, Math.min(slots, available()));
        for (int host = 0; host < counts.length; host++) {
            int left = counts[host];
            for (NodeSlots node : hosts.get(host)) {
                int count = Math.min(left, node.free());
                left -= count;
                if (count > 0) {
                    action.accept(node, count);
                }
            }
        }
    }

    /**
     * Slot s is copy s div n of rank s mod n. The slots of a host are at most n consecutive ones, so their ranks differ.
     */
    void assign(Strategy strategy, List<PlacedRank> placed) {
        int before = placed.size();
        divide(strategy, needed(), (node, count) -> {
            for (int i = 0; i < count; i++) {
                int slot = placed.size() - before;
                placed.add(new PlacedRank(rankFirst + slot % ranks, copyFirst + slot / ranks, node));
            }
        });
    }
}
