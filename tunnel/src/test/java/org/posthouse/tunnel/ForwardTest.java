package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;

/** Real sockets at both ends of streams over a real link: relay "a" has ports that lead to doors of relay "b". */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class ForwardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MIB = 1 << 20;

    /** Nothing moves for so long: all sockets and tokens on the way are full. */
    private static final Duration STILL = Duration.ofMillis(300);

    @TempDir
    private static Path folder;

    private static TestGrid grid;
    private static Vertx vertx;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<AutoCloseable> open = new ArrayList<>();
    private TestRelay a;
    private TestRelay b;
    private CuttingProxy proxy;

    @BeforeAll
    static void open() throws IOException {
        grid = new TestGrid(folder);
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        threads.close();
        if (a != null && a.failure != null) {
            throw a.failure;
        }
    }

    @Test
    void carriesAWebServersAnswers() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = ("you asked for " + exchange.getRequestURI()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        open.add(() -> server.stop(0));
        link(server.getAddress().getPort(), () -> Long.MAX_VALUE);
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < 20; i++) {
                URI uri = URI.create("http://127.0.0.1:" + port() + "/page-" + i);
                HttpResponse<String> answer =
                        client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.body()).isEqualTo("you asked for /page-" + i);
            }
        }
    }

    /** The link's connection is cut again and again, at a random byte, while many MiB go there and come back. */
    @Test
    void survivesCutsInTheMiddleWithoutLossOrRepetition() throws Exception {
        Random random = new Random(5);
        int bytes = (Boolean.getBoolean("posthouse.long") ? 64 : 16) * MIB;
        link(echo(), () -> bytes / 32 + random.nextInt(bytes / 16 * 3));
        assertThat(echoed(bytes, 9)).isEqualTo(checksum(bytes, 9));
        assertThat(proxy.cuts()).as("cuts while it went on").isGreaterThan(8);
        assertThat(a.status("b").framesRepeated()).isPositive();
        awaitNoStreams();
    }

    /** One end is done with writing long before the other: what it hears goes on. */
    @Test
    void oneDirectionEndsBeforeTheOther() throws Exception {
        int target = serve(socket -> {
            byte[] asked = socket.getInputStream().readAllBytes();
            assertThat(new String(asked, StandardCharsets.UTF_8)).isEqualTo("all of it");
            write(socket.getOutputStream(), 5 * MIB, 3);
        });
        link(target, () -> Long.MAX_VALUE);
        try (Socket socket = connect()) {
            socket.getOutputStream().write("all of it".getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            assertThat(checksum(socket.getInputStream(), 5 * MIB)).isEqualTo(checksum(5 * MIB, 3));
            assertThat(socket.getInputStream().read()).isNegative();
        }
        awaitNoStreams();
    }

    @Test
    void aServerThatSpeaksFirstIsHeard() throws Exception {
        link(serve(socket -> socket.getOutputStream().write("220 ready".getBytes(StandardCharsets.UTF_8))), () -> Long.MAX_VALUE);
        try (Socket socket = connect()) {
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("220 ready");
        }
    }

    /** Who does not read fills his own stream's tokens and nothing else. */
    @Test
    void aReaderThatDoesNotReadHoldsUpNobodyElse() throws Exception {
        AtomicLong written = new AtomicLong();
        int target = serve(socket -> write(counting(socket.getOutputStream(), written), 64 * MIB, 3));
        link(target, () -> Long.MAX_VALUE, new StreamConfig(64, 4, 8));
        try (Socket slow = connect()) {
            await().atMost(PATIENCE).until(() -> b.call(b.links::streamStatus).waits() > 0);
            try (Socket quick = connect()) {
                assertThat(checksum(quick.getInputStream(), 64 * MIB)).isEqualTo(checksum(64 * MIB, 3));
            }
            assertThat(written.get() - 64 * MIB).as("64 buffers of 64 KiB, and what the system's sockets hold").isLessThan(40L * MIB);
            StreamStatus held = a.call(a.links::streamStatus);
            assertThat(held.buffersUsed()).isLessThanOrEqualTo(held.buffers());
            assertThat(checksum(slow.getInputStream(), 64 * MIB)).as("nothing is lost by waiting").isEqualTo(checksum(64 * MIB, 3));
        }
        awaitNoStreams();
    }

    /** What was to be written to him fails, frame by frame. */
    @Test
    void clientResetWithUnreadDataLogsNoNettyErrors() throws Exception {
        ListAppender<ILoggingEvent> faults = listen(TestLog.logger("io.netty"));
        AtomicLong written = new AtomicLong();
        link(serve(socket -> write(counting(socket.getOutputStream(), written), 64 * MIB, 3)), () -> Long.MAX_VALUE);
        try (Socket socket = connect()) {
            AtomicLong before = new AtomicLong();
            await().pollInterval(STILL).atMost(PATIENCE).until(() -> written.get() > 0 && written.get() == before.getAndSet(written.get()));
            socket.setSoLinger(true, 0);
        }
        awaitNoStreams();
        assertThat(faults.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
    }

    @Test
    void aConnectionThatBreaksIsResetAtTheOtherEndToo() throws Exception {
        int target = serve(socket -> {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        });
        link(target, () -> Long.MAX_VALUE);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(1);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
        awaitNoStreams();
    }

    @Test
    void aDoorThatIsNotThereOrLeadsNowhereIsRefusedByNameAtOnce() throws Exception {
        int nobody = TestGrid.freePort();
        b = start(grid.listening("b", 1).forwards(ForwardConfig.NONE.door("shut", "127.0.0.1:" + nobody)));
        a = start(grid.config("a", 1)
                .peer("b", "127.0.0.1:" + b.links.port())
                .forwards(ForwardConfig.NONE.via("b", "shut", "127.0.0.1:0").via("b", "missing", "127.0.0.1:0")));
        awaitListening();
        for (int i = 0; i < 2; i++) {
            int which = i;
            try (Socket socket = new Socket("127.0.0.1", port(which))) {
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            }
            String reason = i == 0 ? "SITE_UNREACHABLE: door shut of relay b leads to 127.0.0.1:" + nobody + ", which cannot be reached"
                    : "SITE_UNREACHABLE: relay b has no door \"missing\", its doors are [shut]";
            await().atMost(PATIENCE).until(() -> forwards(a).get(which).lastReason().startsWith(reason));
            assertThat(forwards(a).get(which).refused()).isEqualTo(1);
            for (TestRelay relay : List.of(a, b)) {
                assertThat(relay.call(relay.links::streamStatus).refused()).as("here or there").isEqualTo(i + 1);
            }
        }
        awaitNoStreams();
    }

    @Test
    void aPortOfTheSixthVersionIsShownInBrackets() throws Exception {
        assumeThat(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)).contains(InetAddress.getByName("::1"));
        a = start(grid.config("a", 1).forwards(ForwardConfig.NONE.via("b", "door", "[::1]:0")));
        assertThat(forwards(a).getFirst().address()).matches("\\[::1]:[1-9]\\d*");
    }

    /** The listener behind the door has no room: the relay's connect waits in the system until there is. */
    @Tag("long")
    @Test
    void aConnectionThatIsMadeAfterItsStreamHasEndedIsReset() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> before = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                before.add(new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort()));
            }
            link(full.getLocalPort(), () -> Long.MAX_VALUE);
            try (Socket socket = connect()) {
                await().atMost(PATIENCE).until(() -> b.call(b.links::streamStatus).open() == 1);
                socket.setSoLinger(true, 0);
            }
            restartA();
            await().atMost(PATIENCE).until(() -> b.call(b.links::streamStatus).open() == 0);
            for (int i = 0; i < 3; i++) {
                try (Socket accepted = full.accept()) {
                    if (i == 2) {
                        assertThatThrownBy(() -> accepted.getInputStream().read()).as("of the connection that nobody wants")
                                .isInstanceOf(SocketException.class);
                    }
                }
            }
            for (Socket each : before) {
                each.close();
            }
        }
    }

    /** So that b hears that the streams of before are over. */
    private void restartA() throws Exception {
        a.close();
        a = start(grid.config("a", 2).peer("b", proxy.address()));
        await().atMost(PATIENCE).until(() -> a.isUp("b"));
    }

    /** While the link is down whoever connects is refused by the system, and those who were connected wait. */
    @Test
    void refusesWhileTheLinkIsDownAndTakesConnectionsAgainWhenItIsUp() throws Exception {
        link(echo(), () -> Long.MAX_VALUE);
        int port = port();
        try (Socket socket = connect()) {
            ping(socket, 1);
            proxy.freeze();
            proxy.cutAll();
            await().atMost(PATIENCE).until(() -> !a.isUp("b"));
            assertThatThrownBy(() -> new Socket("127.0.0.1", port)).isInstanceOf(ConnectException.class);
            assertThat(forwards(a).getFirst().state()).isSameAs(StreamStatus.Forward.State.REFUSING);
            socket.getOutputStream().write(2);
            proxy.thaw();
            awaitListening();
            assertThat(socket.getInputStream().read()).as("sent while the link was down").isEqualTo(2);
            try (Socket another = new Socket("127.0.0.1", port)) {
                ping(another, 3);
            }
        }
        awaitNoStreams();
    }

    @Test
    void streamsEndWhenTheOtherRelayIsRestarted() throws Exception {
        int echo = echo();
        link(echo, () -> Long.MAX_VALUE);
        try (Socket socket = connect()) {
            ping(socket, 1);
            int port = b.links.port();
            b.close();
            await().atMost(PATIENCE).until(() -> !a.isUp("b"));
            b = start(grid.config("b", 2).listen("127.0.0.1", port).forwards(ForwardConfig.NONE.door("door", "127.0.0.1:" + echo)));
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        awaitListening();
        try (Socket socket = connect()) {
            ping(socket, 4);
        }
        awaitNoStreams();
    }

    /** Frames of the relay's own go on, in order, while 40 streams are as busy as they can be. */
    @Tag("long")
    @Test
    void manyStreamsAtOnceDoNotStarveTheRelaysOwnFrames() throws Exception {
        link(echo(), () -> Long.MAX_VALUE);
        List<Future<Long>> sums = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int seed = i;
            sums.add(threads.submit(() -> echoed(4 * MIB, seed)));
        }
        Random random = new Random(1);
        int sent = 0;
        while (sums.stream().anyMatch(sum -> !sum.isDone())) {
            ByteBuf frame = Frames.send(++sent, random.nextInt(600), random);
            long written = a.call(() -> {
                long before = a.statusNow("b").frameBytesOut();
                a.links.send("b", frame);
                return before;
            });
            long last = sent;
            await().pollInterval(Duration.ofMillis(1)).atMost(PATIENCE).until(() -> b.last("a") == last);
            assertThat(b.bytesAtLast - written)
                    .as("bytes that were written before a short frame, but after it was handed in")
                    .isLessThan(MIB / 4);
        }
        for (int i = 0; i < sums.size(); i++) {
            assertThat(sums.get(i).get()).as("stream %s", i).isEqualTo(checksum(4 * MIB, i));
        }
        long all = sent;
        await().atMost(PATIENCE).until(() -> a.acknowledged.get() == all);
        assertThat(b.failure).isNull();
        awaitNoStreams();
    }

    @Test
    void startFailsIfForwardedPortIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            TestRelay relay = new TestRelay(
                    vertx, grid.config("a", 1).forwards(ForwardConfig.NONE.via("b", "door", "127.0.0.1:" + taken.getLocalPort())));
            assertThatThrownBy(relay::start).hasMessageContaining("cannot listen at 127.0.0.1:" + taken.getLocalPort() + " for b/door");
            relay.close();
        }
    }

    @Test
    void reportsAllConfigurationErrorsTogether() {
        assertThatThrownBy(() -> new ForwardConfig(
                StreamConfig.DEFAULT,
                Map.of("Up", "h:1", "door", "nowhere"),
                List.of(new ForwardConfig.Via("b//", "x y", "127.0.0.1")),
                Optional.empty()))
                .hasMessageContainingAll("door \"Up\"", "\"nowhere\" of door door", "door \"x y\"", "\"127.0.0.1\" of b///x y", "relay \"b//\"");
    }

    /** A link may go down and up while a port of it is being opened. */
    @Test
    void aPortIsOpenedOnceHoweverOftenItsLinkComesAndGoesMeanwhile() throws Exception {
        link(echo(), () -> Long.MAX_VALUE);
        for (boolean endsUp : new boolean[] {true, false}) {
            a.call(() -> {
                for (int i = 0; i < 3; i++) {
                    a.links.streams().onDown("b");
                    a.links.streams().onUp("b");
                    a.links.streams().onUp("b");
                }
                if (!endsUp) {
                    a.links.streams().onDown("b");
                }
                return null;
            });
            StreamStatus.Forward.State state = endsUp ? StreamStatus.Forward.State.LISTENING : StreamStatus.Forward.State.REFUSING;
            await().pollInterval(Duration.ofMillis(5)).during(Duration.ofMillis(100)).atMost(PATIENCE).until(() -> forwards(a).getFirst().state() == state);
            assertThat(forwards(a).getFirst().lastReason()).isEmpty();
        }
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        a.call(() -> {
            a.links.streams().onUp("b");
            return null;
        });
        awaitListening();
        connect().close();
    }

    /** Where relays share a host that is how it stays: a line every 5 s would be all that there is in a log. */
    @Test
    void portInUseIsLoggedOnceAndRetried() throws Exception {
        ListAppender<ILoggingEvent> told = listen(TestLog.logger("org.posthouse.tunnel.forward.ForwardPort"));
        link(echo(), () -> Long.MAX_VALUE);
        awaitListening();
        reach(false);
        int port = port();
        for (int round = 0; round < 2; round++) {
            try (ServerSocket taken = new ServerSocket()) {
                await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                    taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                    return true;
                });
                reach(true);
                await().atMost(PATIENCE).until(() -> !forwards(a).getFirst().lastReason().isEmpty());
                await().pollDelay(STILL).until(() -> true);
            }
            awaitListening();
            assertThat(told.list).extracting(ILoggingEvent::getFormattedMessage)
                    .filteredOn(line -> line.contains(":" + port + ":"))
                    .as("in round %d, of tries after 20, 40, 80 and 160 ms", round)
                    .hasSize(round + 1);
            reach(false);
        }
    }

    private void reach(boolean up) throws Exception {
        a.call(() -> {
            if (up) {
                a.links.streams().onUp("b");
            } else {
                a.links.streams().onDown("b");
            }
            return null;
        });
    }

    private ListAppender<ILoggingEvent> listen(Logger logger) {
        ListAppender<ILoggingEvent> told = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (isOwnLoop()) {
                    super.append(event);
                }
            }
        };
        told.list = new CopyOnWriteArrayList<>();
        told.start();
        logger.addAppender(told);
        open.add(() -> logger.detachAppender(told));
        return told;
    }

    /** Connections of other tests break meanwhile, and their threads say so. */
    private static boolean isOwnLoop() {
        for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
            if (loop.inEventLoop()) {
                return true;
            }
        }
        return false;
    }

    // ---- relays

    /** Relay b has the door "door" to a port here, and a a port to it; the link goes through a proxy that cuts. */
    private void link(int target, LongSupplier bytesPerConnection) throws Exception {
        link(target, bytesPerConnection, StreamConfig.DEFAULT);
    }

    private void link(int target, LongSupplier bytesPerConnection, StreamConfig streams) throws Exception {
        ForwardConfig forwards = ForwardConfig.NONE.streams(streams);
        b = start(grid.listening("b", 1).forwards(forwards.door("door", "127.0.0.1:" + target)));
        proxy = new CuttingProxy(b.links.port(), bytesPerConnection);
        open.add(proxy);
        a = start(grid.config("a", 1).peer("b", proxy.address()).forwards(forwards.via("b", "door", "127.0.0.1:0")));
        awaitListening();
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config).start();
        AutoCloseable end = relay::close;
        open.add(end);
        return relay;
    }

    private void awaitListening() {
        await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(() -> forwards(a).stream()
                .allMatch(forward -> forward.state() == StreamStatus.Forward.State.LISTENING));
    }

    private static List<StreamStatus.Forward> forwards(TestRelay relay) throws Exception {
        return relay.call(relay.links::streamStatus).forwards();
    }

    private int port() throws Exception {
        return port(0);
    }

    private int port(int forward) throws Exception {
        String address = forwards(a).get(forward).address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private Socket connect() throws Exception {
        return new Socket("127.0.0.1", port());
    }

    private void awaitNoStreams() {
        for (TestRelay relay : List.of(a, b)) {
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(PATIENCE)
                    .until(() -> relay.call(relay.links::streamStatus).open() == 0
                            && relay.call(relay.links::streamStatus).buffersUsed() == 0);
        }
    }

    // ---- what is behind a door

    private interface Server {
        void talk(Socket socket) throws IOException;
    }

    private int echo() throws IOException {
        return serve(socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
    }

    private int serve(Server server) throws IOException {
        ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        open.add(listener);
        threads.submit(() -> {
            while (true) {
                Socket socket = listener.accept();
                threads.submit((Callable<Void>) () -> {
                    try (socket) {
                        server.talk(socket);
                    }
                    return null;
                });
            }
        });
        return listener.getLocalPort();
    }

    // ---- bytes

    private static void ping(Socket socket, int octet) throws IOException {
        socket.getOutputStream().write(octet);
        assertThat(socket.getInputStream().read()).isEqualTo(octet);
    }

    /** Sends so many bytes through the port and returns the checksum of what comes back. */
    private long echoed(int bytes, int seed) throws Exception {
        try (Socket socket = connect()) {
            Future<Void> writing = threads.submit(() -> {
                write(socket.getOutputStream(), bytes, seed);
                socket.shutdownOutput();
                return null;
            });
            long sum = checksum(socket.getInputStream(), bytes);
            assertThat(socket.getInputStream().read()).isNegative();
            writing.get();
            return sum;
        }
    }

    private static OutputStream counting(OutputStream out, AtomicLong written) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                out.write(from, offset, length);
                written.addAndGet(length);
            }
        };
    }

    private static void write(OutputStream out, int bytes, int seed) throws IOException {
        Random random = new Random(seed);
        byte[] piece = new byte[100_000];
        for (int left = bytes; left > 0; left -= piece.length) {
            random.nextBytes(piece);
            out.write(piece, 0, Math.min(left, piece.length));
        }
    }

    private static long checksum(int bytes, int seed) throws IOException {
        CRC32C crc = new CRC32C();
        write(new OutputStream() {
            @Override
            public void write(int octet) {
                crc.update(octet);
            }

            @Override
            public void write(byte[] from, int offset, int length) {
                crc.update(from, offset, length);
            }
        }, bytes, seed);
        return crc.getValue();
    }

    private static long checksum(InputStream in, int bytes) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[100_000];
        for (int left = bytes; left > 0;) {
            int read = in.read(piece, 0, Math.min(left, piece.length));
            assertThat(read).as("of the last %s bytes", left).isPositive();
            crc.update(piece, 0, read);
            left -= read;
        }
        return crc.getValue();
    }
}
