package org.posthouse.launch.reserve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.testkit.SeededRuns;

class ExpectedPartsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int RUNS = Boolean.getBoolean("posthouse.long") ? 200 : 100;
    private static final int STEPS = 200;

    private final ExpectedParts parts = new ExpectedParts(expected(4, 2), Map.of());

    private static Map<String, Integer> expected(int a, int b) {
        Map<String, Integer> expected = new LinkedHashMap<>();
        expected.put("a", a);
        expected.put("b", b);
        return expected;
    }

    private static NodeSlots node(long agent, String site, int slots, int free) {
        return new NodeSlots(agent, site + agent, site + agent, site, 0, slots, free, Map.of());
    }

    private List<String> look(long second, NodeSlots... nodes) {
        return parts.onNodes(List.of(nodes), Set.of(), second * SECOND);
    }

    @Test
    void partsAreThereWhenEachSiteHasItsSlots() {
        NodeSlots one = node(1, "a", 2, 2);
        NodeSlots two = node(2, "b", 2, 2);
        NodeSlots three = node(3, "a", 2, 2);
        assertThat(look(0)).isEmpty();
        assertThat(parts.standing()).isEqualTo("a 0 of 4 slots, b 0 of 2");
        assertThat(look(1, one, two)).containsExactly("the part of b is there: 2 of 2 slots on 1 node");
        assertThat(parts.areThere()).isFalse();
        assertThat(parts.late()).isEqualTo("a is late with 2 of 4 slots; there: b 2 of 2");
        assertThat(look(2, one, two, three)).containsExactly("the part of a is there: 4 of 4 slots on 2 nodes");
        assertThat(parts.areThere()).isTrue();
    }

    @Test
    void aNodeWithoutALabelThatIsAskedForDoesNotCountAndThatIsToldOnce() {
        ExpectedParts labelled = new ExpectedParts(expected(4, 2), Map.of("gpu", "yes"));
        List<NodeSlots> nodes = List.of(
                new NodeSlots(1, "n1", "h1", "a", 0, 4, 4, Map.of("gpu", "no")), new NodeSlots(2, "n2", "h2", "b", 0, 2, 2, Map.of("gpu", "yes")));
        assertThat(labelled.onNodes(nodes, Set.of(), 0))
                .containsExactly("node n1 of a does not count: it lacks gpu=yes (--where)", "the part of b is there: 2 of 2 slots on 1 node");
        assertThat(labelled.onNodes(nodes, Set.of(), SECOND)).isEmpty();
        assertThat(labelled.areThere()).isFalse();
        assertThat(labelled.standing()).isEqualTo("a 0 of 4 slots, b 2 of 2");
    }

    @Test
    void slotsOfOneSiteAreNotThoseOfAnother() {
        look(0, node(1, "a", 9, 9), node(2, "c", 9, 9));
        assertThat(parts.areThere()).isFalse();
        assertThat(parts.late()).isEqualTo("b is late with 0 of 2 slots; there: a 9 of 4");
    }

    @Test
    void slotsThatAnotherLauncherHoldsAreNotThere() {
        look(0, node(1, "a", 4, 4), node(2, "b", 2, 0));
        assertThat(parts.areThere()).isFalse();
    }

    @Test
    void aPartThatHasEndedIsToldByNameOnce() {
        look(0, node(1, "a", 2, 2), node(2, "b", 2, 2), node(3, "a", 2, 2));
        assertThat(look(1, node(1, "a", 2, 2))).as("it may dial again").isEmpty();
        assertThat(parts.areThere()).as("as long as it is away").isFalse();
        assertThat(look(6, node(1, "a", 2, 2))).containsExactly(
                "the part of a has lost node a3 with 2 slots: 2 of 4 are there", "the part of b has ended: its 2 slots are gone, and 0 of 2 are there");
        assertThat(look(99, node(1, "a", 2, 2))).isEmpty();
        assertThat(look(100, node(1, "a", 2, 2), node(4, "b", 2, 2))).as("another in its place")
                .containsExactly("the part of b is there: 2 of 2 slots on 1 node");
    }

    @Test
    void aNodeThatDialsAgainIsNotTold() {
        look(0, node(1, "a", 4, 4), node(2, "b", 2, 2));
        assertThat(look(1, node(1, "a", 4, 4))).isEmpty();
        assertThat(look(5, node(1, "a", 4, 4), node(2, "b", 2, 2))).isEmpty();
        assertThat(parts.areThere()).isTrue();
    }

    @Test
    void nodesOfARelayThatIsAwayAreNeitherThereNorGone() {
        look(0, node(1, "a", 4, 4), node(2, "b", 2, 2));
        for (int second = 1; second < 100; second++) {
            assertThat(parts.onNodes(List.of(node(1, "a", 4, 4)), Set.of("b"), second * SECOND)).isEmpty();
            assertThat(parts.areThere()).isFalse();
        }
        assertThat(look(100, node(1, "a", 4, 4))).as("its agents dial again").isEmpty();
        assertThat(look(104, node(1, "a", 4, 4), node(2, "b", 2, 2))).isEmpty();
        assertThat(parts.areThere()).isTrue();
    }

    /** What the parts are is what is there at each look; a site whose nodes are gone for long is told once for each, and no other. */
    @Test
    void countsAreRightWhateverComesAndGoes() {
        AtomicLong complete = new AtomicLong();
        AtomicLong told = new AtomicLong();
        SeededRuns.each(RUNS, seed -> {
            Random random = new Random(seed);
            Map<String, Integer> expected = expected(1 + random.nextInt(6), 1 + random.nextInt(6));
            ExpectedParts counted = new ExpectedParts(expected, Map.of());
            Map<Long, NodeSlots> there = new TreeMap<>();
            Map<NodeSlots, Long> seenNs = new HashMap<>();
            long nowNs = random.nextLong();
            for (int step = 0; step < STEPS; step++) {
                nowNs += random.nextLong(2 * SECOND);
                comeAndGo(random, there, seenNs);
                for (NodeSlots node : there.values()) {
                    seenNs.put(node, nowNs);
                }
                List<String> lines = counted.onNodes(List.copyOf(there.values()), Set.of(), nowNs);
                Map<String, Integer> free = there.values().stream().collect(Collectors.groupingBy(NodeSlots::site, Collectors.summingInt(NodeSlots::free)));
                boolean isComplete = expected.entrySet().stream().allMatch(site -> free.getOrDefault(site.getKey(), 0) >= site.getValue());
                assertThat(counted.areThere()).as("step %s", step).isEqualTo(isComplete);
                complete.addAndGet(isComplete ? 1 : 0);
                long present = nowNs;
                List<NodeSlots> gone = seenNs.keySet().stream().filter(node -> present - seenNs.get(node) >= ExpectedParts.ABSENCE_NS_MAX).toList();
                seenNs.keySet().removeAll(gone);
                for (String site : expected.keySet()) {
                    String loss = "the part of " + site + " has (lost|ended).* " + gone.stream().filter(node -> node.site().equals(site))
                            .mapToInt(NodeSlots::slots).sum() + " slots.*";
                    boolean isLoss = gone.stream().anyMatch(node -> node.site().equals(site));
                    assertThat(lines.stream().filter(line -> line.matches(loss))).as("step %s: %s, site %s", step, lines, site).hasSize(isLoss ? 1 : 0);
                }
                told.addAndGet(gone.size());
            }
        });
        SeededRuns.tally("looks with all parts", complete.get(), RUNS);
        SeededRuns.tally("nodes that were told", told.get(), RUNS);
    }

    /** A node comes, goes, or comes again after a moment. */
    private static void comeAndGo(Random random, Map<Long, NodeSlots> there, Map<NodeSlots, Long> known) {
        int event = random.nextInt(9);
        if (event < 3) {
            int slots = 1 + random.nextInt(4);
            long agent = random.nextLong();
            there.put(agent, node(agent, random.nextBoolean() ? "a" : "b", slots, slots));
        } else if (event < 6 && !there.isEmpty()) {
            there.remove(List.copyOf(there.keySet()).get(random.nextInt(there.size())));
        } else if (event == 6) {
            known.keySet().stream().filter(node -> !there.containsKey(node.agent())).findFirst().ifPresent(node -> there.put(node.agent(), node));
        }
    }
}
