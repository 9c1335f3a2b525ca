package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.RelayEndpointAddress;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.mpj.Endpoints;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.StartAssembly;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** Where processes are started when their ranks have others, or have had: those that follow never on a host that has one of their rank. */
class FollowerPlacesTest {
    private static final long JOB = 7;
    private static final Token KEY = Token.random();

    /** Each process that was to be started: {@code rank/number on agent}, and what else was asked. */
    private final List<String> sent = new ArrayList<>();

    private final List<String> told = new ArrayList<>();
    private final Map<Long, AgentOffer> offers = new HashMap<>();

    /** Of the agents that are not at relay 0. */
    private final Map<Long, Integer> relayOf = new HashMap<>();

    private final AgentPool pool = new AgentPool(
            new NodeJob(JOB, KEY, "Main", List.of(), List.of(), Map.of(), List.of(), List.of(), "", true, 0, 0),
            new AgentTransport() {
                @Override
                public void send(int relay, ByteBuffer frame) {
                    note(frame);
                }

                @Override
                public List<AgentOffer> nodes(int relay) {
                    return offers.values().stream().filter(offer -> relayOf.getOrDefault(offer.agent(), 0) == relay).toList();
                }
            },
            List.of("a", "b"), new int[] {0, 0}, AllocationRequest.of(2, AllocationRequest.Strategy.SPREAD).withReplicas(Replicas.of("2")), 0, 0,
            DetectorRequest.NONE, false, null, told::add, told::add);

    private void note(ByteBuffer frame) {
        try {
            AgentEnvelope envelope = AgentEnvelope.decode(frame);
            switch (envelope.message()) {
                case AgentMessage.Start m -> {
                    StartSpec spec = new StartAssembly().add(m).orElseThrow();
                    String how = spec.environment().containsKey(Endpoints.FOLLOWER) ? " follows" : "";
                    sent.add(m.rank() + "/" + m.incarnation() + how + " on " + envelope.agent());
                }
                case AgentMessage.Reserve m -> sent.add("reserve " + m.want() + " on " + envelope.agent());
                default -> {}
            }
        } catch (WireException e) {
            throw new IllegalStateException(e);
        }
    }

    private AgentOffer offer(long agent, String host, int slots) {
        AgentOffer offer = new AgentOffer(agent, "n" + agent, host, slots, slots, 1, 0, 1, 0, 0, false, "1", new TreeMap<>());
        offers.put(agent, offer);
        return offer;
    }

    private StartedProcess start(int rank, int process, boolean follows) throws Exception {
        return pool.start(new ProcessRequest(rank, process, new RelayEndpointAddress("r:1", Token.random(), false), null, false, follows));
    }

    private void gone(long agent) throws WireException {
        ByteBuffer frame = new AgentGone(agent, "its host is dead").encode();
        pool.listener(0).onFrame(FrameType.AGENT_GONE, frame);
        pool.look(System.nanoTime());
    }

    private void granted(long agent, int slots) throws WireException {
        AgentMessage granted = new AgentMessage.Reserved(slots, AgentMessage.Refusal.values()[0], "");
        pool.listener(0).onFrame(FrameType.AGENT_MESSAGE, AgentEnvelope.of(JOB, agent, 0, granted).encode());
    }

    /** Two ranks on two hosts, each followed on the other. */
    private void twoRanks() throws Exception {
        pool.add(0, offer(1, "h1", 2), List.of(0), List.of(1));
        pool.add(0, offer(2, "h2", 2), List.of(1), List.of(0));
        start(0, 1, false);
        start(1, 1, false);
        start(0, 2, true);
        start(1, 2, true);
        assertThat(sent).containsExactly("0/1 on 1", "1/1 on 2", "0/2 follows on 2", "1/2 follows on 1");
        sent.clear();
    }

    @Test
    void aLostNodeEndsItsProcessesAndTheirSuccessorsWaitForAnotherHost() throws Exception {
        twoRanks();
        gone(1);
        assertThat(told).containsExactly("node n1 of site a is gone: its host is dead; processes of ranks 0, 1 count as killed");
        told.clear();
        start(0, 3, true);
        start(1, 3, true);
        assertThat(sent).as("the living ones are on the only host").isEmpty();
        assertThat(told).hasSize(1).first().asString().startsWith("a follower of rank 0 waits for a free slot on another host: 1 of 2 nodes");
        offer(3, "h3", 8);
        pool.searchNow();
        assertThat(sent).as("not on h2, although it may have room").containsExactly("reserve 2 on 3");
        sent.clear();
        granted(3, 2);
        assertThat(sent).containsExactlyInAnyOrder("0/3 follows on 3", "1/3 follows on 3");
    }

