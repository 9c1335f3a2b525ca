package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.channel.FrameChannel;

/** Virtual threads that wait for a relay leave the processors to others. */
@Timeout(120)
class CarriersTest {
    private static void awaitEnd(String address) {
        try (FrameChannel line = FrameChannel.connect(address)) {
            line.read();
            throw new AssertionError("somebody said something");
        } catch (EOFException e) {
            assertThat(e).hasMessageContaining("has closed the connection");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aVirtualThreadThatConnectsAndReadsKeepsNoCarrier() throws Exception {
        List<Socket> ends = new ArrayList<>();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(10_000);
            String address = server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
            for (int reader = 0; reader < 2 * Runtime.getRuntime().availableProcessors(); reader++) {
                readers.add(CompletableFuture.runAsync(() -> awaitEnd(address), Thread.ofVirtual()::start));
                ends.add(server.accept());
            }
            CompletableFuture.runAsync(() -> {}, Thread.ofVirtual()::start).get(60, TimeUnit.SECONDS);
        } finally {
            for (Socket end : ends) {
                end.close();
            }
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }
}
