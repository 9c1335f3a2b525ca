package org.posthouse.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the emulated network does, measured from outside. What must not be early is exact; what may be late on a busy machine is
 * judged by the best of many tries.
 */
@Timeout(120)
class WanEmulatorTest {
    private static final int MEGABYTE = 1_000_000;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Socket> sockets = new ArrayList<>();
    private WanEmulator emulator;
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        emulator = WanEmulator.start(new Random(5));
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
        emulator.close();
        threads.close();
    }

    /** A connection over a way. */
    private record Ends(Socket dialled, Socket accepted) {}

    private Ends connect(int port) throws IOException {
        Socket dialled = new Socket(InetAddress.getLoopbackAddress(), port);
        Socket accepted = server.accept();
        for (Socket socket : List.of(dialled, accepted)) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            sockets.add(socket);
        }
        return new Ends(dialled, accepted);
    }

    private Ends connect(WanWay way) throws IOException {
        return connect(way.lead(server.getLocalPort()));
    }

    private static void send(Socket from, int bytes) throws IOException {
        from.getOutputStream().write(new byte[bytes]);
    }

    private static void receive(Socket at, int bytes) throws IOException {
        assertThat(at.getInputStream().readNBytes(bytes)).hasSize(bytes);
    }

    /** Round trips of one byte, in ms. */
    private static List<Double> roundTrips(Ends ends, int count) throws IOException {
        List<Double> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            send(ends.dialled, 1);
            receive(ends.accepted, 1);
            send(ends.accepted, 1);
            receive(ends.dialled, 1);
            taken.add((System.nanoTime() - begin) / 1e6);
        }
        taken.sort(null);
        return taken;
    }

    /** Seconds until so many bytes that are sent at once have come. */
    private double seconds(Socket from, Socket to, int bytes) throws Exception {
        long begin = System.nanoTime();
        Future<?> sent = inBackground(() -> {
            send(from, bytes);
            return null;
        });
        receive(to, bytes);
        sent.get();
        return (System.nanoTime() - begin) / 1e9;
    }

    private <T> Future<T> inBackground(Callable<T> task) {
        return threads.submit(task);
    }

    @Test
    void delaysEachDirectionByItself() throws Exception {
        Ends ends = connect(emulator.way(WanShape.of(3, 0), WanShape.of(9, 0)));
        List<Double> taken = roundTrips(ends, 30);
        assertThat(taken.getFirst()).isBetween(12.0, 13.5);
    }

    @Test
    void keepsTimesBelowAMillisecond() throws Exception {
        Ends ends = connect(emulator.way(WanShape.of(0.3, 0)));
        assertThat(roundTrips(ends, 200).getFirst()).isBetween(0.6, 1.2);
    }

    @Test
    void addsJitterAndNeverReorders() throws Exception {
        Ends ends = connect(emulator.way(WanShape.of(1, 0).jitter(4), WanShape.of(1, 0)));
        List<Double> taken = roundTrips(ends, 60);
        assertThat(taken.getFirst()).isGreaterThanOrEqualTo(2);
        assertThat(taken.getLast() - taken.getFirst()).as("spread of 0 to 4 ms").isGreaterThan(2);
        byte[] content = new byte[MEGABYTE];
        new Random(1).nextBytes(content);
        Future<?> sent = inBackground(() -> {
            for (int at = 0; at < content.length; at += 1_000) {
                ends.dialled.getOutputStream().write(content, at, 1_000);
            }
            return null;
        });
        assertThat(ends.accepted.getInputStream().readNBytes(content.length)).isEqualTo(content);
        sent.get();
    }

    /** When bytes leave is the subject of {@link WanBottleneckTest}. */
    @Test
    void keepsToTheBandwidth() throws Exception {
        Ends ends = connect(emulator.way(WanShape.of(2, 80), WanShape.of(2, 0)));
        assertThat(seconds(ends.dialled, ends.accepted, 4 * MEGABYTE)).as("4 MB at 10 MB/s and 2 ms").isGreaterThanOrEqualTo(0.402);
    }

    /** It is kept from its work for half of the time, in turns that are longer than what a flow holds. */
    @Test
    void bandwidthHoldsDespiteLateThread() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 40));
        double megabits = 0;
        for (int tries = 0; tries < 20 && megabits < 36; tries++) {
            Ends ends = connect(way);
            roundTrips(ends, 1);
            AtomicBoolean over = new AtomicBoolean();
            Future<?> late = inBackground(() -> {
                while (!over.get()) {
                    emulator.call(() -> {
                        Thread.sleep(12);
                        return null;
                    });
                    Thread.sleep(12);
                }
                return null;
            });
            megabits = 2 * 8 / seconds(ends.dialled, ends.accepted, 2 * MEGABYTE);
            over.set(true);
            late.get();
        }
        assertThat(megabits).as("the best of many tries at 40 Mb/s").isBetween(36.0, 40.0);
    }

    @Test
    void aSilenceIsNotMadeGood() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 80));
        Ends ends = connect(way);
        roundTrips(ends, 1);
        way.silent(true, false);
        Future<?> sent = inBackground(() -> {
            send(ends.dialled, 2 * MEGABYTE);
            return null;
        });
        Thread.sleep(300); // What must not be made good.
        long begin = System.nanoTime();
        way.silent(false, false);
        receive(ends.accepted, 2 * MEGABYTE);
        assertThat((System.nanoTime() - begin) / 1e9).as("2 MB at 10 MB/s").isGreaterThanOrEqualTo(0.2);
        sent.get();
    }

    @Test
    void slowReceiverGetsNoBandwidthBurstAfterwards() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 800));
        Ends ends = connect(way);
        Future<?> sending = inBackground(() -> {
            send(ends.dialled, 64 * MEGABYTE);
            return null;
        });
        long[] last = {-1};
        await().pollInterval(Duration.ofMillis(300)).until(() -> last[0] == (last[0] = way.bytesThere()) && last[0] > 0);
        long begin = System.nanoTime();
        receive(ends.accepted, 64 * MEGABYTE);
        double seconds = (System.nanoTime() - begin) / 1e9;
        assertThat(seconds).as("the rest at 100 MB/s").isGreaterThanOrEqualTo((64.0 * MEGABYTE - last[0]) / 1e8);
        sending.get();
    }

    /** What goes there takes a hundred seconds, and what comes back all of it nothing but the machine's time. */
    @Test
    void eachDirectionHasABandwidthOfItsOwn() throws Exception {
        WanWay way = emulator.way(WanShape.of(2, 0.08), WanShape.of(2, 0));
        Ends ends = connect(way);
        inBackground(() -> {
            send(ends.dialled, MEGABYTE);
            return null;
        });
        seconds(ends.accepted, ends.dialled, 4 * MEGABYTE);
        assertThat(way.bytesBack()).isEqualTo(4L * MEGABYTE);
        assertThat(way.bytesThere()).isLessThan(MEGABYTE);
    }

    /** Whose turn it is, is the subject of {@link WanBottleneckTest}. */
    @Test
    void sharesTheBandwidthBetweenConnections() throws Exception {
        WanWay way = emulator.way(WanShape.of(2, 80));
        Ends one = connect(way);
        Ends other = connect(way);
        roundTrips(one, 1);
        roundTrips(other, 1);
        long begin = System.nanoTime();
        Future<Double> first = inBackground(() -> seconds(one.dialled, one.accepted, 2 * MEGABYTE));
        seconds(other.dialled, other.accepted, 2 * MEGABYTE);
        first.get();
        assertThat((System.nanoTime() - begin) / 1e9).as("4 MB at 10 MB/s").isGreaterThanOrEqualTo(0.4);
        assertThat(way.bytesThere()).isEqualTo(4L * MEGABYTE + 2);
        assertThat(way.bytesBack()).isEqualTo(2);
    }

    @Test
    void lateBytesOfOneConnectionWaitForOnePieceOfAnother() throws Exception {
        WanWay way = emulator.way(WanShape.of(5, 80));
        Ends large = connect(way);
        Ends small = connect(way);
        Future<?> sending = inBackground(() -> {
            while (true) {
                send(large.dialled, MEGABYTE);
            }
        });
        Future<?> receiving = inBackground(() -> large.accepted.getInputStream().transferTo(OutputStream.nullOutputStream()));
        await().until(() -> way.bytesThere() > MEGABYTE / 2);
        List<Double> beside = roundTrips(small, 60);
        assertThat(sending.isDone() || receiving.isDone()).as("saturated all the time").isFalse();
        assertThat(beside.getFirst()).as("10 ms, and a piece of 1 ms or two").isBetween(10.0, 18.0);
    }

    @Test
    void holdsASenderBackWhoseReceiverDoesNotRead() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 0));
        Ends ends = connect(way);
        Future<?> sending = inBackground(() -> {
            send(ends.dialled, 64 * MEGABYTE);
            return null;
        });
        await().during(Duration.ofMillis(300)).until(() -> way.bytesThere() > 0 && !sending.isDone());
        assertThat(way.bytesThere()).isLessThan(32L * MEGABYTE);
        receive(ends.accepted, 64 * MEGABYTE);
        sending.get();
    }

    @Test
    void cutsAllConnectionsAndTakesNewOnes() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 0));
        int port = way.lead(server.getLocalPort());
        Ends ends = connect(port);
        roundTrips(ends, 1);
        send(ends.dialled, 10);
        way.cut();
        assertThatThrownBy(() -> ends.dialled.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThat(way.connections()).isZero();
        assertThat(roundTrips(connect(port), 1)).hasSize(1);
    }

    @Test
    void cutsAConnectionAfterItsBytes() throws Exception {
        WanWay way = emulator.way(WanShape.NONE);
        int port = way.lead(server.getLocalPort());
        way.cutAfter(() -> 100_000);
        for (int i = 1; i <= 3; i++) {
            Ends ends = connect(port);
            inBackground(() -> {
                send(ends.dialled, MEGABYTE);
                return null;
            });
            assertThatThrownBy(() -> receive(ends.accepted, MEGABYTE)).isInstanceOfAny(SocketException.class, AssertionError.class);
            int cuts = i;
            await().until(() -> way.cuts() == cuts);
        }
    }

    @Test
    void refusesConnectionsWhileItIsDown() throws Exception {
        WanWay way = emulator.way(WanShape.NONE);
        int port = way.lead(server.getLocalPort());
        connect(port);
        way.down();
        assertThat(way.connections()).isZero();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close()).isInstanceOf(ConnectException.class);
        try (SocketChannel another = SocketChannel.open()) {
            assertThatThrownBy(() -> another.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))).as("the port is kept")
                    .isInstanceOf(BindException.class);
        }
        way.up();
        assertThat(roundTrips(connect(port), 1)).hasSize(1);
    }

    @Test
    void aPortThatIsLedWhileItIsDownOpensWithTheOthers() throws Exception {
        WanWay way = emulator.way(WanShape.NONE);
        int before = way.lead(server.getLocalPort());
        way.down();
        int port = way.lead(server.getLocalPort());
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close()).isInstanceOf(ConnectException.class);
        way.up();
        assertThat(roundTrips(connect(port), 1)).hasSize(1);
        assertThat(roundTrips(connect(before), 1)).hasSize(1);
        way.down();
        way.lead(server.getLocalPort());
    }

    @Test
    void isSilentInOneDirectionAndTellsNobody() throws Exception {
        WanWay way = emulator.way(WanShape.of(1, 0));
        Ends ends = connect(way);
        roundTrips(ends, 1);
        way.silent(true, false);
        send(ends.dialled, 7);
        send(ends.accepted, 3);
        receive(ends.dialled, 3);
        ends.accepted.setSoTimeout(200);
        assertThatThrownBy(() -> ends.accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        way.silent(false, false);
        ends.accepted.setSoTimeout(60_000);
        receive(ends.accepted, 7);
    }

    @Test
    void silentPathHidesConnectionReset() throws Exception {
        WanWay way = emulator.way(WanShape.NONE);
        Ends ends = connect(way);
        roundTrips(ends, 1);
        way.silent(true, true);
        ends.dialled.setSoLinger(true, 0);
        ends.dialled.close();
        ends.accepted.setSoTimeout(200);
        assertThatThrownBy(() -> ends.accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        way.silent(false, false);
        ends.accepted.setSoTimeout(60_000);
        assertThatThrownBy(() -> ends.accepted.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void passesTheEndOfAStreamOnBehindItsBytes() throws Exception {
        WanWay way = emulator.way(WanShape.of(2, 40));
        Ends ends = connect(way);
        Future<?> sent = inBackground(() -> {
            send(ends.dialled, MEGABYTE);
            ends.dialled.shutdownOutput();
            return null;
        });
        assertThat(ends.accepted.getInputStream().readAllBytes()).hasSize(MEGABYTE);
        sent.get();
        send(ends.accepted, 5);
        ends.accepted.shutdownOutput();
        assertThat(ends.dialled.getInputStream().readAllBytes()).hasSize(5);
        await().until(() -> way.connections() == 0);
    }

    @Test
    void hangsUpWhenNobodyListensAtTheFarEnd() throws Exception {
        int nobody;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = gone.getLocalPort();
        }
        WanWay way = emulator.way(WanShape.NONE);
        try (Socket dialled = new Socket(InetAddress.getLoopbackAddress(), way.lead(nobody))) {
            dialled.setSoTimeout(60_000);
            assertThatThrownBy(() -> dialled.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        assertThat(way.connections()).isZero();
    }

    @Test
    void sleepsWhenNothingHappens() throws Exception {
        WanWay way = emulator.way(WanShape.of(10, 100));
        Ends ends = connect(way);
        roundTrips(ends, 3);
        way.silent(true, false);
        send(ends.dialled, MEGABYTE / 10);
        long before = cpuNanos();
        Thread.sleep(500); // The time in which it must do nothing.
        assertThat(TimeUnit.NANOSECONDS.toMillis(cpuNanos() - before)).as("ms of processor in 500").isLessThan(10);
    }

    private long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(emulator.threadId());
    }

    @Test
    void knowsTheTablesOfTheRelayPaper() {
        WanShape shape = WanProfile.GRID5000.between("sophia", "orsay");
        assertThat(shape.delayNanos()).isEqualTo(8_617_520);
        assertThat(shape.bytesPerSecond()).isEqualTo(5_303_178);
        assertThat(WanProfile.GRID5000.sites()).hasSize(4);
        assertThat(WanProfile.GRID5000.between("bordeaux", "rennes").bytesPerSecond()).isEqualTo(13_753_245);
        assertThat(WanProfile.MODERN.scaled(0.1).between("east", "west").bytesPerSecond()).isEqualTo(125_000_000);
        assertThat(WanProfile.MODERN.between("west", "east").delayNanos()).isEqualTo(50_000_000);
        assertThatThrownBy(() -> WanProfile.GRID5000.between("orsay", "lyon")).hasMessageContaining("lyon");
        assertThatThrownBy(() -> new WanProfile("two", List.of("a", "b"), Map.of())).hasMessageContaining("a - b");
    }
}
