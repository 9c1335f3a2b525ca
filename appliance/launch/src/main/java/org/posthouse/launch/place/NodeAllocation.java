package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AllocationRequest.Apart;
import org.posthouse.launch.place.AllocationRequest.Numbering;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/**
 * The node of each copy of each rank. Immutable.
 *
 * <p>Source: the P2P-MPI chapter, section 3.2, strategies spread and concentrate. The chapter makes the q-th process
 * rank q mod n. Read literally, that puts two copies of a rank on one host (n = 4, 4 hosts, r = 2). Here no two copies
 * of a rank share a host: a host takes at most n slots, and they are consecutive ({@link AllocationPart}). With c free
 * slots at host h, the job can be placed if and only if the sum of min(c, n) over the hosts is at least n r.
 */
public final class NodeAllocation {
    private final List<PlacedRank> placed;

    private NodeAllocation(List<PlacedRank> placed) {
        this.placed = List.copyOf(placed);
    }

    /**
     * @param nodes in order of distance ({@link NodeOrder})
     * @throws JobFailure in one line with both numbers and the number of hosts that are missing, if the nodes do not
     *     suffice
     */
    public static NodeAllocation of(List<NodeSlots> nodes, AllocationRequest request) throws JobFailure {
        if (request.apart() == Apart.HOST_AT_HOME_FIRST) {
            return new NodeAllocation(renumbered(new ReplicaPlan(eligible(nodes, request), request).placed(), request));
        }
        List<AllocationPart> parts = parts(nodes, request);
        for (AllocationPart part : parts) {
            if (part.available() < part.needed()) {
                throw new JobFailure(shortage(part, request));
            }
        }
        List<PlacedRank> placed = new ArrayList<>();
        parts.forEach(part -> part.assign(request.strategy(), placed));
        placed.sort(Comparator.comparingInt(PlacedRank::rank).thenComparingInt(PlacedRank::copy));
        return new NodeAllocation(renumbered(placed, request));
    }

    /**
     * The slots to ask for, 25 % more than the job needs, because some agents will refuse. The chapter overbooks too, and
     * gives no number.
     *
     * @param nodes in order of distance
     * @return the nodes to ask, nearest first, each with the number of slots to ask for as its free ones; fewer than
     *     needed if there are no more
     */
    public static List<NodeSlots> overbooked(List<NodeSlots> nodes, AllocationRequest request) {
        if (request.apart() == Apart.HOST_AT_HOME_FIRST) {
            return ReplicaPlan.overbooked(eligible(nodes, request), request);
        }
        List<AllocationPart> parts;
        try {
            parts = parts(nodes, request);
        } catch (JobFailure e) {
            parts = List.of(whole(eligible(nodes, request), request));
        }
        List<NodeSlots> asked = new ArrayList<>();
        for (AllocationPart part : parts) {
            part.divide(request.strategy(), overbooked(part.needed()), (node, count) -> asked.add(node.withFree(count)));
        }
        return asked;
    }

    /** ceil(1.25 {@code slots}). */
    static long overbooked(long slots) {
        return (5 * slots + 3) / 4;
    }

    /**
     * The node for one rank that starts again.
     *
     * @param nodes in order of distance, with their free slots
     * @param request of the job; its restriction to sites and labels holds
     * @param rank that starts again
     * @param hosts of the rank's living copies, which are forbidden
     * @param sites of the rank's living copies, which are forbidden if the copies are apart by site; else empty
     * @param ranksOfHost number of the job's ranks by host; SPREAD takes a host with the fewest
     */
    public static Optional<NodeSlots> forRestart(
            List<NodeSlots> nodes,
            AllocationRequest request,
            int rank,
            Set<String> hosts,
            Set<String> sites,
            Map<String, Integer> ranksOfHost) {
        Optional<String> siteOfRank = siteOf(rank, request);
        Comparator<NodeSlots> fewest = request.strategy() == Strategy.SPREAD
                ? Comparator.comparingInt(node -> ranksOfHost.getOrDefault(node.host(), 0))
                : Comparator.comparingInt(node -> 0);
        return eligible(nodes, request).stream()
                .filter(node -> node.free() > 0 && !hosts.contains(node.host()) && !sites.contains(node.site()))
                .filter(node -> siteOfRank.map(node.site()::equals).orElse(true))
                .min(fewest); // the first of equals
    }

