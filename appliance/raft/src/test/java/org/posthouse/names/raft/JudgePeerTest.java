package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.names.raft.Frame.Question;

/** A judge that says the right first bytes, and then nothing: as over a link that has just been cut. */
class JudgePeerTest {
    private static final PeerGuard OPEN = new PeerGuard() {
        @Override
        public void accept(SocketChannel channel) {
            // Nobody is refused.
        }

        @Override
        public void dial(SocketChannel channel) {
            // Nobody is refused.
        }
    };

    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
    private ServerSocket port;
    private JudgeSet judges;
    private JudgePeer peer;

    private static JudgeSet judges(String id, int port) {
        SortedMap<String, String> addresses = new TreeMap<>();
        addresses.put(id, "127.0.0.1:" + port);
        return new JudgeSet(addresses);
    }

    @BeforeEach
    void listen() throws IOException {
        port = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        judges = judges("site-a", port.getLocalPort());
        peer = new JudgePeer("site-b", "site-a", judges, OPEN);
    }

    private void accept(byte[] hello) {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket socket = port.accept();
                    socket.getOutputStream().write(hello);
                    accepted.add(socket);
                }
            } catch (IOException e) {
                assertThat(port.isClosed()).isTrue();
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        port.close();
        for (Socket each : accepted) {
            each.close();
        }
    }

    @Test
    void aJudgeThatDoesNotAnswerIsGivenUpInTimeAndDialledAgain() throws Exception {
        accept(judges.hello());
        long start = System.nanoTime();
        assertThatThrownBy(() -> peer.ask(Question.LOOKUP, new byte[10], 200)).isInstanceOf(IOException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(150), Duration.ofSeconds(10));
        Socket first = accepted.poll(30, TimeUnit.SECONDS);
        first.setSoTimeout(30_000);
        first.getInputStream().readAllBytes(); // It ends: the connection was closed.
        assertThatThrownBy(() -> peer.ask(Question.LOOKUP, new byte[10], 2_000)).isInstanceOf(IOException.class);
        assertThat(accepted.poll(30, TimeUnit.SECONDS)).as("a second connection").isNotNull();
    }

    /** What it is asked does not fit into the system's buffers. */
    @Test
    void aJudgeThatDoesNotReadBlocksNobodyForLonger() {
        accept(judges.hello());
        long start = System.nanoTime();
        for (int each = 0; each < 5; each++) {
            assertThatThrownBy(() -> peer.ask(Question.APPEND_ENTRIES, new byte[Frame.CONTENT_BYTES_MAX], 300)).isInstanceOf(IOException.class);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aJudgeOfOthersIsRefusedByName() {
        accept(judges("site-x", port.getLocalPort()).hello());
        assertThatThrownBy(() -> peer.ask(Question.LOOKUP, new byte[10], 5_000)).hasMessage(
                "it is no judge of site-a: every relay names the same judges, with --judges");
    }

    @Test
    void aPortThatNobodyListensAtIsSaidAtOnce() throws Exception {
        port.close();
        assertThatThrownBy(() -> peer.ask(Question.LOOKUP, new byte[10], 5_000)).isInstanceOf(IOException.class).hasMessageContaining("refused");
    }
}