    /** As one is in the place of a dead one ({@code --on-failure rebuild}). */
    @Test
    void aProcessThatTakesADeadOnesPlaceIsStartedWhereThatWasOrIfTheNodeIsGoneOnAnother() throws Exception {
        pool.add(0, offer(1, "h1", 1), List.of(0), List.of());
        pool.add(0, offer(2, "h2", 3), List.of(1), List.of(0, 0)); // With more free slots.
        start(0, 1, false);
        start(1, 1, false);
        pool.listener(0).onFrame(FrameType.AGENT_MESSAGE, AgentEnvelope.of(JOB, 1, 0, new AgentMessage.Exited(0, 1, 137)).encode());
        start(0, 2, false);
        gone(1);
        start(0, 3, false);
        assertThat(sent).containsExactly("0/1 on 1", "1/1 on 2", "0/2 on 1", "0/3 on 2");
    }

    @Test
    void anotherAgentOfTheSameHostIsNoOtherHost() throws Exception {
        pool.add(0, offer(1, "h1", 1), List.of(0), List.of());
        pool.add(0, offer(2, "h1", 1), List.of(1), List.of());
        start(0, 1, false);
        start(0, 2, true);
        assertThat(sent).containsExactly("0/1 on 1");
    }

    @Test
    void aRankThatIsStartedAgainTakesAnyHostAndComesBeforeFollowers() throws Exception {
        twoRanks();
        gone(1);
        StartedProcess follower = start(0, 3, true);
        start(0, 4, false);
        assertThat(sent).isEmpty();
        pool.listener(0).onFrame(FrameType.AGENT_MESSAGE, AgentEnvelope.of(JOB, 2, 0, new AgentMessage.Exited(1, 1, 137)).encode());
        pool.look(System.nanoTime());
        assertThat(sent).as("beside its follower 2").containsExactly("0/4 on 2");
        follower.killAll();
        assertThat(follower.await()).isEqualTo(143);
    }

    /** Both ranks are at home at relay 0, which has one host. */
    @Test
    void followerGoesToAnotherRelayOnlyWhenItsHomeHadNoSlotAtOneLook() throws Exception {
        twoRanks();
        gone(2);
        relayOf.put(3L, 1);
        pool.add(1, offer(3, "h3", 4), List.of(), List.of());
        start(0, 4, true);
        pool.searchNow();
        assertThat(sent).as("its home is asked first").isEmpty();
        pool.searchNow();
        assertThat(sent).containsExactly("reserve 1 on 3");
        sent.clear();
        granted(3, 1);
        assertThat(sent).containsExactly("0/4 follows on 3");
        sent.clear();
        offer(4, "h4", 4);
        start(1, 6, true);
        pool.searchNow();
        assertThat(sent).containsExactly("reserve 1 on 4");
        sent.clear();
        granted(4, 1);
        assertThat(sent).as("its home has a host again").containsExactly("1/6 follows on 4");
    }

    /** Else the job would stand still although a relay of it has hosts. */
    @Test
    void rankThatIsStartedAgainGoesToAnotherRelayIfItsHomeHasNoHost() throws Exception {
        twoRanks();
        gone(1);
        gone(2);
        relayOf.put(3L, 1);
        pool.add(1, offer(3, "h3", 4), List.of(), List.of(0));
        start(0, 4, false);
        pool.searchNow();
        pool.searchNow();
        pool.look(System.nanoTime());
        assertThat(sent).contains("0/4 on 3");
    }

    @Test
    void nodeOfAnotherSiteIsNamedWithItsSite() throws Exception {
        relayOf.put(3L, 1);
        pool.add(0, offer(1, "h1", 1), List.of(0), List.of());
        pool.add(1, offer(3, "h3", 1), List.of(), List.of(0));
        assertThat(start(0, 1, false).node()).isEqualTo("n1");
        assertThat(start(0, 2, true).node()).isEqualTo("n3 of site b");
    }
}