    /** The site of the rank if the request gives each site its number of ranks, and the ranks are in their order. */
    private static Optional<String> siteOf(int rank, AllocationRequest request) {
        if (!request.sites().isExact() || request.numbering() != Numbering.SLOT) {
            return Optional.empty();
        }
        int end = 0;
        for (Map.Entry<String, Integer> site : request.sites().ranks().entrySet()) {
            end += site.getValue();
            if (rank < end) {
                return Optional.of(site.getKey());
            }
        }
        return Optional.empty();
    }

    /** All copies of all ranks, sorted by rank and copy. */
    public List<PlacedRank> placed() {
        return placed;
    }

    /** Number of the job's slots by the agent's number; agents without one are absent. */
    public Map<Long, Integer> slotsByAgent() {
        return placed.stream()
                .collect(Collectors.groupingBy(place -> place.node().agent(), LinkedHashMap::new, Collectors.summingInt(place -> 1)));
    }

    /** The nodes at the request's sites and with its labels. */
    public static List<NodeSlots> eligible(List<NodeSlots> nodes, AllocationRequest request) {
        return nodes.stream().filter(request::allows).toList();
    }

    private static AllocationPart whole(List<NodeSlots> nodes, AllocationRequest request) {
        return new AllocationPart("", 0, request.ranks(), 0, request.copies(), nodes);
    }

    private static List<AllocationPart> parts(List<NodeSlots> nodes, AllocationRequest request) throws JobFailure {
        List<NodeSlots> eligible = eligible(nodes, request);
        if (request.sites().isExact()) {
            return partOfEachSite(eligible, request);
        }
        if (request.copies() == 1 || request.apart() == Apart.HOST) {
            return List.of(whole(eligible, request));
        }
        List<List<NodeSlots>> groups = siteGroups(eligible, request);
        if (groups.size() >= request.copies()) {
            List<AllocationPart> parts = new ArrayList<>();
            for (int copy = 0; copy < request.copies(); copy++) {
                parts.add(new AllocationPart("", 0, request.ranks(), copy, 1, groups.get(copy)));
            }
            return parts;
        }
        if (request.apart() == Apart.SITE) {
            throw new JobFailure("asked for " + request.size() + " with the copies at different sites, got room for "
                    + groups.size() + " of " + request.copies() + " copies of all ranks (slots: " + slotsBySite(eligible, request) + ")");
        }
        return List.of(whole(eligible, request));
    }

    private static List<AllocationPart> partOfEachSite(List<NodeSlots> nodes, AllocationRequest request) throws JobFailure {
        if (request.sites().sum() != request.ranks()) {
            throw new JobFailure("--sites gives " + request.sites().sum() + " ranks to sites, and the job has " + request.ranks());
        }
        if (request.apart() == Apart.SITE && request.copies() > 1) {
            throw new JobFailure("--sites with numbers of ranks puts all copies of a rank at one site, and --apart site forbids it");
        }
        List<AllocationPart> parts = new ArrayList<>();
        int rank = 0;
        for (Map.Entry<String, Integer> site : request.sites().ranks().entrySet()) {
            List<NodeSlots> there = nodes.stream().filter(node -> node.site().equals(site.getKey())).toList();
            parts.add(new AllocationPart("site " + site.getKey() + ": ", rank, site.getValue(), 0, request.copies(), there));
            rank += site.getValue();
        }
        return parts;
    }

