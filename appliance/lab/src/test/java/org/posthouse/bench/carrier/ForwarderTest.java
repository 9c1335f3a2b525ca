package org.posthouse.bench.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.threads.ThreadUsage;

/** That the baselines carry every byte, both ways, for many pairs at once. */
@Timeout(120)
class ForwarderTest {
    private static final int PAIRS = 3;

    /** More than the kernel keeps for the two sockets of a direction, when one of them has few bytes for what it reads. */
    private static final int BYTES = 16_000_000;

    private static final int RECEIVE_BUFFER_BYTES = 64 * 1024;
    private static final int STUCK_MS = 20_000;

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        vertx.close().await();
    }

    private Forwarder start(Carrier carrier) throws IOException {
        return carrier == Carrier.VERTX ? VertxForwarder.start(vertx) : SelectorForwarder.start();
    }

    /** Two sockets that the forwarder joins. */
    private Socket[] pair(Forwarder forwarder) throws IOException {
        try (ServerSocket server = new ServerSocket()) {
            server.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Socket first = new Socket();
            sockets.add(first);
            first.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
            first.setSoTimeout(STUCK_MS);
            first.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), forwarder.port()));
            first.getOutputStream().write(ByteBuffer.allocate(4).putInt(server.getLocalPort()).array());
            Socket second = server.accept();
            sockets.add(second);
            second.setSoTimeout(STUCK_MS);
            return new Socket[] {first, second};
        }
    }

    private static byte[] content(int seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Sends in a thread of its own: far more than the sockets and the forwarder hold. */
    private static CompletableFuture<Void> send(Socket socket, int seed) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        socket.getOutputStream().write(content(seed));
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    @ParameterizedTest
    @EnumSource(value = Carrier.class, names = {"VERTX", "SELECTOR"})
    void forwardsUnreadDataWithoutLoss(Carrier carrier) throws IOException {
        try (Forwarder forwarder = start(carrier)) {
            List<Socket[]> pairs = new ArrayList<>();
            List<CompletableFuture<Void>> sends = new ArrayList<>();
            for (int i = 0; i < PAIRS; i++) {
                Socket[] pair = pair(forwarder);
                pairs.add(pair);
                sends.add(send(pair[0], i));
                sends.add(send(pair[1], -1 - i));
            }
            for (int i = 0; i < PAIRS; i++) {
                assertThat(pairs.get(i)[1].getInputStream().readNBytes(BYTES)).as("forth, pair %s", i).isEqualTo(content(i));
                assertThat(pairs.get(i)[0].getInputStream().readNBytes(BYTES)).as("back, pair %s", i).isEqualTo(content(-1 - i));
            }
            sends.forEach(CompletableFuture::join);
            ThreadUsage load = forwarder.load().threads().get(0);
            assertThat(load.cpuNanos()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Carrier.class, names = {"VERTX", "SELECTOR"})
    void anEndOfOneIsTheEndOfTheOtherAndOfNobodyElse(Carrier carrier) throws IOException {
        try (Forwarder forwarder = start(carrier)) {
            Socket[] ending = pair(forwarder);
            Socket[] staying = pair(forwarder);
            ending[0].close();
            assertThat(ending[1].getInputStream().read()).isEqualTo(-1);
            staying[0].getOutputStream().write(7);
            assertThat(staying[1].getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void theSelectorForwarderEndsWithItsConnections() throws IOException {
        Socket[] pair;
        try (Forwarder forwarder = SelectorForwarder.start()) {
            pair = pair(forwarder);
        }
        assertThat(pair[0].getInputStream().read()).isEqualTo(-1);
    }
}
