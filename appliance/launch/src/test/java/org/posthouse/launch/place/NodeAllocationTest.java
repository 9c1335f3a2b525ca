package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AllocationRequest.Apart;
import org.posthouse.launch.place.AllocationRequest.Numbering;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.testkit.SeededRuns;

/** Placement of ranks and their copies on hosts. */
class NodeAllocationTest {
    /** Random cases of the build; 200,000 with {@code -Dposthouse.seeds.times=100}. */
    private static final int CASES = 2_000;

    private static NodeSlots host(String host, String site, int free) {
        return new NodeSlots(host.hashCode(), host, host, site, 100, free, free, Map.of("gpu", host.endsWith("g") ? "a100" : "none"));
    }

    /** For each rank the hosts of its copies: {@code h1+h2 h1+h3}. */
    private static String hosts(NodeAllocation allocation) {
        Map<Integer, List<String>> hosts = new TreeMap<>();
        for (PlacedRank place : allocation.placed()) {
            List<String> copies = hosts.computeIfAbsent(place.rank(), rank -> new ArrayList<>());
            assertThat(place.copy()).isEqualTo(copies.size());
            copies.add(place.node().host());
        }
        assertThat(hosts.keySet()).containsExactlyElementsOf(IntStream.range(0, hosts.size()).boxed().toList());
        return hosts.values().stream().map(copies -> String.join("+", copies)).collect(Collectors.joining(" "));
    }

    private static final List<NodeSlots> TWO_SITES =
            List.of(host("a1", "a", 2), host("a2", "a", 2), host("b1", "b", 4), host("b2g", "b", 1));

    @Test
    void nodesThatHaveJoinedAJobAreForThatJobAlone() throws Exception {
        Map<String, String> june = Map.of("posthouse.job", "june");
        List<NodeSlots> nodes = List.of(host("a1", "a", 2), new NodeSlots(7, "a2", "a2", "a", 100, 2, 2, june));
        AllocationRequest any = AllocationRequest.of(2, Strategy.SPREAD);
        assertThat(hosts(NodeAllocation.of(nodes, any))).isEqualTo("a1 a1");
        assertThat(hosts(NodeAllocation.of(nodes, any.where(SiteRestriction.NONE, june)))).isEqualTo("a2 a2");
        assertThatThrownBy(() -> NodeAllocation.of(nodes, any.where(SiteRestriction.NONE, Map.of("posthouse.job", "july")))).isInstanceOf(JobFailure.class);
    }