    /**
     * Groups of sites that hold all ranks once each, by the nearest site of a group. Single sites come first; only if they
     * are too few, and copies must be apart, other sites are joined in their order. Not every partition is tried.
     */
    private static List<List<NodeSlots>> siteGroups(List<NodeSlots> nodes, AllocationRequest request) {
        List<List<NodeSlots>> groups = new ArrayList<>();
        List<NodeSlots> joined = new ArrayList<>();
        for (List<NodeSlots> site : bySite(nodes).values()) {
            if (holdsAllRanks(site, request)) {
                groups.add(site);
            } else if (request.apart() == Apart.SITE) {
                joined.addAll(site);
                if (holdsAllRanks(joined, request)) {
                    groups.add(joined);
                    joined = new ArrayList<>();
                }
            }
        }
        return groups;
    }

    private static boolean holdsAllRanks(List<NodeSlots> nodes, AllocationRequest request) {
        return new AllocationPart("", 0, request.ranks(), 0, 1, nodes).available() >= request.ranks();
    }

    /** A host is at the site of its nearest agent. */
    private static Map<String, List<NodeSlots>> bySite(List<NodeSlots> nodes) {
        Map<String, String> siteOfHost = nodes.stream().collect(Collectors.toMap(NodeSlots::host, NodeSlots::site, (first, other) -> first));
        return grouped(nodes, node -> siteOfHost.get(node.host()));
    }

    private static <T> Map<String, List<T>> grouped(Collection<T> members, Function<T, String> group) {
        return members.stream().collect(Collectors.groupingBy(group, LinkedHashMap::new, Collectors.toList()));
    }

    private static String slotsBySite(List<NodeSlots> nodes, AllocationRequest request) {
        return bySite(nodes).entrySet().stream()
                .map(site -> site.getKey() + " " + whole(site.getValue(), request).available())
                .collect(Collectors.joining(", "));
    }

    private static String shortage(AllocationPart part, AllocationRequest request) {
        long missing = part.needed() - part.available();
        StringBuilder text = new StringBuilder(part.name)
                .append("asked for ")
                .append(part.name.isEmpty() ? request.size() + (request.copies() == 1 ? "" : " = " + part.needed()) : part.needed())
                .append(" slots, got ")
                .append(part.available());
        int ofOne = part.capacityMax();
        if (ofOne == 0) {
            text.append("; no host has a free slot");
        } else {
            long hosts = (missing + ofOne - 1) / ofOne;
            text.append("; ").append(hosts).append(hosts == 1 ? " more host" : " more hosts").append(" with ").append(ofOne).append(" needed");
        }
        if (part.free() >= part.needed()) {
            text.append("; a host holds at most one copy of each rank");
        }
        request.labels().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(label -> text.append("; only nodes with ").append(label));
        return text.toString();
    }

    /**
     * Numbers the ranks in turns over hosts or sites. All copies of a rank get its new number, so that they stay apart.
     */
    private static List<PlacedRank> renumbered(List<PlacedRank> placed, AllocationRequest request) {
        if (request.numbering() == Numbering.SLOT) {
            return placed;
        }
        List<PlacedRank> firsts = placed.stream().filter(place -> place.copy() == 0).toList();
        List<List<PlacedRank>> groups = List.copyOf(grouped(
                firsts, place -> request.numbering() == Numbering.SITE ? place.node().site() : place.node().host())
                .values());
        int[] numbers = new int[firsts.size()];
        int next = 0;
        for (int turn = 0; next < numbers.length; turn++) {
            for (List<PlacedRank> group : groups) {
                if (turn < group.size()) {
                    numbers[group.get(turn).rank()] = next++;
                }
            }
        }
        return placed.stream()
                .map(place -> new PlacedRank(numbers[place.rank()], place.copy(), place.node()))
                .sorted(Comparator.comparingInt(PlacedRank::rank).thenComparingInt(PlacedRank::copy))
                .toList();
    }
}
