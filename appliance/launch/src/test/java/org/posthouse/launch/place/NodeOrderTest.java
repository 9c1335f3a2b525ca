package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;

/** The order of nodes by distance. */
class NodeOrderTest {
    private static NodeSlots node(String host, String site, long micros) {
        return new NodeSlots(host.hashCode(), host, host, site, micros, 1, 1, Map.of());
    }

    private static List<String> order(NodeSlots... nodes) {
        return NodeOrder.byDistance(List.of(nodes)).stream().map(NodeSlots::host).toList();
    }

    @Test
    void nearerSitesComeFirst() {
        assertThat(order(node("c", "far", 9_000), node("b", "near", 300), node("a", "near", 320))).containsExactly("a", "b", "c");
    }

    @Test
    void roundTripsWithinTheResolutionDoNotDivideASite() {
        assertThat(order(node("b2", "b", 10_300), node("a1", "a", 10_100), node("b1", "b", 10_500), node("a2", "a", 10_400), node("a3", "a", 10_200)))
                .containsExactly("a1", "a2", "a3", "b1", "b2");
    }

    @Test
    void aNodeFarFromItsSiteKeepsItsOwnDistance() {
        assertThat(order(node("own", "a", 0), node("a1", "a", 200), node("a2", "a", 210), node("volunteer", "a", 40_000), node("b", "b", 9_000)))
                .containsExactly("own", "a1", "a2", "b", "volunteer");
    }

    @Test
    void equalDistancesAreOrderedByHost() {
        assertThat(order(node("b", "s", 1_020), node("c", "s", 1_000), node("a", "s", 980))).containsExactly("a", "b", "c");
    }

    @Test
    void roundsTo50MicrosecondsOrFivePercent() {
        assertThat(LongStream.of(0, 24, 25, 90, 990, 1_000, 1_024).map(NodeOrder::rounded).toArray())
                .containsExactly(0, 0, 50, 100, 1_000, 1_000, 1_000);
        assertThat(LongStream.range(0, 100_000).map(NodeOrder::rounded).toArray()).isSorted();
        assertThat(LongStream.range(1_000, 100_000).mapToDouble(micros -> Math.abs(NodeOrder.rounded(micros) - micros) / (double) micros).max().orElseThrow())
                .isLessThan(0.026);
    }

    /** How often the site changes along the order of the chapter's hosts. */
    @Test
    void keepsSitesTogetherThatTheChapterInterleaves() {
        Comparator<NodeSlots> raw = Comparator.comparingLong(NodeSlots::distanceMicros);
        Comparator<NodeSlots> byRounded =
                Comparator.<NodeSlots>comparingLong(node -> NodeOrder.rounded(node.distanceMicros())).thenComparing(NodeSlots::host);
        long[] changes = new long[3];
        int runs = 50;
        SeededRuns.each(runs, seed -> {
            List<NodeSlots> nodes = Grid5000.nodes(0.06, new Random(seed));
            changes[0] += changes(nodes.stream().sorted(raw).toList());
            changes[1] += changes(nodes.stream().sorted(byRounded).toList());
            long ordered = changes(NodeOrder.byDistance(nodes));
            assertThat(ordered).isEqualTo(5);
            changes[2] += ordered;
        });
        System.out.printf(
                "changes of site along 350 hosts, mean of %d: raw %d, rounded then host %d, NodeOrder %d%n",
                runs, changes[0] / runs, changes[1] / runs, changes[2] / runs);
        SeededRuns.tally("changes of site in raw order", changes[0] / runs, 50);
    }

    private static long changes(List<NodeSlots> nodes) {
        return IntStream.range(1, nodes.size())
                .filter(i -> !nodes.get(i).site().equals(nodes.get(i - 1).site()))
                .count();
    }
}
