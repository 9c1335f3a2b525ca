package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.core.CoreConfig;
import org.posthouse.directory.Directory;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.ops.DrainOrder;
import org.posthouse.ops.ModeOrder;
import org.posthouse.peer.PeerUser;
import org.posthouse.relay.config.AcceptorConfig;
import org.posthouse.relay.config.LauncherTimeout;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.io.ByteSink;
import org.posthouse.relay.io.ConnectionAddresses;
import org.posthouse.relay.shard.Shards;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** The relay's shell in every mode on real sockets: limits, roles, and whose end ends what. */
@ExtendWith(VertxExtension.class)
@Timeout(value = 120, timeUnit = TimeUnit.SECONDS)
class RelayTest {
    private static final long JOB = 42;
    private static final Token TOKEN = new Token(1, 2);

    private final MemoryDirectory directory = new MemoryDirectory();
    private volatile boolean broken;
    private final List<NetClient> clients = new CopyOnWriteArrayList<>();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    /** The console serves from before its log is read. */
    @Test
    void modeMayChangeWhileRelayStarts() {
        Relay starting = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        starting.status().onModeChange(starting.placement());
        assertThat(starting.view().readiness().reasons()).containsExactly("relay here is starting: it opens its ports");
    }

    /** It may have links soon. */
    @Test
    void aRelayThatStartsIsDrainedLater() {
        Relay starting = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        assertThat(starting.view().drain(new DrainOrder(true)).cause())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("relay here is starting: it opens its ports; ask again when it serves");
    }

    /** The console is there before its loop is. */
    @Test
    void theModeOfARelayThatHasNotBegunIsChangedLater() {
        Relay starting = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        assertThat(starting.view().changeMode(new ModeOrder("pooled", null, null)).cause())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("relay here is starting: it opens its ports; ask again when it serves");
    }

