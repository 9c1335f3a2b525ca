package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;
import org.posthouse.status.DetectorCounts;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.AgentPing;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorCheck;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.DetectorQuestion;
import org.posthouse.wire.DetectorVerdict;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Gossip;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** A relay between the failure detectors of two agents. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class HostDetectionTest {
    private static final long JOB = 42;
    private static final long SUSPECT = 0x81;
    private static final long ASKER = 0x91;
    private static final DetectorQuestion QUESTION = new DetectorQuestion(JOB, SUSPECT, 0, ASKER, 0, 50);

    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    private Relay deploy(Vertx vertx) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private static RawPeer agent(Relay relay, long number, String name) throws IOException {
        return agent(relay.address(), Token.NONE, number, name);
    }

    private static RawPeer connected(String address, Token token, Hello hello) throws IOException {
        RawPeer peer = RawPeer.connect(address);
        peer.introduce(hello, token);
        peer.send(hello.encode());
        next(peer, FrameType.WELCOME);
        return peer;
    }

    private static RawPeer agent(String address, Token token, long number, String name) throws IOException {
        RawPeer agent = connected(address, token, Hello.agent());
        agent.send(new AgentOffer(number, name, "h", 4, 4, 2, 0, 8, 1L << 30, 0, false, "1", new TreeMap<>()).encode());
        agent.send(new AgentPing(7).encode(FrameType.AGENT_PING));
        next(agent, FrameType.AGENT_PONG);
        return agent;
    }

    /** It has opened the job, and has sent to the suspect. */
    private static RawPeer launcher(Relay relay, RawPeer suspect) throws IOException {
        RawPeer launcher = connected(relay.address(), Token.NONE, Hello.launcher());
        launcher.send(new JobOpen(JOB, Token.random(), false, "test", List.of(new HomeRelay("here", "here", relay.address())), new int[2]).encode());
        next(launcher, FrameType.JOB_OPENED);
        launcher.send(AgentEnvelope.of(JOB, SUSPECT, 0, new AgentMessage.Note("said")).encode());
        next(suspect, FrameType.AGENT_MESSAGE);
        return launcher;
    }

    private static ByteBuffer next(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        assertThat(new FrameView().wrap(frame, 0).type()).isSameAs(type);
        return frame;
    }

    /** The frame behind all checks, of which there are two at least. */
    private static ByteBuffer nextBehindChecks(RawPeer suspect) throws IOException {
        ByteBuffer frame = suspect.readFrame();
        int checks = 0;
        for (; new FrameView().wrap(frame, 0).type() == FrameType.DETECTOR_CHECK; frame = suspect.readFrame()) {
            assertThat(frame).isEqualTo(new DetectorCheck(SUSPECT).encode());
            checks++;
        }
        assertThat(checks).isGreaterThan(1);
        return frame;
    }

    private static DetectorCounts counts(Relay relay) {
        return relay.view().metrics().detectors();
    }

    @Test
    void passesMessagesOfDetectorsOnUnread(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer suspect = agent(relay, SUSPECT, "n1");
                RawPeer asker = agent(relay, ASKER, "n2");
                RawPeer launcher = launcher(relay, suspect)) {
            Gossip gossip = new Gossip(JOB, SUSPECT, 0, 1, new DetectorMessage.Ping(3, List.of()).encode());
            asker.send(new Gossip(JOB, 0x77, 0, 1, gossip.message()).encode());
            asker.send(new Gossip(JOB + 1, SUSPECT, 0, 1, gossip.message()).encode());
            asker.send(new Gossip(JOB, SUSPECT, 9, 1, gossip.message()).encode());
            asker.send(gossip.encode());
            assertThat(next(suspect, FrameType.GOSSIP)).isEqualTo(gossip.encode());
            await().untilAsserted(() -> assertThat(counts(relay)).as("no such agent, job, or home").isEqualTo(new DetectorCounts(1, 3, 0, 0, 0, 0)));
            assertThat(launcher.available()).isZero();
        }
    }

    @Test
    void anAgentThatAnswersTheCheckLives(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer suspect = agent(relay, SUSPECT, "n1");
                RawPeer asker = agent(relay, ASKER, "n2");
                RawPeer launcher = launcher(relay, suspect)) {
            asker.send(QUESTION.encode());
            suspect.send(next(suspect, FrameType.DETECTOR_CHECK));
            assertThat(DetectorVerdict.decode(next(asker, FrameType.DETECTOR_VERDICT))).isEqualTo(new DetectorVerdict(JOB, SUSPECT, ASKER, 0, false));
            await().untilAsserted(() -> assertThat(counts(relay)).isEqualTo(new DetectorCounts(1, 0, 1, 1, 0, 0)));
            suspect.send(new AgentPing(8).encode(FrameType.AGENT_PING));
            next(suspect, FrameType.AGENT_PONG);
            assertThat(launcher.available()).isZero();
        }
    }

    @Test
    void anAgentThatAnswersNoCheckIsFencedAndLaunchersAreTold(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer suspect = agent(relay, SUSPECT, "n1");
                RawPeer asker = agent(relay, ASKER, "n2");
                RawPeer launcher = launcher(relay, suspect)) {
            asker.send(QUESTION.encode());
            CloseNotice close = CloseNotice.decode(nextBehindChecks(suspect));
            assertThat(close.reason()).isSameAs(CloseReason.FENCED);
            assertThat(close.text()).isEqualTo(
                    "agent n1 (0000000000000081) is dead: other hosts have found it silent, and it has answered no check of its relay");
            assertThat(DetectorVerdict.decode(next(asker, FrameType.DETECTOR_VERDICT))).isEqualTo(new DetectorVerdict(JOB, SUSPECT, ASKER, 0, true));
            assertThat(DetectorVerdict.decode(next(launcher, FrameType.DETECTOR_VERDICT))).isEqualTo(new DetectorVerdict(JOB, SUSPECT, 0, 0, true));
            next(launcher, FrameType.AGENT_GONE);
            try (RawPeer woken = agent(relay, SUSPECT, "n1")) {
                next(launcher, FrameType.AGENT_OFFER);
                await().untilAsserted(() -> assertThat(counts(relay)).as("it was not dead").isEqualTo(new DetectorCounts(1, 0, 1, 0, 1, 1)));
                assertThat(woken.available()).isZero();
            }
        }
    }

    @Test
    void nobodyAsksInTheNameOfAnother(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx);
        try (RawPeer asker = agent(relay, ASKER, "n2")) {
            asker.send(new DetectorQuestion(JOB, SUSPECT, 0, SUSPECT, 0, 50).encode());
            CloseNotice close = CloseNotice.decode(next(asker, FrameType.CLOSE));
            assertThat(close.text()).isEqualTo("DETECTOR_QUESTION of agent 0000000000000081 from agent n2 (0000000000000091)");
        }
    }

    @Test
    void messagesQuestionsAndVerdictsCrossALink() throws Exception {
        Vertx vertx = EmbeddedGrid.vertx();
        Token token = UserToken.find();
        try (EmbeddedGrid grid = EmbeddedGrid.start(
                vertx, List.of(RelayId.parse("a"), RelayId.parse("b")), (from, to) -> true, false, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
                RawPeer asker = agent(grid.addresses().get(0), token, ASKER, "n1");
                RawPeer suspect = agent(grid.addresses().get(1), token, SUSPECT, "n2");
                RawPeer first = connected(grid.addresses().get(0), token, Hello.launcher());
                RawPeer second = connected(grid.addresses().get(1), token, Hello.launcher())) {
            List<HomeRelay> homes = List.of(new HomeRelay("a", "a", grid.addresses().get(0)), new HomeRelay("b", "b", grid.addresses().get(1)));
            Token job = Token.random();
            for (RawPeer launcher : List.of(first, second)) {
                launcher.send(new JobOpen(JOB, job, false, "test", homes, new int[] {0, 1}).encode());
            }
            next(first, FrameType.JOB_OPENED);
            next(second, FrameType.JOB_OPENED);
            Gossip gossip = new Gossip(JOB, SUSPECT, 1, 0, new DetectorMessage.Beats(new int[] {3, 4}).encode());
            asker.send(gossip.encode());
            assertThat(next(suspect, FrameType.GOSSIP)).isEqualTo(gossip.encode());
            asker.send(new DetectorQuestion(JOB, SUSPECT, 1, ASKER, 0, 50).encode());
            suspect.send(next(suspect, FrameType.DETECTOR_CHECK));
            assertThat(DetectorVerdict.decode(next(asker, FrameType.DETECTOR_VERDICT))).isEqualTo(new DetectorVerdict(JOB, SUSPECT, ASKER, 0, false));
            asker.send(new DetectorQuestion(JOB, SUSPECT, 1, ASKER, 0, 50).encode());
            assertThat(DetectorVerdict.decode(next(asker, FrameType.DETECTOR_VERDICT))).isEqualTo(new DetectorVerdict(JOB, SUSPECT, ASKER, 0, true));
        } finally {
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }
}
