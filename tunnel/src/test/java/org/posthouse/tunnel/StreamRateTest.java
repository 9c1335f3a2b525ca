package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wire.Wire;

/**
 * The arithmetic of tokens (Grid Gateway, 3.2) over an emulated network: L tokens carry at most L pieces a round trip, and the whole line from L = lat / g
 * on. A busy machine carries less, so that the way is long, and a rate is awaited which more tokens allow and fewer do not. Prints what docs/links.md tells.
 */
@Timeout(600)
class StreamRateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ROUND_TRIP_MS = 200;
    private static final int MBIT = 320;
    private static final int TIMES = 50;

    @TempDir
    private Path folder;

    private final AtomicLong heard = new AtomicLong();

    @Test
    @Tag("long")
    void streamRateFollowsItsTokens() throws Exception {
        double bound = 4 * Wire.PAYLOAD_BYTES_MAX / (ROUND_TRIP_MS / 1e3);
        double few = rate(new StreamConfig(4, 1, 4), ROUND_TRIP_MS / 2, MBIT, Duration.ofSeconds(2), 0);
        double enough = rate(new StreamConfig(16, 1, 16), ROUND_TRIP_MS / 2, MBIT, Duration.ofSeconds(1), 1.2 * bound);
        assertThat(few).as("4 tokens carry 4 pieces a round trip, %s a second", bound).isLessThan(1.15 * bound);
        assertThat(enough).as("16 tokens").isGreaterThan(1.2 * bound);
    }

    @Test
    @Tag("long")
    void oneStreamMayHaveWhatIsToSpare() throws Exception {
        double bound = 4 * Wire.PAYLOAD_BYTES_MAX / (ROUND_TRIP_MS / 1e3);
        double lent = rate(new StreamConfig(64, 2, 4), ROUND_TRIP_MS / 2, MBIT, Duration.ofSeconds(1), 1.2 * bound);
        assertThat(lent).as("4 tokens and what is to spare").isGreaterThan(1.2 * bound);
    }

    /** Bytes a second that one stream carries over a line, in the first of many times that carries {@code enough}, or in the last. */
    private double rate(StreamConfig streams, int oneWayMs, int mbit, Duration time, double enough) throws Exception {
        Vertx vertx = Vertx.vertx();
        TestGrid grid = new TestGrid(folder.resolve(streams + "-" + oneWayMs));
        try (ServerSocket sink = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                WanEmulator network = WanEmulator.start(new Random(1))) {
            threads.submit(() -> swallow(sink));
            ForwardConfig forwards = ForwardConfig.NONE.streams(streams);
            TestRelay b = new TestRelay(
                    vertx, grid.listening("b", 1).forwards(forwards.door("sink", "127.0.0.1:" + sink.getLocalPort()))).start();
            int lead = network.way(WanShape.of(oneWayMs, mbit)).lead(b.links.port());
            TestRelay a = new TestRelay(
                    vertx,
                    grid.config("a", 1)
                            .peer("b", "127.0.0.1:" + lead)
                            .forwards(forwards.via("b", "sink", "127.0.0.1:0"))
                            .compression(Compression.NEVER))
                    .start();
            await().atMost(PATIENCE).until(() -> forward(a).state() == StreamStatus.Forward.State.LISTENING);
            String address = forward(a).address();
            try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)))) {
                long first = heard.get();
                threads.submit((Callable<Void>) () -> pour(socket.getOutputStream()));
                await().atMost(PATIENCE).until(() -> heard.get() > first + 4L * Wire.PAYLOAD_BYTES_MAX);
                await().pollDelay(time).until(() -> true);
                double measured = measured(time);
                for (int more = 0; more < TIMES && measured < enough; more++) {
                    measured = measured(time);
                }
                System.out.printf("%s, round trip %d ms, %d Mbit/s: %.1f MB/s, waits %d%n", streams, 2 * oneWayMs, mbit, measured / 1e6,
                        a.call(a.links::streamStatus).waits());
                return measured;
            } finally {
                a.close();
                b.close();
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    private double measured(Duration time) {
        long before = heard.get();
        long begin = System.nanoTime();
        await().pollDelay(time).until(() -> true);
        return (heard.get() - before) / ((System.nanoTime() - begin) / 1e9);
    }

    private Void swallow(ServerSocket sink) throws Exception {
        byte[] piece = new byte[1 << 18];
        try (Socket socket = sink.accept(); InputStream in = socket.getInputStream()) {
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                heard.addAndGet(read);
            }
        }
        return null;
    }

    private static Void pour(OutputStream out) throws Exception {
        byte[] piece = new byte[1 << 18];
        while (true) {
            out.write(piece);
        }
    }

    private static StreamStatus.Forward forward(TestRelay relay) throws Exception {
        return relay.call(relay.links::streamStatus).forwards().getFirst();
    }

    /** What docs/links.md tells; not part of the build: {@code -Dposthouse.stream.rates=true}. */
    @Test
    @EnabledIfSystemProperty(named = "posthouse.stream.rates", matches = "true")
    void measuresForTheDocument() throws Exception {
        for (StreamConfig streams : new StreamConfig[] {
            new StreamConfig(8, 1, 8), new StreamConfig(32, 1, 32), new StreamConfig(128, 1, 128), StreamConfig.DEFAULT
        }) {
            assertThat(rate(streams, 50, 400, Duration.ofSeconds(6), 0)).isPositive();
        }
        for (StreamConfig streams : new StreamConfig[] {new StreamConfig(4, 1, 4), new StreamConfig(8, 1, 8), StreamConfig.DEFAULT}) {
            assertThat(rate(streams, 0, 10_000, Duration.ofSeconds(4), 0)).isPositive();
        }
    }
}
