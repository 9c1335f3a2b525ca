package org.posthouse.launch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.Gossip;

class AgentDetectorTest {
    private static final long JOB = 7;
    private static final int PERIOD_MS = 60_000;
    private static final int VIEWS = 50;

    private final List<ByteBuffer> sent = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private final AgentDetector detector = new AgentDetector(JOB, sent::add, (nanos, task) -> tasks.add(task));

    private static AgentMessage.Detect view(long elapsedMs, long firstAgent, int hosts) {
        return view(elapsedMs, 0, firstAgent, hosts);
    }

    private static AgentMessage.Detect view(long elapsedMs, long fromRound, long firstAgent, int hosts) {
        return new AgentMessage.Detect("brr", PERIOD_MS, elapsedMs, fromRound, 0,
                IntStream.range(0, hosts).mapToObj(host -> new AgentMessage.DetectedHost(firstAgent + host, 0, true)).toList());
    }

    private List<Runnable> takeTasks() {
        List<Runnable> taken = List.copyOf(tasks);
        tasks.clear();
        return taken;
    }

    @Test
    void tellingsThatLetItWakeEarlierAddNoTimer() throws Exception {
        for (int told = 0; told < VIEWS; told++) {
            detector.onView(view(1_000 * (told + 1), 100, 3), 0);
        }
        assertThat(takeTasks().stream().peek(Runnable::run).toList()).as("each second of the period earlier").hasSizeGreaterThan(1);
        assertThat(takeTasks()).as("tasks of the next round").hasSizeLessThan(2);
    }

    @Test
    void hostsThatAreUnknownAreNotSentTo() throws Exception {
        detector.onView(view(0, 100, 3), 0);
        sent.clear();
        detector.onGossip(new Gossip(JOB, 100, 0, 1, new DetectorMessage.PingRequest(8, 4_000, List.of()).encode()));
        assertThat(sent).isEmpty();
    }

    /** The other launcher has fewer hosts, of other numbers: the ring of the first means nothing with its list. */
    @Test
    void anotherLaunchersHostsReplaceThoseOfTheFirst() throws Exception {
        detector.onView(view(0, 100, 3), 0);
        sent.clear();
        for (int round = 1; round < 4; round++) {
            detector.onView(view(round * PERIOD_MS + 1L, 10, 200, 2), 0);
        }
        assertThat(sent).as("before round 10").isEmpty();
        detector.onView(view(10L * PERIOD_MS + 1, 10, 200, 2), 0);
        assertThat(sent).hasSize(1);
        assertThat(Gossip.decode(sent.getFirst()).agent()).isEqualTo(201);
    }
}
