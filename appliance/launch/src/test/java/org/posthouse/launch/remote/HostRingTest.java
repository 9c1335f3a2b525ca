package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;

/** Times are in milliseconds since the job's start; a round has 500 ms. */
class HostRingTest {
    private static final long START_NS = -5;

    private record Told(long agent, AgentMessage.Detect view) {}

    private final List<Told> told = new ArrayList<>();
    private final HostRing ring = new HostRing(new DetectorRequest(DetectorProtocol.BRR, 500), START_NS);

    private static Node node(long agent, int relay) {
        return new Node(relay, "site", new AgentOffer(agent, "n" + agent, "h" + agent, 2, 2, 1, 0, 1, 1, 1, false, "1", new TreeMap<>()), 2);
    }

    private List<Told> look(HostRing looking, long atMs, List<Node> nodes) {
        told.clear();
        looking.look(
                START_NS + TimeUnit.MILLISECONDS.toNanos(atMs), nodes, (node, message) -> told.add(new Told(node.agent(), (AgentMessage.Detect) message)));
        return told;
    }

    @Test
    void allHostsAreToldTheRingAndTheirNumbers() {
        List<Told> both = look(ring, 1_000, List.of(node(11, 0), node(12, 1)));
        assertThat(both).extracting(Told::agent).containsExactly(11L, 12L);
        assertThat(both).extracting(each -> each.view.self()).containsExactly(0, 1);
        AgentMessage.Detect view = both.getFirst().view;
        assertThat(view.hosts()).containsExactly(new AgentMessage.DetectedHost(11, 0, true), new AgentMessage.DetectedHost(12, 1, true));
        assertThat(view.elapsedMs()).isEqualTo(1_000);
        assertThat(view.fromRound()).as("round 2, and four for the way").isEqualTo(6);
    }

    @Test
    void theyAreToldAgainEachTenSeconds() {
        List<Node> nodes = List.of(node(11, 0), node(12, 1));
        look(ring, 0, nodes);
        assertThat(look(ring, 9_900, nodes)).isEmpty();
        List<Told> again = look(ring, 10_000, nodes);
        assertThat(again).hasSize(2);
        assertThat(again.getFirst().view.fromRound()).isEqualTo(4);
        assertThat(again.getFirst().view.elapsedMs()).isEqualTo(10_000);
    }

    @Test
    void aLostHostLeavesTheRingAndKeepsItsNumber() {
        List<Node> nodes = List.of(node(11, 0), node(12, 1), node(13, 1));
        look(ring, 0, nodes);
        nodes.get(1).lost();
        List<Told> others = look(ring, 5_000, nodes);
        assertThat(others).extracting(Told::agent).containsExactly(11L, 13L);
        assertThat(others.getLast().view.self()).isEqualTo(2);
        assertThat(others.getLast().view.hosts()).extracting(AgentMessage.DetectedHost::isLiving).containsExactly(true, false, true);
        assertThat(others.getLast().view.fromRound()).as("round 10, and two cycles of two").isEqualTo(14);
        nodes.get(1).revived();
        List<Told> all = look(ring, 6_000, nodes);
        assertThat(all).extracting(each -> each.view.self()).containsExactly(0, 1, 2);
        assertThat(all.getFirst().view.hosts()).allMatch(AgentMessage.DetectedHost::isLiving);
    }

    @Test
    void oneHostAndAJobWithoutDetectorAreToldNothing() {
        assertThat(look(ring, 0, List.of(node(11, 0)))).isEmpty();
        assertThat(look(new HostRing(DetectorRequest.NONE, START_NS), 0, List.of(node(11, 0), node(12, 0)))).isEmpty();
    }
}