    /** Its process ends, and there is no room to wait for. */
    @Test
    void aRelayThatNobodyWantsOpensNoLog(Vertx vertx, @TempDir Path folder) {
        RelayConfig here = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder);
        Relay relay = new Relay(here, directory, UnaryOperator.identity(), () -> true);
        assertThatThrownBy(() -> vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS)).isInstanceOf(IOException.class).hasMessage("interrupted");
        assertThat(folder).isEmptyDirectory();
    }

    /** The mode of before has let it in, and a rank is asked when it is admitted. */
    @Test
    void rankThatSaysHelloAfterModeChangeIsAskedToMove(Vertx vertx) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("site-a"), 0), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN);
                RawPeer rank = RawPeer.connect(relay.address())) {
            await().until(() -> relay.connections().size() == 2);
            relay.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED)).await(60, TimeUnit.SECONDS);
            rank.hello(Hello.firstStart(JOB, 0), TOKEN);
            while (type(rank.readFrame()) != FrameType.MOVE) {}
            assertThat(type(launcher.readFrame())).isEqualTo(FrameType.JOB_EVENT);
        }
    }

    /** A context that it opens and ends again costs it nothing, and the relay a word each time. */
    @Test
    void closesRankThatNeverReadsItsAnswers(Vertx vertx) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("site-a"), 0), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN);
                RawPeer rank = RawPeer.connect(relay.address())) {
            rank.hello(Hello.firstStart(JOB, 0), TOKEN);
            askForEnds(rank, 3 * RankSession.UNREAD_MAX);
            assertThat(type(launcher.readFrame())).isEqualTo(FrameType.JOB_EVENT);
            JobEvent lost = JobEvent.decode(launcher.readFrame());
            assertThat(lost.kind()).isEqualTo(JobEvent.LOST);
            assertThat(CloseReason.of(lost.code())).isEqualTo(CloseReason.LIMIT);
        }
    }

    /** The kernel holds some of what comes of it. */
    private static void askForEnds(RawPeer rank, int rounds) {
        FrameView view = new FrameView();
        ByteBuffer receive = ByteBuffer.allocate(FrameType.POST.bytesMax());
        ByteBuffer batch = ByteBuffer.allocate(1_024 * FrameType.AHEAD.bytesMax());
        try {
            view.wrap(receive, 0).begin(FrameType.POST, receive.capacity(), JOB);
            rank.send(receive);
            view.begin(FrameType.CANCEL, receive.capacity(), JOB);
            rank.send(receive);
            for (int round = 1; round <= rounds; round++) {
                int at = batch.position();
                view.wrap(batch, at).begin(FrameType.AHEAD, FrameType.AHEAD.bytesMax(), JOB).flags(FrameView.END);
                batch.putInt(at + 20, round).position(at + FrameType.AHEAD.bytesMax());
                if (!batch.hasRemaining()) {
                    rank.send(batch.clear());
                }
            }
        } catch (IOException e) {
            assertThat(e).as("the relay has cut the connection").hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
    }

    /** A connection to the relay that hands over one frame at a time, in order. */
    private static final class Peer {
        private final NetSocket socket;
        private Buffer received = Buffer.buffer();
        private Predicate<ByteBuffer> wanted = frame -> false;
        private final List<ByteBuffer> waiting = new ArrayList<>();

        /** Null before it has said who it is. */
        private ClientHalf half;

        private boolean proven;

        private Peer(NetSocket socket) {
            this.socket = socket;
            socket.handler(bytes -> {
                received.appendBuffer(bytes);
                offer();
            });
        }

        private Peer hello(Hello hello) {
            return hello(hello, Token.NONE);
        }

        /** Proves who it is; what is sent before the relay has answered waits. */
        private Peer hello(Hello hello, Token token) {
            half = new ClientHalf(hello, token);
            write(half.identify());
            return send(hello.encode());
        }

        private Peer send(ByteBuffer frame) {
            if (half != null && !proven) {
                waiting.add(frame);
            } else {
                write(half == null ? frame : half.sealed(frame));
            }
            return this;
        }

        private void write(ByteBuffer frame) {
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            socket.write(Buffer.buffer(bytes));
        }

        private void prove(ByteBuffer challenge) {
            try {
                write(half.prove(challenge));
            } catch (WireException e) {
                throw new AssertionError(e);
            }
            proven = true;
            waiting.forEach(this::send);
        }

        /** Looks at frames until {@code taker} says that it saw the one it wanted. */
        private void until(Predicate<ByteBuffer> taker) {
            wanted = taker;
            offer();
        }

        private void offer() {
            while (received.length() >= Integer.BYTES && received.length() >= received.getInt(0)) {
                int length = received.getInt(0);
                ByteBuffer frame = ByteBuffer.wrap(received.getBytes(0, length));
                received = received.getBuffer(length, received.length());
                if (type(frame) == FrameType.CHALLENGE) {
                    prove(frame);
                } else if (wanted.test(frame)) {
                    wanted = ignored -> false;
                }
            }
        }
    }

    /** The directory as relays have it, which can be broken. */
    private Directory breakable() {
        return (Directory) Proxy.newProxyInstance(Directory.class.getClassLoader(), new Class<?>[] {Directory.class}, (proxy, method, arguments) -> {
            if (broken && method.getName().equals("relays")) {
                throw new IllegalStateException("broken by the test");
            }
            return method.invoke(directory, arguments);
        });
    }

    private Future<Relay> relay(Vertx vertx, RelayConfig.Mode mode, long helloTimeoutMs, int connectionsMax) {
        return relay(vertx, mode, helloTimeoutMs, connectionsMax, Optional.empty());
    }

    private Future<Relay> relay(Vertx vertx, RelayConfig.Mode mode, long helloTimeoutMs, int connectionsMax, Optional<String> announced) {
        AcceptorConfig door = new AcceptorConfig("127.0.0.1", 0, announced, Optional.empty(), Token.NONE, helloTimeoutMs, connectionsMax, false);
        RelayConfig config = new RelayConfig(
                "here", "here", 1, door, "", ModeConfig.of(mode), 3, Optional.empty(), LogLimits.DEFAULT, LauncherTimeout.DEFAULT, CoreConfig.DEFAULT,
                Optional.empty(), 0, RelayConfig.STAGE_BYTES_DEFAULT);
        Relay relay = new Relay(config, breakable());
        return vertx.deployVerticle(relay).map(relay);
    }

    /** One in a container listens where nobody outside reaches it by that address. */
    @Test
    void othersHearWhereItSaysThatItIsReached(Vertx vertx, VertxTestContext context) {
        relay(vertx, RelayConfig.Mode.MULTIPLEXED, 5_000, 10, Optional.of("gate:7411")).onComplete(context.succeeding(relay -> context.verify(() -> {
            assertThat(directory.relays()).extracting(RelayEntry::address).containsExactly("gate:7411");
            assertThat(relay.address()).startsWith("127.0.0.1:");
            passes(context);
        })));
    }

    private Future<Peer> peer(Vertx vertx, Relay relay) {
        int port = Integer.parseInt(relay.address().substring(relay.address().indexOf(':') + 1));
        NetClient client = vertx.createNetClient();
        clients.add(client);
        return client.connect(port, "127.0.0.1").map(Peer::new);
    }

    /** Vert.x's own end does not end when it falls into a client's call back of its connect: so clients are closed first. */
    private void passes(VertxTestContext context) {
        Vertx.currentContext().runOnContext(later -> Future.all(clients.stream().map(NetClient::close).toList())
                .onComplete(context.succeedingThenComplete()));
    }

    private static FrameType type(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0).type();
    }

    private static CloseNotice notice(ByteBuffer frame) {
        try {
            return CloseNotice.decode(frame);
        } catch (WireException e) {
            throw new AssertionError(e);
        }
    }

    /** Passes when the relay closes the connection for this reason. */
    private Predicate<ByteBuffer> closedFor(CloseReason closeReason, String detail, VertxTestContext context) {
        return frame -> {
            if (type(frame) != FrameType.CLOSE) {
                return false;
            }
            context.verify(() -> {
                assertThat(notice(frame).reason()).isEqualTo(closeReason);
                assertThat(notice(frame).text()).contains(detail);
            });
            passes(context);
            return true;
        };
    }

    @ParameterizedTest
    @EnumSource
    void closesAConnectionThatSaysNothing(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        relay(vertx, mode, 100, 8)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.until(closedFor(CloseReason.TIMEOUT, "no HELLO within 100 ms", context)))
                .onFailure(context::failNow);
    }

    /** Nobody has said anything wrong, and whoever waits for an answer has to hear that none comes. */
    @ParameterizedTest
    @EnumSource
    void aFaultInTheGreetingEndsTheConnectionAtOnce(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        relay(vertx, mode, 3_600_000, 8)
                .onSuccess(relay -> broken = true)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher()).until(closedFor(CloseReason.INTERNAL, "", context)))
                .onFailure(context::failNow);
    }

    /** Its epoch is not that time once it comes after a start with a later one. */
    @Test
    void reportsStartTimeIndependentOfEpoch(Vertx vertx, VertxTestContext context) {
        long before = System.currentTimeMillis();
        relay(vertx, RelayConfig.Mode.MULTIPLEXED, 100, 8).onComplete(context.succeeding(relay -> context.verify(() -> {
            assertThat(relay.epoch()).isEqualTo(1);
            assertThat(relay.view().snapshot().startedAt()).isBetween(before, System.currentTimeMillis());
            context.completeNow();
        })));
    }

    @ParameterizedTest
    @EnumSource
    void refusesConnectionsPastTheLimitByName(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        relay(vertx, mode, 60_000, 1)
                .compose(relay -> peer(vertx, relay)
                        .onSuccess(first -> first.hello(Hello.launcher()).until(welcome -> {
                            peer(vertx, relay)
                                    .onSuccess(second -> second.until(
                                            closedFor(CloseReason.LIMIT, "2 connections, at most 1", context)))
                                    .onFailure(context::failNow);
                            return true;
                        })))
                .onFailure(context::failNow);
    }

    @ParameterizedTest
    @EnumSource
    void silentConnectionsDoNotBlockLaunchers(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = relay(vertx, mode, 3_600_000, 2).await(60, TimeUnit.SECONDS);
        try (RawPeer first = RawPeer.connect(relay.address());
                RawPeer launcher = comes(relay)) {
            // The first has gone, or is to go for the second: the launcher may have been let in before it was known whose they are.
            await().until(() -> relay.connections().size() == 1 || !relay.newcomers().isEmpty());
            try (RawPeer second = RawPeer.connect(relay.address());
                    RawPeer other = comes(relay);
                    RawPeer late = RawPeer.connect(relay.address())) {
                assertThat(List.of(first.read(), second.read())).containsOnly(-1);
                assertThat(notice(late.readFrame()).reason()).as("nobody is left to make room").isSameAs(CloseReason.LIMIT);
                try (RawPeer later = RawPeer.connect(relay.address())) {
                    assertThat(notice(later.readFrame()).reason()).as("nor who was refused").isSameAs(CloseReason.LIMIT);
                }
                assertThat(launcher.available() + other.available()).isZero();
                await().until(() -> relay.refusals().counts().getOrDefault(CloseReason.TIMEOUT, 0L) == 2);
            }
        }
    }

    /** The launcher takes a place until it is let in, and displaces another one if all were looked at before. */
    @ParameterizedTest
    @EnumSource
    void silentConnectionsOccupyAtMostAQuarterOfTheLimit(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = relay(vertx, mode, 3_600_000, 8).await(60, TimeUnit.SECONDS);
        try (RawPeer first = RawPeer.connect(relay.address());
                RawPeer second = RawPeer.connect(relay.address());
                RawPeer third = RawPeer.connect(relay.address());
                RawPeer fourth = RawPeer.connect(relay.address());
                RawPeer launcher = comes(relay)) {
            assertThat(List.of(first.read(), second.read())).containsOnly(-1);
            await().until(() -> relay.connections().size() <= 3);
            assertThat(third.available() + fourth.available() + launcher.available()).isZero();
        }
    }

    /** He connects far more often than there are places. */
    @ParameterizedTest
    @EnumSource
    void anotherUserOfTheHostDisplacesHisOwnConnectionsOnly(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        assumeTrue(PeerUser.own() == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")), "only root starts a process of another user");
        Relay relay = relay(vertx, mode, 3_600_000, 64).await(60, TimeUnit.SECONDS);
        try (RawPeer own = RawPeer.connect(relay.address())) {
            await().until(() -> relay.connections().size() == 1);
            Process stranger = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c",
                    "for i in {10..90}; do eval \"exec $i<>/dev/tcp/127.0.0.1/" + relay.address().replaceAll(".*:", "") + "\"; done; echo all; exec sleep 600")
                    .start();
            try (BufferedReader said = stranger.inputReader()) {
                assertThat(said.readLine()).isEqualTo("all");
                own.hello(Hello.launcher());
                assertThat(type(own.readFrame())).isSameAs(FrameType.WELCOME);
                comes(relay).close();
                await().until(() -> relay.connections().size() <= 17);
            } finally {
                stranger.destroyForcibly().waitFor();
            }
        }
    }

    /** Its log is still to be read, which takes files, too. */
    @Test
    void startingRelayBoundsNewcomersToAQuarterOfConnections(Vertx vertx, @TempDir Path folder) throws Exception {
        RelayConfig here = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder);
        Relay relay = new Relay(here, directory);
        CountDownLatch read = new CountDownLatch(1);
        vertx.createSharedWorkerExecutor("readers", 1).executeBlocking(() -> {
            read.await();
            return null;
        });
        Future<String> deployed = vertx.deployVerticle(relay, new DeploymentOptions().setWorkerPoolName("readers").setWorkerPoolSize(1));
        await().until(() -> relay.loop() != null);
        int most = here.door().newcomersMax();
        List<Integer> closed = relay.loop().submit(() -> {
            List<Integer> gone = new ArrayList<>();
            for (int i = 0; i <= most; i++) {
                relay.accept(outlet(i, gone), StrandExecutor.open(Runnable::run));
            }
            return List.copyOf(gone);
        }).get();
        read.countDown();
        assertThat(closed).as("the first, as there was one too many").containsExactly(0);
        deployed.await(60, TimeUnit.SECONDS);
    }

    /** Its other end does not read. */
    private static ByteSink outlet(int number, List<Integer> closed) {
        return (ByteSink) Proxy.newProxyInstance(ByteSink.class.getClassLoader(), new Class<?>[] {ByteSink.class}, (self, method, args) -> {
            if (method.getName().equals("close")) {
                closed.add(number);
            }
            if (method.getReturnType() == ConnectionAddresses.class) {
                return new ConnectionAddresses(new InetSocketAddress("192.0.2.1", 7411), new InetSocketAddress("192.0.2.2", 10_000 + number), null);
            }
            return method.getReturnType() == long.class ? 0L : null;
        });
    }

    /** It may have much to say; when thousands come again at once each would make room for the next, and none would get to its end. */
    @ParameterizedTest
    @EnumSource
    void rankSendingItsStateIsNotEvicted(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = relay(vertx, mode, 3_600_000, 8).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = comes(relay);
                RawPeer rank = RawPeer.connect(relay.address())) {
            launcher.send(new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[1]).encode());
            assertThat(type(launcher.readFrame())).isSameAs(FrameType.JOB_OPENED);
            rank.hello(Hello.firstStart(JOB, 0).again(Hello.MOVED, 0, 0, 0, 1, 2), TOKEN);
            await().until(() -> relay.newcomers().isEmpty());
            try (RawPeer first = RawPeer.connect(relay.address());
                    RawPeer second = RawPeer.connect(relay.address());
                    RawPeer third = RawPeer.connect(relay.address())) {
                assertThat(first.read()).isEqualTo(-1);
                assertThat(rank.available() + second.available() + third.available()).isZero();
                rank.send(Hello.launcher().encode());
                assertThat(notice(rank.readFrame()).reason()).as("it was heard").isSameAs(CloseReason.NOT_EXPECTED);
            }
        }
    }

    /** A launcher that was let in. */
    private static RawPeer comes(Relay relay) throws IOException {
        RawPeer launcher = RawPeer.connect(relay.address());
        launcher.hello(Hello.launcher());
        assertThat(type(launcher.readFrame())).isSameAs(FrameType.WELCOME);
        return launcher;
    }

    @ParameterizedTest
    @EnumSource
    void refusesAFrameThatTheRoleMayNotSend(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        ByteBuffer send = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        new FrameView().wrap(send, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, JOB);
        relay(vertx, mode, 60_000, 8)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher())
                        .send(send)
                        .until(closedFor(CloseReason.NOT_EXPECTED, "SEND from a launcher", context)))
                .onFailure(context::failNow);
    }

    @ParameterizedTest
    @EnumSource
    void refusesAJobThatSpansASiteWithoutLink(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        HomeRelay here = new HomeRelay("here", "here", "");
        HomeRelay there = new HomeRelay("there", "there", "");
        JobOpen job = new JobOpen(JOB, TOKEN, false, "test", List.of(here, there), new int[] {0, 1});
        relay(vertx, mode, 60_000, 8)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher())
                        .send(job.encode())
                        .until(closedFor(CloseReason.SITE_UNREACHABLE, "no way to relays [there]", context)))
                .onFailure(context::failNow);
    }

    @ParameterizedTest
    @EnumSource
    void refusesAJobThatIsToBeLoggedWithoutALog(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        JobOpen job = new JobOpen(JOB, TOKEN, true, "test", List.of(new HomeRelay("here", "here", "")), new int[1]);
        relay(vertx, mode, 60_000, 8)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher())
                        .send(job.encode())
                        .until(closedFor(CloseReason.NO_LOG, "is to be logged, at relay here", context)))
                .onFailure(context::failNow);
    }

    /** Whoever may open jobs cannot have the relay run out of memory. */
    @Test
    void refusesAJobPastTheLimitOfRanks(Vertx vertx, VertxTestContext context) {
        JobOpen first = new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[27]);
        JobOpen second = new JobOpen(JOB + 1, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[2]);
        relay(vertx, RelayConfig.Mode.MULTIPLEXED, 60_000, 2)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher())
                        .send(first.encode())
                        .send(second.encode())
                        .until(closedFor(CloseReason.LIMIT, "room of 6 ranks at relay here, where open jobs take that of 31 of at most 32", context)))
                .onFailure(context::failNow);
    }

    /** What the relay has of them is less than of its own, and not nothing. */
    @Test
    void refusesAJobPastTheLimitOfRanksElsewhere(Vertx vertx) throws Exception {
        int[] homeOf = new int[1 + 10 * 27];
        Arrays.fill(homeOf, 1, homeOf.length, 1);
        List<HomeRelay> homes = List.of(new HomeRelay("here", "here", ""), new HomeRelay("there", "there", ""));
        JobOpen first = new JobOpen(JOB, TOKEN, false, "test", homes, homeOf);
        JobOpen second = new JobOpen(JOB + 1, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[1]);
        Relay relay = relay(vertx, RelayConfig.Mode.MULTIPLEXED, 60_000, 2).await(60, TimeUnit.SECONDS);
        Promise<OpenJob> opened = Promise.promise();
        relay.control().submit(() -> relay.jobs().open(first, "first", null).compose(job -> relay.jobs().open(second, "second", null)).onComplete(opened));
        assertThatThrownBy(() -> opened.future().await(60, TimeUnit.SECONDS))
                .hasMessageContaining("room of 5 ranks at relay here, where open jobs take that of 32 of at most 32");
    }

    /** The relay has each process of a rank in memory from the start, also those that come only when others have died. */
    @Test
    void refusesAJobPastTheLimitWithTheProcessesThatMayTakeTheDeadsPlaces(Vertx vertx) throws Exception {
        JobOpen job = new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[10]).rebuilding(3);
        Relay relay = relay(vertx, RelayConfig.Mode.MULTIPLEXED, 60_000, 2).await(60, TimeUnit.SECONDS);
        Promise<OpenJob> opened = Promise.promise();
        relay.control().submit(() -> relay.jobs().open(job, "first", null).onComplete(opened));
        assertThatThrownBy(() -> opened.future().await(60, TimeUnit.SECONDS)).hasMessageContaining("takes the room of 34 ranks at relay here");
    }

    @Test
    void countsTheRanksOfAJobThatReplacesItsDeadAndNotTheirLaterProcesses(Vertx vertx) throws Exception {
        JobOpen job = new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[5]).rebuilding(3);
        Relay relay = relay(vertx, RelayConfig.Mode.MULTIPLEXED, 60_000, 8).await(60, TimeUnit.SECONDS);
        Promise<Integer> ranks = Promise.promise();
        relay.control().submit(() -> relay.jobs().open(job, "first", null).map(open -> relay.jobs().ranksHere()).onComplete(ranks));
        assertThat(ranks.future().await(60, TimeUnit.SECONDS)).isEqualTo(5);
        assertThat(relay.directory().ranks(JOB)).as("told to other relays").hasSize(5);
    }

    /** A launcher that lost its relay must not find another job under its name. */
    @ParameterizedTest
    @EnumSource
    void doesNotOpenAJobThatItsLauncherBelievesToBeOpen(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        JobOpen job = new JobOpen(
                JOB, TOKEN, Durability.PROCESS, true, "test", List.of(new HomeRelay("here", "here", "")), new int[1]);
        relay(vertx, mode, 60_000, 8)
                .compose(relay -> peer(vertx, relay))
                .onSuccess(peer -> peer.hello(Hello.launcher())
                        .send(job.encode())
                        .until(closedFor(CloseReason.UNKNOWN_JOB, "is not open any more at relay here", context)))
                .onFailure(context::failNow);
    }

    @ParameterizedTest
    @EnumSource
    void aJobEndsWithItsLaunchersConnection(RelayConfig.Mode mode, Vertx vertx, VertxTestContext context) {
        JobOpen job = new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[1]);
        relay(vertx, mode, 60_000, 8)
                .compose(relay -> peer(vertx, relay).onSuccess(launcher -> {
                    launcher.hello(Hello.launcher()).send(job.encode());
                    launcher.until(frame -> type(frame) == FrameType.JOB_OPENED && joins(vertx, relay, launcher, context));
                }))
                .onFailure(context::failNow);
    }

    /** A rank joins; then the launcher goes away, and the rank has to hear of it. */
    private boolean joins(Vertx vertx, Relay relay, Peer launcher, VertxTestContext context) {
        peer(vertx, relay)
                .onSuccess(rank -> rank.hello(Hello.firstStart(JOB, 0), TOKEN.ofRank(0)).until(welcome -> {
                    launcher.socket.close();
                    rank.until(frame -> {
                        context.verify(() -> {
                            assertThat(type(frame)).isEqualTo(FrameType.ABORT);
                            assertThat(notice(frame).text()).isEqualTo("the launcher's connection ended");
                        });
                        passes(context);
                        return true;
                    });
                    return false;
                }))
                .onFailure(context::failNow);
        return true;
    }

    /** With 3 shards 60 ranks are 20 a shard; those of a shard sit in groups of 8. */
    @Test
    void neighboursShareASeat(Vertx vertx, VertxTestContext context) {
        JobOpen job = new JobOpen(JOB, TOKEN, false, "test", List.of(new HomeRelay("here", "here", "")), new int[60]);
        relay(vertx, RelayConfig.Mode.POOLED, 60_000, 8)
                .compose(relay -> peer(vertx, relay).onSuccess(launcher -> {
                    launcher.hello(Hello.launcher()).send(job.encode());
                    launcher.until(frame -> type(frame) == FrameType.JOB_OPENED && sit(relay.shards(), context));
                }))
                .onFailure(context::failNow);
    }

    private boolean sit(Shards shards, VertxTestContext context) {
        context.verify(() -> {
            for (int rank = 0; rank < 60; rank++) {
                int seat = shards.seat(JOB, rank);
                assertThat(seat).as("seat of rank " + rank).isEqualTo(rank / 20 + 3 * (rank % 20 / Shards.BLOCK_MIN));
                assertThat(shards.of(JOB, rank).number()).as("shard of rank " + rank).isEqualTo(rank / 20);
            }
            assertThat(shards.seat(JOB, 60)).as("no such rank").isZero();
        });
        passes(context);
        return true;
    }
}
