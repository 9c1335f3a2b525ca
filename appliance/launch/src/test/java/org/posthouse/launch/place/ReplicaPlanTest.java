package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.place.AllocationRequest.Numbering;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.testkit.SeededRuns;

class ReplicaPlanTest {
    private static final int CASES = 4_000;

    private static NodeSlots node(String host, String relay, int free) {
        return new NodeSlots(host.hashCode(), "n" + host, host, "site-" + relay, 0, free, free, Map.of(), relay);
    }

    private static List<NodeSlots> hosts(String relay, int... free) {
        return IntStream.range(0, free.length).mapToObj(host -> node(relay + host, relay, free[host])).toList();
    }

    private static List<NodeSlots> both(List<NodeSlots> first, List<NodeSlots> second) {
        List<NodeSlots> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static AllocationRequest job(int ranks, String replicas, Strategy strategy) {
        return AllocationRequest.of(ranks, strategy).withReplicas(Replicas.of(replicas));
    }

    /** For each rank its hosts, the leader's first. */
    private static String words(List<NodeSlots> nodes, AllocationRequest request) throws JobFailure {
        Map<Integer, String> hosts = new HashMap<>();
        NodeAllocation.of(nodes, request).placed().forEach(place -> hosts.merge(place.rank(), place.node().host(), (a, b) -> a + "+" + b));
        return IntStream.range(0, request.ranks()).mapToObj(hosts::get).collect(Collectors.joining(" "));
    }

    @Test
    void copiesAreOnDifferentHostsAndLeadersAreSpread() throws Exception {
        assertThat(words(hosts("a", 2, 2, 2), job(3, "2", Strategy.SPREAD))).isEqualTo("a0+a1 a2+a0 a1+a2");
    }

    @Test
    void onlyTheNamedRanksHaveCopies() throws Exception {
        assertThat(words(hosts("a", 2, 2), job(3, "2:1", Strategy.SPREAD))).isEqualTo("a0 a1+a0 a1");
    }

    @Test
    void concentrationTakesTheFewestNearestHosts() throws Exception {
        assertThat(words(hosts("a", 4, 4, 4, 4), job(4, "2", Strategy.CONCENTRATE))).isEqualTo("a0+a1 a1+a0 a0+a1 a1+a0");
        assertThat(words(hosts("a", 4, 4, 4, 4), job(4, "2", Strategy.SPREAD))).contains("a2").contains("a3");
    }

    @Test
    void allCopiesOfARankAreAtOneRelay() throws Exception {
        List<NodeSlots> nodes = both(hosts("a", 2, 2), hosts("b", 2, 2));
        assertThat(words(nodes, job(4, "2", Strategy.SPREAD))).isEqualTo("a0+a1 a1+a0 b0+b1 b1+b0");
    }

    /** Two clusters with one host each. */
    @Test
    void whereARelayHasTooFewHostsFollowersAreAtOthers() throws Exception {
        List<NodeSlots> nodes = both(hosts("a", 2), hosts("b", 2));
        assertThat(words(nodes, job(2, "2", Strategy.SPREAD))).isEqualTo("a0+b0 b0+a0");
        assertThat(words(nodes, job(2, "2", Strategy.CONCENTRATE))).isEqualTo("a0+b0 b0+a0");
        assertThat(words(both(hosts("a", 1, 1), hosts("b", 1)), job(1, "3", Strategy.SPREAD))).isEqualTo("a0+a1+b0");
    }

    @Test
    void followersAreAtHomeWhereThatIsPossible() throws Exception {
        assertThat(words(both(hosts("a", 9), hosts("b", 1, 1)), job(1, "2", Strategy.SPREAD))).isEqualTo("b0+b1");
        assertThat(words(both(hosts("a", 1, 1), hosts("b", 1, 1, 1, 1)), job(3, "2", Strategy.SPREAD))).isEqualTo("a0+a1 b0+b1 b2+b3");
        assertThat(words(both(hosts("a", 1, 1, 1), hosts("b", 1, 1, 1)), job(3, "2", Strategy.SPREAD))).isEqualTo("a0+a1 a2+b0 b1+b2");
    }

    /** An agent of each of two relays. */
    @Test
    void aHostThatIsAtTwoRelaysIsOneHost() {
        List<NodeSlots> nodes = List.of(node("h", "a", 2), node("h", "b", 2));
        assertThatThrownBy(() -> words(nodes, job(1, "2", Strategy.SPREAD))).hasMessage("-r 2 wants 2 hosts for rank 0, and 1 has free places");
    }

    @Test
    void sitesKeepTheirNumbersOfRanks() throws Exception {
        List<NodeSlots> nodes = both(hosts("a", 4, 4), hosts("b", 4, 4));
        AllocationRequest exact = job(3, "2", Strategy.SPREAD).where(SiteRestriction.parse("site-a:1,site-b:2"), Map.of());
        assertThat(words(nodes, exact)).isEqualTo("a0+a1 b0+b1 b1+b0");
    }

    @Test
    void ranksAreRenumberedWithTheirCopies() throws Exception {
        List<NodeSlots> nodes = both(hosts("a", 2, 2), hosts("b", 2, 2));
        assertThat(words(nodes, job(4, "2", Strategy.SPREAD).withNumbering(Numbering.SITE))).isEqualTo("a0+a1 b0+b1 a1+a0 b1+b0");
    }

    @Test
    void bothNumbersAreNamedIfTheHostsDoNotSuffice() throws Exception {
        assertThatThrownBy(() -> words(hosts("a", 3, 3, 0), job(2, "3", Strategy.SPREAD)))
                .isInstanceOf(JobFailure.class).hasMessage("-r 3 wants 3 hosts for rank 0, and 2 have free places");
        assertThatThrownBy(() -> words(both(hosts("a", 3), hosts("b", 3)), job(2, "3:1", Strategy.SPREAD)))
                .hasMessage("-r 3:1 wants 3 hosts for rank 1, and 2 have free places");
        AllocationRequest exact = job(2, "2", Strategy.SPREAD).where(SiteRestriction.parse("site-a:1,site-b:1"), Map.of());
        assertThatThrownBy(() -> words(both(hosts("a", 3), hosts("b", 3)), exact))
                .hasMessage("-r 2 wants 2 hosts for rank 0, and 1 has free places of site site-a");
        assertThatThrownBy(() -> words(hosts("a", 2, 1), job(2, "2", Strategy.SPREAD)))
                .hasMessage("-r 2 wants 4 places for 2 ranks, and the hosts have 3");
        assertThatThrownBy(() -> words(hosts("a", 9, 1), job(2, "2", Strategy.SPREAD))).hasMessage(
                "-r 2 wants 4 places for 2 ranks, and the hosts have 10, but not on enough different hosts: a host holds at most one process of each rank");
    }

    /** All jobs of up to three ranks on up to three hosts of up to three slots, against a search through all placements. */
    @Test
    void findsAPlacementExactlyIfThereIsOne() {
        int[] tally = new int[2];
        for (int hosts = 1; hosts <= 3; hosts++) {
            for (int code = 0; code < Math.pow(4, hosts); code++) {
                int[] free = new int[hosts];
                for (int host = 0, rest = code; host < hosts; host++, rest /= 4) {
                    free[host] = rest % 4;
                }
                for (int ranks = 1; ranks <= 3; ranks++) {
                    for (String replicas : List.of("2", "3", "2:0", "3:0", "2:" + (ranks - 1), "2:0-" + (ranks - 1), "3:0," + (ranks - 1))) {
                        for (Strategy strategy : Strategy.values()) {
                            AllocationRequest request = job(ranks, replicas, strategy);
                            tally[check(hosts("a", free), request, exists(free.clone(), request.degrees(), 0)) ? 0 : 1]++;
                        }
                    }
                }
            }
        }
        assertThat(tally[0]).isGreaterThan(500);
        assertThat(tally[1]).isGreaterThan(500);
    }

    private static boolean exists(int[] free, int[] degrees, int rank) {
        if (rank == degrees.length) {
            return true;
        }
        for (int chosen = 0; chosen < 1 << free.length; chosen++) {
            if (Integer.bitCount(chosen) == degrees[rank]) {
                int[] left = free.clone();
                for (int host = 0; host < free.length; host++) {
                    left[host] -= chosen >> host & 1;
                }
                if (Arrays.stream(left).allMatch(slots -> slots >= 0) && exists(left, degrees, rank + 1)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** One degree for all ranks on hosts of several relays: relays can hold so many ranks each, and together all; or all hosts can as those of one. */
    @Test
    void ranksOfOneDegreeAreDividedOverRelaysExactlyIfTheyHaveRoom() {
        int[] tally = new int[3];
        SeededRuns.each(CASES, seed -> {
            Random random = new Random(seed);
            List<NodeSlots> nodes = new ArrayList<>();
            int ranks = 1 + random.nextInt(10);
            int degree = 2 + random.nextInt(3);
            int atHome = 0;
            List<Integer> slots = new ArrayList<>();
            for (int relay = 0; relay <= random.nextInt(3); relay++) {
                int[] free = random.ints(random.nextInt(6), 0, 6).toArray();
                nodes.addAll(hosts("r" + relay, free));
                atHome += most(free, ranks, degree);
                Arrays.stream(free).forEach(slots::add);
            }
            AllocationRequest request = job(ranks, Integer.toString(degree), Strategy.values()[random.nextInt(2)]);
            boolean exists = most(slots.stream().mapToInt(Integer::intValue).toArray(), ranks, degree) >= ranks;
            boolean isPlaced = check(nodes, request, exists, atHome >= ranks);
            tally[isPlaced ? atHome >= ranks ? 0 : 2 : 1]++;
        });
        SeededRuns.tally("feasible jobs", tally[0], CASES / 10);
        SeededRuns.tally("infeasible jobs", tally[1], CASES / 10);
        SeededRuns.tally("jobs with followers away from home", tally[2], CASES / 50);
    }

    /** The most ranks k of this degree: the sum of min(slots, k) over the hosts is at least k times the degree. */
    private static int most(int[] free, int ranks, int degree) {
        return IntStream.rangeClosed(0, ranks)
                .filter(k -> Arrays.stream(free).map(slots -> Math.min(slots, k)).sum() >= k * degree)
                .max().orElseThrow();
    }

    /** @return whether it was placed */
    private static boolean check(List<NodeSlots> nodes, AllocationRequest request, boolean exists) {
        return check(nodes, request, exists, true);
    }

    /** @param atHome whether all processes of each rank are to be at one relay */
    private static boolean check(List<NodeSlots> nodes, AllocationRequest request, boolean exists, boolean atHome) {
        List<PlacedRank> placed;
        try {
            placed = NodeAllocation.of(nodes, request).placed();
        } catch (JobFailure e) {
            assertThat(exists).as(request + " on " + nodes + ": " + e.getMessage()).isFalse();
            return false;
        }
        assertThat(exists).as(request + " on " + nodes).isTrue();
        Set<String> taken = new HashSet<>();
        Map<Integer, Set<String>> relays = new HashMap<>();
        Map<NodeSlots, Integer> used = new HashMap<>();
        int[] copies = new int[request.ranks()];
        for (PlacedRank place : placed) {
            assertThat(taken.add(place.rank() + " on " + place.node().host())).isTrue();
            assertThat(used.merge(place.node(), 1, Integer::sum)).isLessThanOrEqualTo(place.node().free());
            assertThat(place.copy()).isEqualTo(copies[place.rank()]++);
            relays.computeIfAbsent(place.rank(), rank -> new HashSet<>()).add(place.node().relay());
        }
        assertThat(copies).containsExactly(request.degrees());
        assertThat(relays.values().stream().allMatch(of -> of.size() == 1)).as(request + " on " + nodes).isEqualTo(atHome);
        Map<Long, Integer> asked = NodeAllocation.overbooked(nodes, request).stream().collect(Collectors.toMap(NodeSlots::agent, NodeSlots::free));
        used.forEach((node, count) -> assertThat(asked.getOrDefault(node.agent(), 0)).isGreaterThanOrEqualTo(count));
        return true;
    }
}
