package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.NodeTotals;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.Candidate;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.relay.ClientHalf;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a launcher is told of the ranks at each relay, and that the directory follows jobs as they open and close. */
@Timeout(120)
class LauncherAtRelayTest {
    private final Vertx vertx = EmbeddedGrid.vertx();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final Random ids = new Random();
    private Relay relay;

    @BeforeEach
    void start() {
        relay = new Relay(RelayConfig.loopback(new RelayId("here", "2"), 0), directory);
        vertx.deployVerticle(relay).await();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void jobClosedBeforeItsOpeningIsRemoved() throws Exception {
        long job = ids.nextLong();
        JobOpen opening = new JobOpen(job, Token.random(), false, "test", List.of(new HomeRelay("here", "here/2", relay.address())), new int[2]);
        try (Socket launcher = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(relay.address().split(":")[1]))) {
            OutputStream out = launcher.getOutputStream();
            ClientHalf half = new ClientHalf(Hello.launcher(), Token.NONE);
            out.write(bytes(half.identify()));
            byte[] proof = bytes(half.prove(ByteBuffer.wrap(launcher.getInputStream().readNBytes(FrameType.CHALLENGE.bytesMax()))));
            out.write(proof);
            out.write(
                    bytes(Hello.launcher().encode(), half.sealed(opening.encode()),
                            new CloseNotice(job, 1, -1, "not opened in time").encode(FrameType.JOB_CLOSE)));
            DataInputStream in = new DataInputStream(launcher.getInputStream());
            assertThat(frame(in).type()).isSameAs(FrameType.WELCOME);
            assertThat(frame(in).type()).as("the job's last event, and before it not that it is open").isSameAs(FrameType.JOB_EVENT);
            assertThat(ranksKnown()).isZero();
        }
    }

    private static byte[] bytes(ByteBuffer... frames) {
        ByteBuffer all = ByteBuffer.allocate(Stream.of(frames).mapToInt(ByteBuffer::remaining).sum());
        Stream.of(frames).forEach(all::put);
        return all.array();
    }

    private static FrameView frame(DataInputStream in) throws IOException {
        int length = in.readInt();
        ByteBuffer frame = ByteBuffer.allocate(length).putInt(length);
        in.readFully(frame.array(), Integer.BYTES, length - Integer.BYTES);
        return new FrameView().wrap(frame, 0);
    }

    private long open(RelayClient line, int ranks) throws JobFailure {
        long job = ids.nextLong();
        line.open(new JobOpen(job, Token.random(), false, "test", List.of(line.home()), new int[ranks]));
        return job;
    }

    private int ranksKnown() {
        return directory.relays().get(0).ranks();
    }

    @Test
    void launcherLearnsEachRelayAndItsRankCount() throws JobFailure {
        directory.announce(new RelayEntry("there", "there", "h:1", "", "", 1, 1, 7, NodeTotals.NONE));
        try (RelayClient line = RelayClient.connect(relay.address(), Token.NONE)) {
            assertThat(line.self()).isEqualTo(new Candidate(line.home(), 0));
            open(line, 3);
            assertThat(ranksKnown()).isEqualTo(3);
            try (RelayClient next = RelayClient.connect(relay.address(), Token.NONE)) {
                assertThat(next.self().ranks()).isEqualTo(3);
                assertThat(next.known()).extracting(Candidate::relay).containsExactly("here/2", "there");
                assertThat(next.known()).extracting(Candidate::ranks).containsExactly(3, 7);
                assertThat(next).hasToString("relay here/2 at " + relay.address());
            }
        }
        await().until(() -> ranksKnown() == 0);
    }

    @Test
    void aRelayThatStopsUnderAJobStaysOffTheDirectory() throws JobFailure {
        try (RelayClient line = RelayClient.connect(relay.address(), Token.NONE);
                RelayClient other = RelayClient.connect(relay.address(), Token.NONE)) {
            long first = open(line, 3);
            open(other, 2);
            assertThat(ranksKnown()).isEqualTo(5);
            line.closeJob(new CloseNotice(first, 0, -1, "finished"));
            await().until(() -> ranksKnown() == 2);
            vertx.undeploy(relay.deploymentID()).await();
            assertThat(directory.relays()).isEmpty();
        }
    }
}