    @Test
    void spreadsOverAllHostsBeforeAHostGetsASecondRank() throws Exception {
        assertThat(hosts(NodeAllocation.of(TWO_SITES, AllocationRequest.of(3, Strategy.SPREAD)))).isEqualTo("a1 a2 b1");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, AllocationRequest.of(6, Strategy.SPREAD)))).isEqualTo("a1 a1 a2 a2 b1 b2g");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, AllocationRequest.of(9, Strategy.SPREAD)))).isEqualTo("a1 a1 a2 a2 b1 b1 b1 b1 b2g");
    }

    @Test
    void concentrateFillsTheNearestHosts() throws Exception {
        assertThat(hosts(NodeAllocation.of(TWO_SITES, AllocationRequest.of(3, Strategy.CONCENTRATE)))).isEqualTo("a1 a1 a2");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, AllocationRequest.of(6, Strategy.CONCENTRATE)))).isEqualTo("a1 a1 a2 a2 b1 b1");
    }

    @Test
    void numbersNeighboursOverHostsOrSites() throws Exception {
        AllocationRequest six = AllocationRequest.of(6, Strategy.CONCENTRATE);
        assertThat(hosts(NodeAllocation.of(TWO_SITES, six.withNumbering(Numbering.NODE)))).isEqualTo("a1 a2 b1 a1 a2 b1");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, six.withNumbering(Numbering.SITE)))).isEqualTo("a1 b1 a1 b1 a2 a2");
    }

    @Test
    void keepsCopiesOfARankOnDifferentHostsWhereTheChapterDoesNot() throws Exception {
        List<NodeSlots> hosts = List.of(host("h1", "a", 4), host("h2", "a", 1), host("h3", "a", 1), host("h4", "a", 2));
        AllocationRequest twice = AllocationRequest.of(4, Strategy.SPREAD).withCopies(2, Apart.HOST);
        assertThat(hosts(NodeAllocation.of(hosts, twice))).isEqualTo("h1+h2 h1+h3 h1+h4 h1+h4");
    }

    @Test
    void putsCopiesAtDifferentSitesIfEnoughSitesHoldAllRanks() throws Exception {
        AllocationRequest twice = AllocationRequest.of(4, Strategy.SPREAD).withCopies(2, Apart.SITE_IF_POSSIBLE);
        assertThat(hosts(NodeAllocation.of(TWO_SITES, twice))).isEqualTo("a1+b1 a1+b1 a2+b1 a2+b2g");
        assertThat(hosts(NodeAllocation.of(TWO_SITES.subList(0, 3), twice.withCopies(2, Apart.HOST)))).isEqualTo("a1+b1 a1+b1 a2+b1 a2+b1");
        List<NodeSlots> smallSites = List.of(host("a1", "a", 2), host("b1", "b", 2), host("c1", "c", 2));
        AllocationRequest pair = AllocationRequest.of(2, Strategy.SPREAD);
        assertThat(hosts(NodeAllocation.of(smallSites, pair.withCopies(3, Apart.SITE)))).isEqualTo("a1+b1+c1 a1+b1+c1");
        assertThatThrownBy(() -> NodeAllocation.of(smallSites, AllocationRequest.of(3, Strategy.SPREAD).withCopies(2, Apart.SITE)))
                .isInstanceOf(JobFailure.class)
                .hasMessage("asked for 3 x 2 with the copies at different sites, got room for 1 of 2 copies of all ranks"
                        + " (slots: a 2, b 2, c 2)");
    }

    @Test
    void joinsSmallSitesForACopyIfCopiesMustBeApart() throws Exception {
        List<NodeSlots> sites = List.of(host("b1", "b", 1), host("a1", "a", 2), host("c1", "c", 1));
        AllocationRequest pair = AllocationRequest.of(2, Strategy.SPREAD).withCopies(2, Apart.SITE);
        assertThat(hosts(NodeAllocation.of(sites, pair))).isEqualTo("a1+b1 a1+c1");
    }

    @Test
    void twoAgentsOfOneHostShareItsCopies() throws Exception {
        NodeSlots first = new NodeSlots(1, "n1", "h", "a", 0, 2, 2, Map.of());
        NodeSlots second = new NodeSlots(2, "n2", "h", "a", 0, 2, 2, Map.of());
        NodeAllocation allocation = NodeAllocation.of(List.of(first, second), AllocationRequest.of(3, Strategy.SPREAD));
        assertThat(allocation.slotsByAgent()).containsExactly(Map.entry(1L, 2), Map.entry(2L, 1));
        assertThatThrownBy(() -> NodeAllocation.of(List.of(first, second), AllocationRequest.of(2, Strategy.SPREAD).withCopies(2, Apart.HOST)))
                .hasMessage("asked for 2 x 2 = 4 slots, got 2; 1 more host with 2 needed; a host holds at most one copy of each rank");
    }

    @Test
    void givesSitesTheirExactNumbersOfRanks() throws Exception {
        AllocationRequest six = AllocationRequest.of(6, Strategy.SPREAD).where(SiteRestriction.parse("b:4,a:2"), Map.of());
        assertThat(hosts(NodeAllocation.of(TWO_SITES, six))).isEqualTo("b1 b1 b1 b2g a1 a2");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, six.withNumbering(Numbering.SITE)))).isEqualTo("b1 a1 b1 a2 b1 b2g");
        assertThatThrownBy(() -> NodeAllocation.of(
                TWO_SITES, AllocationRequest.of(9, Strategy.SPREAD).where(SiteRestriction.parse("a:6,b:3"), Map.of())))
                .hasMessage("site a: asked for 6 slots, got 4; 1 more host with 2 needed");
        assertThatThrownBy(() -> NodeAllocation.of(
                TWO_SITES, AllocationRequest.of(5, Strategy.SPREAD).where(SiteRestriction.parse("a:2,b:2"), Map.of())))
                .hasMessage("--sites gives 4 ranks to sites, and the job has 5");
    }

    @Test
    void usesOnlyNamedSitesAndNodesWithTheLabels() throws Exception {
        AllocationRequest one = AllocationRequest.of(1, Strategy.SPREAD);
        assertThat(hosts(NodeAllocation.of(TWO_SITES, one.where(SiteRestriction.parse("b"), Map.of())))).isEqualTo("b1");
        assertThat(hosts(NodeAllocation.of(TWO_SITES, one.where(SiteRestriction.NONE, Map.of("gpu", "a100"))))).isEqualTo("b2g");
        assertThatThrownBy(() -> NodeAllocation.of(TWO_SITES, one.where(SiteRestriction.parse("a"), Map.of("gpu", "a100"))))
                .hasMessage("asked for 1 slots, got 0; no host has a free slot; only nodes with gpu=a100");
    }

    @Test
    void namesBothNumbersAndTheHostsThatAreMissing() {
        assertThatThrownBy(() -> NodeAllocation.of(TWO_SITES, AllocationRequest.of(18, Strategy.SPREAD)))
                .hasMessage("asked for 18 slots, got 9; 3 more hosts with 4 needed");
    }

    @Test
    void asksForAQuarterMoreThanItNeeds() {
        assertThat(asked(AllocationRequest.of(5, Strategy.CONCENTRATE))).isEqualTo("a1 2, a2 2, b1 3");
        assertThat(asked(AllocationRequest.of(3, Strategy.SPREAD))).isEqualTo("a1 1, a2 1, b1 1, b2g 1");
        assertThat(asked(AllocationRequest.of(40, Strategy.SPREAD))).isEqualTo("a1 2, a2 2, b1 4, b2g 1");
        assertThat(NodeAllocation.overbooked(4)).isEqualTo(5);
        assertThat(NodeAllocation.overbooked(5)).isEqualTo(7);
    }

    private static String asked(AllocationRequest request) {
        return NodeAllocation.overbooked(TWO_SITES, request).stream()
                .map(node -> node.name() + " " + node.free())
                .collect(Collectors.joining(", "));
    }

    @Test
    void aRestartAvoidsTheHostsAndSitesOfLivingCopies() {
        AllocationRequest spread = AllocationRequest.of(4, Strategy.SPREAD);
        AllocationRequest concentrate = AllocationRequest.of(4, Strategy.CONCENTRATE);
        Map<String, Integer> ranks = Map.of("a1", 1, "b1", 1);
        assertThat(NodeAllocation.forRestart(TWO_SITES, concentrate, 0, Set.of(), Set.of(), ranks)).contains(TWO_SITES.get(0));
        assertThat(NodeAllocation.forRestart(TWO_SITES, spread, 0, Set.of(), Set.of(), ranks)).contains(TWO_SITES.get(1));
        assertThat(NodeAllocation.forRestart(TWO_SITES, concentrate, 0, Set.of("a1"), Set.of(), ranks)).contains(TWO_SITES.get(1));
        assertThat(NodeAllocation.forRestart(TWO_SITES, spread, 0, Set.of("a1"), Set.of("a"), ranks)).contains(TWO_SITES.get(3));
        assertThat(NodeAllocation.forRestart(TWO_SITES, spread, 0, Set.of(), Set.of("a", "b"), ranks)).isEmpty();
    }

    /** Random hosts and a random job, and what its placement must be. */
    private static final class World {
        private final List<NodeSlots> nodes = new ArrayList<>();
        private final AllocationRequest request;

        /** Of an exact restriction to the sites s0 and s1; 0: none. */
        private final int ranksOfFirstSite;

        World(Random random) {
            int hosts = random.nextInt(12);
            int sites = 1 + random.nextInt(4);
            for (int host = 0; host < hosts; host++) {
                String site = "s" + random.nextInt(sites);
                for (int agent = random.nextInt(4) / 3; agent >= 0; agent--) {
                    nodes.add(new NodeSlots(nodes.size(), "n" + nodes.size(), "h" + host, site, host, 9, random.nextInt(6), Map.of()));
                }
            }
            int ranks = 1 + random.nextInt(12);
            this.ranksOfFirstSite = ranks > 1 && random.nextInt(4) == 0 ? 1 + random.nextInt(ranks - 1) : 0;
            AllocationRequest job = AllocationRequest.of(ranks, random.nextBoolean() ? Strategy.SPREAD : Strategy.CONCENTRATE)
                    .withCopies(1 + random.nextInt(4), Apart.values()[random.nextInt(3)])
                    .withNumbering(Numbering.values()[random.nextInt(3)]);
            this.request = ranksOfFirstSite == 0 ? job : exact(job.withCopies(job.copies(), Apart.HOST));
        }

        private AllocationRequest exact(AllocationRequest job) {
            Map<String, Integer> numbers = new LinkedHashMap<>();
            numbers.put("s1", job.ranks() - ranksOfFirstSite);
            numbers.put("s0", ranksOfFirstSite);
            return job.where(new SiteRestriction(numbers), Map.of());
        }

        Map<String, Integer> capacities(String site) {
            return nodes.stream()
                    .filter(node -> site.isEmpty() || node.site().equals(site))
                    .collect(Collectors.groupingBy(NodeSlots::host, LinkedHashMap::new, Collectors.summingInt(NodeSlots::free)));
        }
    }

    /**
     * Gale and Ryser: if there is a way at all, there is one that gives each rank in turn the r hosts with most room left.
     */
    private static boolean isFeasible(Map<String, Integer> capacities, int ranks, int copies) {
        PriorityQueue<Integer> room = new PriorityQueue<>((a, b) -> b - a);
        room.addAll(capacities.values());
        for (int rank = 0; rank < ranks; rank++) {
            List<Integer> taken = new ArrayList<>();
            for (int copy = 0; copy < copies; copy++) {
                if (room.isEmpty() || room.peek() == 0) {
                    return false;
                }
                taken.add(room.poll() - 1);
            }
            room.addAll(taken);
        }
        return true;
    }

    /** Feasible jobs, infeasible ones, and those whose copies are at different sites. */
    private static final int[] tally = new int[3];

    @Test
    void placesEveryCopyExactlyIfTheHostsSufficeAndNoTwoCopiesOfARankOnAHost() {
        SeededRuns.each(CASES, seed -> check(new World(new Random(seed))));
        SeededRuns.tally("feasible jobs", tally[0], CASES / 4);
        SeededRuns.tally("infeasible jobs", tally[1], CASES / 4);
        SeededRuns.tally("jobs with copies at different sites", tally[2], CASES / 20);
    }

    private static void check(World world) throws JobFailure {
        AllocationRequest request = world.request;
        if (request.sites().isExact()) {
            checkExactSites(world);
            return;
        }
        List<String> sites = world.nodes.stream().map(NodeSlots::site).distinct().toList();
        long fullSites = sites.stream().filter(site -> isFeasible(world.capacities(site), request.ranks(), 1)).count();
        boolean isApart = request.apart() != Apart.HOST && request.copies() > 1 && fullSites >= request.copies();
        NodeAllocation allocation;
        try {
            allocation = NodeAllocation.of(world.nodes, request);
        } catch (JobFailure e) {
            tally[1]++;
            if (request.apart() != Apart.SITE || request.copies() == 1) {
                assertThat(isFeasible(world.capacities(""), request.ranks(), request.copies())).as(e.getMessage()).isFalse();
            }
            assertThat(isApart).as(e.getMessage()).isFalse();
            return;
        }
        tally[0]++;
        assertThat(isFeasible(world.capacities(""), request.ranks(), request.copies())).isTrue();
        assertPlaced(world, allocation);
        if (isApart || request.apart() == Apart.SITE) {
            tally[2]++;
            assertCopiesDiffer(allocation, true);
        } else {
            assertCounts(world, allocation);
        }
    }

    /** One site has its number of ranks, and another the rest. */
    private static void checkExactSites(World world) throws JobFailure {
        AllocationRequest request = world.request;
        int first = world.ranksOfFirstSite;
        boolean isFeasible = isFeasible(world.capacities("s0"), first, request.copies())
                && isFeasible(world.capacities("s1"), request.ranks() - first, request.copies());
        NodeAllocation allocation;
        try {
            allocation = NodeAllocation.of(world.nodes, request);
        } catch (JobFailure e) {
            assertThat(isFeasible).as(e.getMessage()).isFalse();
            return;
        }
        assertThat(isFeasible).isTrue();
        assertPlaced(world, allocation);
        assertThat(allocation.placed().stream().filter(place -> place.node().site().equals("s0")).count())
                .isEqualTo((long) first * request.copies());
    }

    private static void assertPlaced(World world, NodeAllocation allocation) {
        Set<Integer> places = new HashSet<>();
        Map<NodeSlots, Integer> slots = new HashMap<>();
        for (PlacedRank place : allocation.placed()) {
            assertThat(place.rank()).isBetween(0, world.request.ranks() - 1);
            assertThat(place.copy()).isBetween(0, world.request.copies() - 1);
            assertThat(places.add(place.rank() * world.request.copies() + place.copy())).isTrue();
            assertThat(slots.merge(place.node(), 1, Integer::sum)).isLessThanOrEqualTo(place.node().free());
        }
        assertThat(places).hasSize((int) world.request.processes());
        assertThat(world.nodes).containsAll(slots.keySet());
        assertCopiesDiffer(allocation, false);
    }

    private static void assertCopiesDiffer(NodeAllocation allocation, boolean bySite) {
        Set<String> seen = new HashSet<>();
        for (PlacedRank place : allocation.placed()) {
            String where = bySite ? place.node().site() : place.node().host();
            assertThat(seen.add(place.rank() + " " + where)).as("rank %d twice at %s", place.rank(), where).isTrue();
        }
    }

    /** Spread: no host has two slots more than another with room. Concentrate: no slot is behind a host with room. */
    private static void assertCounts(World world, NodeAllocation allocation) {
        Map<String, Long> counts = allocation.placed().stream().collect(Collectors.groupingBy(place -> place.node().host(), Collectors.counting()));
        long least = Long.MAX_VALUE;
        boolean isRoomBefore = false;
        for (Map.Entry<String, Integer> host : world.capacities("").entrySet()) {
            long count = counts.getOrDefault(host.getKey(), 0L);
            boolean isRoom = count < Math.min(host.getValue(), world.request.ranks());
            if (world.request.strategy() == Strategy.SPREAD) {
                assertThat(count).as("slots of %s behind a host with room and %d", host, least).isLessThanOrEqualTo(least);
                least = isRoom ? Math.min(least, count) : least;
            } else {
                assertThat(isRoomBefore && count > 0).as("slots of %s behind a host with room", host).isFalse();
                isRoomBefore |= isRoom;
            }
        }
        if (world.request.strategy() == Strategy.SPREAD) {
            long fewest = least;
            assertThat(counts.values()).as("hosts with room have %d", fewest).allMatch(count -> fewest == Long.MAX_VALUE || count <= fewest + 1);
        }
    }
}
