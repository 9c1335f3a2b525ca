package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.ops.NodeDrainOrder;
import org.posthouse.ops.NodeDrainReport;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.status.NodeStatus;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.AgentPing;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobCheck;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.NodeLifetimes;
import org.posthouse.wire.NodesPage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A relay passes messages between launchers and agents on real sockets, and says who is gone. */
@ExtendWith(VertxExtension.class)
@Timeout(20)
class AgentRelayTest {
    private static final long JOB = 42;

    /** Of 64 KiB each: four times the bytes that may wait for one that does not read. */
    private static final int MESSAGES_MAX = 4_096;

    private static final long AGENT = 0x8182838485868788L;
    private static final long OTHER = 0x91;
    private static final AgentMessage SAID = new AgentMessage.Note("said");
    private static final AgentMessage ANSWER = new AgentMessage.Note("answer");

    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    @ParameterizedTest
    @EnumSource
    void passesMessagesBothWaysAndToNobodyElse(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, RelayConfig.loopback(RelayId.parse("here"), 0).withMode(ModeConfig.of(mode)));
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer first = launcher(relay);
                RawPeer second = launcher(relay)) {
            AgentEnvelope one = heard(agent, first, SAID);
            AgentEnvelope two = heard(agent, second, new AgentMessage.Note("of the second"));
            assertThat(one.message()).isEqualTo(SAID);
            assertThat(two.message()).isEqualTo(new AgentMessage.Note("of the second"));
            assertThat(one.launcher()).isPositive().isNotEqualTo(two.launcher());
            assertThat(one).extracting(AgentEnvelope::job, AgentEnvelope::agent).containsExactly(JOB, AGENT);
            agent.send(two.answer(ANSWER).encode());
            agent.send(one.answer(SAID).encode());
            assertThat(envelope(first)).isEqualTo(one.answer(SAID));
            assertThat(envelope(second)).isEqualTo(two.answer(ANSWER));
        }
    }

    @Test
    void tellsLaunchersThatHaveSentToAnAgentThatItIsGoneAndBack(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer sender = launcher(relay);
                RawPeer other = launcher(relay)) {
            heard(agent, sender, SAID);
            agent.close();
            AgentGone gone = AgentGone.decode(next(sender, FrameType.AGENT_GONE));
            assertThat(gone.end()).isEqualTo(AGENT);
            assertThat(gone.why()).startsWith("agent n1 (8182838485868788) is gone: ");
            assertThat(nodes(other)).as("the other launcher hears nothing else").isEmpty();
            sender.send(said(SAID));
            assertThat(AgentGone.decode(next(sender, FrameType.AGENT_GONE)).why()).isEqualTo("relay here has no agent 8182838485868788");
            try (RawPeer again = agent(relay, AGENT, "n1")) {
                assertThat(AgentOffer.decode(next(sender, FrameType.AGENT_OFFER))).isEqualTo(offer(AGENT, "n1"));
                assertThat(heard(again, sender, SAID).message()).isEqualTo(SAID);
                assertThat(nodes(other)).containsExactly(offer(AGENT, "n1"));
            }
        }
    }

    @Test
    void tellsHowLongItsAgentsHaveLivedAndWhetherTheyFailed(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer leaving = agent(relay, AGENT, "n1");
                RawPeer failing = agent(relay, OTHER, "n2");
                RawPeer launcher = launcher(relay)) {
            assertThat(states(launcher)).containsExactlyInAnyOrder(NodeLifetimes.State.ALIVE, NodeLifetimes.State.ALIVE);
            leaving.send(CloseNotice.closing(0, CloseReason.NORMAL, "it has ended").encode(FrameType.CLOSE));
            failing.close();
            await().until(() -> nodes(launcher).isEmpty());
            assertThat(states(launcher)).containsExactlyInAnyOrder(NodeLifetimes.State.LEFT, NodeLifetimes.State.FAILED);
            try (RawPeer back = agent(relay, OTHER, "n2")) {
                assertThat(states(launcher)).as("a cut is no failure").containsExactlyInAnyOrder(NodeLifetimes.State.ALIVE, NodeLifetimes.State.LEFT);
            }
        }
    }

    private static List<NodeLifetimes.State> states(RawPeer launcher) throws IOException, WireException {
        launcher.send(NodeLifetimes.ask());
        NodeLifetimes page = NodeLifetimes.decode(next(launcher, FrameType.NODE_LIFETIMES));
        assertThat(page.left()).isZero();
        return page.lifetimes().stream().map(NodeLifetimes.Lifetime::state).toList();
    }

    @Test
    void tellsAnAgentThatALauncherIsGone(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer idle = launcher(relay);
                RawPeer sender = launcher(relay)) {
            AgentEnvelope said = heard(agent, sender, SAID);
            idle.close();
            sender.close();
            AgentGone gone = AgentGone.decode(next(agent, FrameType.AGENT_GONE));
            assertThat(gone.end()).isEqualTo(said.launcher());
            assertThat(gone.why()).startsWith("the launcher's connection ended: ");
            agent.send(said.answer(ANSWER).encode());
            pings(agent);
            onControl(relay, () -> assertThat(relay.agents().dropped()).isOne());
            assertThat(relay.refusals().counts()).as("a message that crosses the launcher's end is no fault").isEmpty();
        }
    }

    @Test
    void aNewerConnectionOfAnAgentReplacesTheOlder(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer older = agent(relay, AGENT, "n1");
                RawPeer sender = launcher(relay)) {
            heard(older, sender, SAID);
            try (RawPeer newer = agent(relay, AGENT, "n1")) {
                CloseNotice close = CloseNotice.decode(next(older, FrameType.CLOSE));
                assertThat(close.reason()).isSameAs(CloseReason.FENCED);
                assertThat(AgentGone.decode(next(sender, FrameType.AGENT_GONE)).end()).isEqualTo(AGENT);
                assertThat(AgentOffer.decode(next(sender, FrameType.AGENT_OFFER)).name()).isEqualTo("n1");
                older.close();
                await().until(() -> relay.connections().size() == 2);
                assertThat(heard(newer, sender, ANSWER).message()).isEqualTo(ANSWER);
                assertThat(nodes(sender)).hasSize(1);
            }
        }
    }

    @Test
    void numbersAgentsOfOneName(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer first = agent(relay, AGENT, "node");
                RawPeer second = agent(relay, OTHER, "node");
                RawPeer third = agent(relay, 5, "other");
                RawPeer launcher = launcher(relay)) {
            assertThat(nodes(launcher)).extracting(AgentOffer::name).containsExactlyInAnyOrder("node", "node-2", "other");
            third.send(offer(5, "node").encode());
            second.send(offer(OTHER, "node").encode());
            pings(second);
            pings(third);
            assertThat(nodes(launcher))
                    .as("a name is kept while the agent keeps its own")
                    .extracting(AgentOffer::agent, AgentOffer::name)
                    .containsExactlyInAnyOrder(
                            tuple(AGENT, "node"),
                            tuple(OTHER, "node-2"),
                            tuple(5L, "node-3"));
            first.close();
            await().until(() -> nodes(launcher).size() == 2);
            third.send(offer(5, "x").encode());
            third.send(offer(5, "node").encode());
            pings(third);
            assertThat(nodes(launcher)).extracting(AgentOffer::name).containsExactlyInAnyOrder("node", "node-2");
        }
    }

    /** It may know the number of another's launcher: they are counted. */
    @Test
    void dropsAndReportsMessagesForALauncherThatHasNotSentToTheAgent(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer honest = agent(relay, AGENT, "n1");
                RawPeer liar = agent(relay, OTHER, "n2");
                RawPeer launcher = launcher(relay)) {
            AgentEnvelope said = heard(honest, launcher, SAID);
            liar.send(AgentEnvelope.of(JOB, OTHER, said.launcher(), ANSWER).encode());
            liar.send(AgentEnvelope.of(JOB, OTHER, 4_711, ANSWER).encode());
            pings(liar);
            assertThat(nodes(launcher)).as("the launcher hears nothing of it").hasSize(2);
            assertThat(relay.refusals().counts()).containsOnly(Map.entry(CloseReason.NOT_EXPECTED, 2L));
            honest.send(said.answer(ANSWER).encode());
            assertThat(envelope(launcher).message()).isEqualTo(ANSWER);
        }
    }

    @Test
    void closesAnAgentThatDoesNotRead(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer other = launcher(relay);
                RawPeer launcher = launcher(relay)) {
            AgentMessage longest = new AgentMessage.Input(0, 1, 0, false, ByteBuffer.allocate(AgentMessage.Input.BYTES_MAX));
            CompletableFuture<AgentGone> gone = new CompletableFuture<>();
            Thread reader = Thread.startVirtualThread(() -> complete(gone, launcher));
            for (int sent = 0; sent < MESSAGES_MAX && !gone.isDone(); sent++) {
                launcher.send(said(longest));
            }
            assertThat(gone.get(60, TimeUnit.SECONDS).end()).isEqualTo(AGENT);
            reader.join();
            assertThat(gone.get().why()).contains("is gone: LIMIT: it does not read: ").endsWith(", expected 67108864 at most");
            assertThat(nodes(other)).isEmpty();
        }
    }

    private static void complete(CompletableFuture<AgentGone> gone, RawPeer launcher) {
        try {
            gone.complete(AgentGone.decode(next(launcher, FrameType.AGENT_GONE)));
        } catch (IOException | WireException e) {
            gone.completeExceptionally(e);
        }
    }

    @Test
    void tellsAnAgentWhetherAJobIsOpen(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1"); RawPeer launcher = launcher(relay)) {
            assertThat(isOpen(agent)).isFalse();
            HomeRelay home = new HomeRelay("here", "here", relay.address());
            launcher.send(new JobOpen(JOB, Token.random(), false, "test", List.of(home), new int[2]).encode());
            next(launcher, FrameType.JOB_OPENED);
            assertThat(isOpen(agent)).isTrue();
            launcher.close();
            await().until(() -> !isOpen(agent));
        }
    }

    private static boolean isOpen(RawPeer agent) throws IOException, WireException {
        agent.send(new JobCheck(JOB, false).encode());
        JobCheck answer = JobCheck.decode(next(agent, FrameType.JOB_CHECK));
        assertThat(answer.job()).isEqualTo(JOB);
        return answer.isOpen();
    }

    @Test
    void passesADrainOnAndTheOfferBack(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer launcher = launcher(relay)) {
            launcher.send(new AgentDrain(AGENT, true).encode());
            assertThat(AgentDrain.decode(next(agent, FrameType.AGENT_DRAIN))).isEqualTo(new AgentDrain(AGENT, true));
            AgentOffer draining = new AgentOffer(AGENT, "n1", "h", 4, 4, 2, 0, 8, 1L << 30, 0, true, "1", new TreeMap<>());
            agent.send(draining.encode());
            assertThat(AgentOffer.decode(next(launcher, FrameType.AGENT_OFFER))).isEqualTo(draining);
            agent.send(offer(AGENT, "n1").encode());
            pings(agent);
            assertThat(nodes(launcher)).as("a later offer is no answer").containsExactly(offer(AGENT, "n1"));
            launcher.send(new AgentDrain(OTHER, true).encode());
            assertThat(AgentGone.decode(next(launcher, FrameType.AGENT_GONE)).end()).isEqualTo(OTHER);
            launcher.close();
            await().until(() -> relay.connections().size() == 1);
            pings(agent);
        }
    }

    @Test
    void tellsWhoHasOrderedADrainThatTheAgentIsGone(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer launcher = launcher(relay)) {
            launcher.send(new AgentDrain(AGENT, true).encode());
            next(agent, FrameType.AGENT_DRAIN);
            agent.close();
            assertThat(AgentGone.decode(next(launcher, FrameType.AGENT_GONE)).end()).isEqualTo(AGENT);
        }
    }

    @Test
    void theConsoleShowsAgentsByName(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer second = agent(relay, OTHER, "n2");
                RawPeer first = hello(relay)) {
            first.send(new AgentOffer(AGENT, "n1", "f00d", 8, 3, 2, 1, 16, 1L << 30, 250, true, "1", new TreeMap<>(Map.of("rack", "b", "gpu", "a"))).encode());
            await().until(() -> relay.view().snapshot().nodes().size() == 2);
            List<NodeStatus> nodes = relay.view().snapshot().nodes();
            assertThat(nodes).extracting(NodeStatus::name, NodeStatus::state).containsExactly(tuple("n1", "draining"), tuple("n2", "open"));
            NodeStatus shown = nodes.getFirst();
            assertThat(shown).isEqualTo(new NodeStatus(
                    "n1", "8182838485868788", "f00d", "draining", 8, 3, 2, 1, 16, 1L << 30, 250, "1", shown.since(), List.of("gpu=a", "rack=b")));
            await().until(() -> relay.recovering().isEmpty());
            assertThat(relay.view().drainNode(new NodeDrainOrder("n2", true)).toCompletionStage().toCompletableFuture().get())
                    .isEqualTo(new NodeDrainReport(relay.id(), "n2", true));
            assertThat(AgentDrain.decode(next(second, FrameType.AGENT_DRAIN))).isEqualTo(new AgentDrain(OTHER, true));
            assertThat(relay.view().drainNode(new NodeDrainOrder("n3", true)).toCompletionStage().toCompletableFuture().get().passed()).isFalse();
            await().until(() -> relay.view().snapshot().directory().stream().map(each -> List.of(each.nodes(), each.slots(), each.free())).toList()
                    .contains(List.of(2, 12, 4))); // The free slots of the one that is drained do not count.
            second.close();
            await().until(() -> relay.view().snapshot().nodes().size() == 1);
            await().until(() -> relay.view().snapshot().directory().getFirst().nodes() == 1);
        }
    }

    @Test
    void closesAnAgentThatIsSilent(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1")) {
            onControl(relay, () -> relay.agents().closeSilent(System.nanoTime()));
            pings(agent);
            onControl(relay, () -> relay.agents().closeSilent(System.nanoTime() + AgentRegistry.SILENCE_NANOS_MAX));
            CloseNotice close = CloseNotice.decode(next(agent, FrameType.CLOSE));
            assertThat(close.reason()).isSameAs(CloseReason.TIMEOUT);
            assertThat(close.text()).isEqualTo("agent n1 (8182838485868788) has sent nothing for 30 s");
        }
    }

    @Test
    void refusesAgentsPastTheLimit(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        onControl(relay, () -> relay.agents().limit(1));
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer more = hello(relay);
                RawPeer same = agent(relay, AGENT, "n1")) {
            more.send(offer(OTHER, "n2").encode());
            CloseNotice close = CloseNotice.decode(next(more, FrameType.CLOSE));
            assertThat(close.reason()).isSameAs(CloseReason.LIMIT);
            assertThat(close.text()).isEqualTo("relay here has 1 agents, at most 1");
            assertThat(type(agent.readFrame())).as("the older connection").isSameAs(FrameType.CLOSE);
            pings(same);
        }
    }

    /** As while the files of the job are staged: the relay does not know the job before it is opened. */
    @Test
    void anAgentKeepsAJobThatIsNotOpenYetOverACut(Vertx vertx, @TempDir Path folder) throws Exception {
        Relay relay = deploy(vertx);
        Token key = Token.random();
        AgentSettings settings = new AgentSettings(
                relay.address(), Token.NONE, Optional.empty(), "n1", "n1", new SlotLimits(1, 2, 2), Map.of(), Set.of(), folder, 1 << 20);
        try (Agent agent = new Agent(settings, "1", line -> {});
                RawPeer launcher = launcher(relay)) {
            FutureTask<Integer> run = new FutureTask<>(agent::run);
            Thread.ofPlatform().daemon().start(run);
            await().until(() -> relay.view().snapshot().nodes().size() == 1);
            long number = nodes(launcher).getFirst().agent();
            launcher.send(AgentEnvelope.of(JOB, number, 0, new AgentMessage.Reserve(key, 2, 30_000, "me")).encode());
            assertThat(((AgentMessage.Reserved) envelope(launcher).message()).granted()).isEqualTo(2);
            launcher.send(AgentEnvelope.of(JOB, number, 0, new AgentMessage.Confirm(key, 2, 60)).encode());
            await().until(() -> relay.view().snapshot().nodes().getFirst().free() == 0);
            onControl(relay, () -> relay.agents().agent(number).orElseThrow().close(CloseNotice.closing(0, CloseReason.TIMEOUT, "cut")));
            next(launcher, FrameType.AGENT_GONE);
            next(launcher, FrameType.AGENT_OFFER);
            assertThat(nodes(launcher)).as("it is back").hasSize(1);
            launcher.send(AgentEnvelope.of(JOB, number, 0, new AgentMessage.Attach(key)).encode());
            assertThat(((AgentMessage.Attached) envelope(launcher).message()).slots()).isEqualTo(2);
            agent.close();
            run.get();
        }
    }

    @Test
    void anAgentDoesNotNoticeAModeChange(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer launcher = launcher(relay)) {
            heard(agent, launcher, SAID);
            for (RelayConfig.Mode mode : RelayConfig.Mode.values()) {
                relay.switchMode(ModeConfig.of(mode)).await(60, TimeUnit.SECONDS);
                AgentEnvelope said = heard(agent, launcher, SAID);
                agent.send(said.answer(ANSWER).encode());
                assertThat(envelope(launcher).message()).isEqualTo(ANSWER);
            }
        }
    }

    @Test
    void tellsAgentsThatItStops(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1")) {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            assertThat(CloseNotice.decode(next(agent, FrameType.CLOSE)).reason()).isSameAs(CloseReason.RELAY_STOPPING);
        }
    }

    @Test
    void refusesAnAgentWithAnotherToken(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, RelayConfig.loopback(RelayId.parse("here"), 0).withLaunchToken(new Token(1, 2)));
        try (RawPeer wrong = RawPeer.connect(relay.address());
                RawPeer right = RawPeer.connect(relay.address())) {
            wrong.introduce(Hello.agent(), new Token(1, 3));
            CloseNotice close = CloseNotice.decode(next(wrong, FrameType.CLOSE));
            assertThat(close.reason()).isSameAs(CloseReason.WRONG_TOKEN);
            assertThat(close.text()).isEqualTo("the agent's token is not that of relay here; see --token-file");
            right.introduce(Hello.agent(), new Token(1, 2));
            right.send(Hello.agent().encode());
            next(right, FrameType.WELCOME);
        }
    }

    static Stream<Arguments> faults() {
        ByteBuffer short2 = ByteBuffer.allocate(Wire.HEADER_BYTES + Integer.BYTES);
        new FrameView().wrap(short2, 0).begin(FrameType.NODES, Wire.HEADER_BYTES, 0).length(short2.limit());
        ByteBuffer badOffer = offer(AGENT, "n1").encode();
        badOffer.putInt(badOffer.limit() - Integer.BYTES, 33);
        return Stream.of(
                Arguments.of(true, AgentEnvelope.of(JOB, OTHER, 1, SAID).encode(), CloseReason.NOT_EXPECTED, "message of agent 0000000000000091 from agent n1"),
                Arguments.of(true, offer(OTHER, "n1").encode(), CloseReason.NOT_EXPECTED, "offer of agent 0000000000000091 from agent n1"),
                Arguments.of(true, badOffer, CloseReason.MALFORMED_FRAME, "AGENT_OFFER with count of labels 33, expected 0 to 32"),
                Arguments.of(true, NodesPage.ask(), CloseReason.NOT_EXPECTED, "NODES from an agent"),
                Arguments.of(true, new AgentPing(1).encode(FrameType.AGENT_PONG), CloseReason.NOT_EXPECTED, "AGENT_PONG from an agent"),
                Arguments.of(false, AgentEnvelope.of(JOB, AGENT, 1, SAID).encode(), CloseReason.MALFORMED_FRAME, "with number 1, expected 0"),
                Arguments.of(false, short2, CloseReason.NOT_EXPECTED, "NODES of 20 bytes from a launcher, expected 16"),
                Arguments.of(false, offer(OTHER, "n1").encode(), CloseReason.NOT_EXPECTED, "AGENT_OFFER from a launcher"),
                Arguments.of(false, new AgentGone(1, "").encode(), CloseReason.NOT_EXPECTED, "AGENT_GONE from a launcher"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void closesTheConnectionOfWhoeverBreaksTheProtocol(boolean byAgent, ByteBuffer frame, CloseReason reason, String text, Vertx vertx)
            throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = agent(relay, AGENT, "n1");
                RawPeer launcher = launcher(relay);
                RawPeer unharmed = launcher(relay)) {
            RawPeer guilty = byAgent ? agent : launcher;
            guilty.send(frame);
            CloseNotice close = CloseNotice.decode(next(guilty, FrameType.CLOSE));
            assertThat(close.reason()).isSameAs(reason);
            assertThat(close.text()).contains(text);
            guilty.close();
            await().until(() -> relay.connections().size() == 2);
            assertThat(nodes(unharmed)).hasSize(byAgent ? 0 : 1);
        }
    }

    @Test
    void refusesAMessageBeforeTheFirstOffer(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer agent = hello(relay)) {
            agent.send(AgentEnvelope.of(JOB, AGENT, 1, SAID).encode());
            CloseNotice close = CloseNotice.decode(next(agent, FrameType.CLOSE));
            assertThat(close.text()).isEqualTo("message of agent 8182838485868788 from an agent, expected AGENT_OFFER first");
        }
    }

    // ---- what the tests say and hear

    private Relay deploy(Vertx vertx) throws Exception {
        return deploy(vertx, RelayConfig.loopback(RelayId.parse("here"), 0));
    }

    private Relay deploy(Vertx vertx, RelayConfig config) throws Exception {
        Relay relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private static void onControl(Relay relay, Runnable work) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        relay.control().post(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        done.get(60, TimeUnit.SECONDS);
    }

    private static AgentOffer offer(long agent, String name) {
        return new AgentOffer(agent, name, "h", 4, 4, 2, 0, 8, 1L << 30, 0, false, "1", new TreeMap<>());
    }

    private static RawPeer hello(Relay relay) throws IOException {
        RawPeer agent = RawPeer.connect(relay.address());
        agent.hello(Hello.agent());
        next(agent, FrameType.WELCOME);
        return agent;
    }

    /** An agent whose offer has arrived. */
    private static RawPeer agent(Relay relay, long number, String name) throws IOException {
        RawPeer agent = hello(relay);
        agent.send(offer(number, name).encode());
        pings(agent);
        return agent;
    }

    /** All that the agent has sent has been handled. */
    private static void pings(RawPeer agent) throws IOException {
        ByteBuffer ping = new AgentPing(7).encode(FrameType.AGENT_PING);
        agent.send(ping);
        assertThat(next(agent, FrameType.AGENT_PONG)).isEqualTo(new AgentPing(7).encode(FrameType.AGENT_PONG));
    }

    private static RawPeer launcher(Relay relay) throws IOException {
        RawPeer launcher = RawPeer.connect(relay.address());
        launcher.hello(Hello.launcher());
        next(launcher, FrameType.WELCOME);
        return launcher;
    }

    private static ByteBuffer said(AgentMessage message) {
        return AgentEnvelope.of(JOB, AGENT, 0, message).encode();
    }

    /** Has the launcher say this, and returns what the agent hears. */
    private static AgentEnvelope heard(RawPeer agent, RawPeer launcher, AgentMessage message) throws IOException, WireException {
        launcher.send(said(message));
        return envelope(agent);
    }

    private static AgentEnvelope envelope(RawPeer peer) throws IOException, WireException {
        return AgentEnvelope.decode(next(peer, FrameType.AGENT_MESSAGE));
    }

    private static List<AgentOffer> nodes(RawPeer launcher) {
        try {
            launcher.send(NodesPage.ask());
            NodesPage page = NodesPage.decode(next(launcher, FrameType.NODES));
            assertThat(page.left()).isZero();
            return page.offers();
        } catch (IOException | WireException e) {
            throw new AssertionError(e);
        }
    }

    /** The next frame, which is of this type. */
    private static ByteBuffer next(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        assertThat(type(frame)).as(() -> text(frame)).isSameAs(type);
        return frame;
    }

    private static String text(ByteBuffer frame) {
        try {
            return type(frame) == FrameType.CLOSE ? CloseNotice.decode(frame).text() : "" + type(frame);
        } catch (WireException e) {
            return e.getMessage();
        }
    }

    private static FrameType type(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0).type();
    }
}
