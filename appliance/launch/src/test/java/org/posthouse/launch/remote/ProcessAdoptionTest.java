package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.OutputPoint;

/** Ranks 0 and 1 are at home at relay 0, rank 2 at relay 1. */
class ProcessAdoptionTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long TIMEOUT_NS = 15 * SECOND_NS;

    private final List<Long> attached = new ArrayList<>();
    private final ProcessAdoption adoption =
            new ProcessAdoption(new int[] {0, 0, 1}, List.of("a", "b"), TIMEOUT_NS, node -> attached.add(node.agent()));
    private final List<NodeProcess> processes = new ArrayList<>();

    @BeforeEach
    void seek() {
        for (int rank = 0; rank < 3; rank++) {
            processes.add(NodeProcess.sought(new ProcessRequest(rank, 2, null, null, false, false), null));
            adoption.seek(processes.get(rank));
        }
    }

    private static AgentOffer offer(long agent) {
        return new AgentOffer(agent, "n" + agent, "h" + agent, 4, 4, 1, 0, 2, 1L << 30, 0, false, "1", new TreeMap<>());
    }

    private static AgentMessage.Attached part(int slots, boolean more, Integer... ranks) {
        return new AgentMessage.Attached(slots, more, Arrays.stream(ranks)
                .map(rank -> new AgentMessage.AttachedProcess(rank, 2, AgentMessage.ProcessState.RUNNING, 0, OutputPoint.BEGIN, OutputPoint.BEGIN))
                .toList());
    }

    @Test
    void agentsOfConnectedRelaysAreAskedOnce() {
        assertThat(adoption.relays()).isEmpty();
        adoption.relayBack(0, 0);
        assertThat(adoption.relays()).containsExactly(0);
        adoption.ask(0, List.of(offer(7), offer(8), offer(9)), Set.of(9L));
        adoption.ask(0, List.of(offer(7), offer(8)), Set.of());
        assertThat(attached).containsExactly(7L, 8L);
        assertThat(adoption.answered(8, part(0, false))).as("it does not have the job").isEmpty();
        adoption.relayLost(0);
        adoption.relayBack(0, SECOND_NS);
        adoption.ask(0, List.of(offer(7), offer(8)), Set.of());
        assertThat(attached).as("the answer may be lost").containsExactly(7L, 8L, 7L);
    }

    @Test
    void processesOfAWholeReportAreTaken() {
        adoption.relayBack(0, 0);
        adoption.ask(0, List.of(offer(7)), Set.of());
        assertThat(adoption.answered(7, part(2, true, 0))).as("another part follows").isEmpty();
        Node node = adoption.answered(7, part(2, false, 1)).orElseThrow();
        assertThat(node.slots()).isEqualTo(2);
        assertThat(node.takeReport()).hasSize(2).allSatisfy(there -> assertThat(adoption.take(there)).contains(processes.get(there.rank())));
        assertThat(adoption.relays()).isEmpty();
        assertThat(adoption.take(part(1, false, 2).processes().getFirst())).contains(processes.get(2));
    }

    @Test
    void aProcessOfAnotherIncarnationIsNotTaken() {
        AgentMessage.AttachedProcess old =
                new AgentMessage.AttachedProcess(0, 1, AgentMessage.ProcessState.RUNNING, 0, OutputPoint.BEGIN, OutputPoint.BEGIN);
        assertThat(adoption.take(old)).isEmpty();
    }

    /** An agent that is away may still come; one that has not answered may be slow. */
    @Test
    void processesAreGivenUpOnceAllHaveAnsweredOrInTime() {
        assertThat(adoption.giveUp(0, List.of(), TIMEOUT_NS)).as("the relay is away").isEmpty();
        adoption.relayBack(0, 0);
        adoption.ask(0, List.of(offer(7)), Set.of());
        assertThat(adoption.giveUp(0, List.of(offer(7)), TIMEOUT_NS - 1)).as("one has not answered").isEmpty();
        adoption.answered(7, part(1, false, 0)).orElseThrow().takeReport().forEach(adoption::take);
        assertThat(adoption.giveUp(0, List.of(offer(7)), ProcessAdoption.RETURN_NS - 1)).isEmpty();
        assertThat(adoption.giveUp(0, List.of(offer(7)), ProcessAdoption.RETURN_NS)).containsExactly(processes.get(1));
        assertThat(adoption.giveUp(0, List.of(offer(7)), TIMEOUT_NS)).isEmpty();
        adoption.relayBack(1, 0);
        adoption.ask(1, List.of(offer(8)), Set.of());
        assertThat(adoption.giveUp(1, List.of(offer(8)), TIMEOUT_NS)).containsExactly(processes.get(2));
    }
}
