package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.ByteBuffer;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AgentFrameListener;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** A launcher's connection hands frames about agents on, and says when it has ended. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class RelayClientAgentsTest {
    private static final long JOB = 42;
    private static final long AGENT = 7;
    private static final AgentMessage SAID = new AgentMessage.Note("said");

    private final MemoryDirectory directory = new MemoryDirectory();
    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

    private final AgentFrameListener listener = new AgentFrameListener() {
        @Override
        public void onFrame(FrameType type, ByteBuffer frame) throws WireException {
            heard.add(switch (type) {
                case AGENT_MESSAGE -> AgentEnvelope.decode(frame).message();
                case AGENT_GONE -> AgentGone.decode(frame);
                default -> type;
            });
        }

        @Override
        public void onLost(String why) {
            heard.add(why);
        }
    };

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    @Test
    void handsFramesAboutAgentsOnAndSaysThatItHasEnded(Vertx vertx) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RelayClient launcher = RelayClient.connect(relay.address(), Token.NONE)) {
            launcher.listenAgents(listener);
            launcher.send(AgentEnvelope.of(JOB, AGENT, 0, SAID).encode());
            assertThat(heard.take()).isEqualTo(new AgentGone(AGENT, "relay here has no agent 0000000000000007"));
            try (RawPeer agent = RawPeer.connect(relay.address())) {
                agent.hello(Hello.agent());
                agent.readFrame();
                agent.send(new AgentOffer(AGENT, "n1", "h", 4, 4, 2, 0, 8, 1, 0, false, "1", new TreeMap<>()).encode());
                assertThat(heard.take()).isEqualTo(FrameType.AGENT_OFFER);
                launcher.send(AgentEnvelope.of(JOB, AGENT, 0, SAID).encode());
                agent.send(AgentEnvelope.decode(agent.readFrame()).answer(new AgentMessage.Note("answer")).encode());
                assertThat(heard.take()).isEqualTo(new AgentMessage.Note("answer"));
            }
            assertThat(heard.take()).isInstanceOf(AgentGone.class);
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> launcher.drain(AGENT, true))
                    .withMessage("relay here has no agent 0000000000000007");
            assertThat(heard.take()).isInstanceOf(AgentGone.class);
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            assertThat((String) heard.take()).contains("RELAY_STOPPING");
            assertThatExceptionOfType(JobFailure.class).isThrownBy(launcher::nodes).withMessageContaining(" is gone");
        }
    }
}
