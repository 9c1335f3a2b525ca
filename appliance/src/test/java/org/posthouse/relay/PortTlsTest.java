package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.mpj.channel.TlsPeer;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.relay.config.AcceptorConfig;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** TLS at the ranks' port: what the relay takes plainly, and what somebody in between can do. */
@ExtendWith(VertxExtension.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PortTlsTest {
    private static final Token TOKEN = new Token(0x1112131415161718L, 0x2122232425262728L);
    private static final int MOST = 1 << 20;

    @TempDir
    private static Path folder;

    private static SiteKeys keys;

    /** Of another authority. */
    private static SiteKeys others;

    private final MemoryDirectory directory = new MemoryDirectory();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void issue() throws Exception {
        GridAuthority.init(folder.resolve("authority"), 2).issue("here", 2, folder.resolve("here"));
        GridAuthority.init(folder.resolve("another"), 2).issue("here", 2, folder.resolve("others"));
        keys = SiteKeys.load(folder.resolve("here"));
        others = SiteKeys.load(folder.resolve("others"));
    }

    @AfterEach
    void close() throws Exception {
        directory.close();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static RelayConfig config() {
        return RelayConfig.loopback(RelayId.parse("here"), 0).withLaunchToken(TOKEN);
    }

    private Relay deploy(Vertx vertx, RelayConfig config) throws Exception {
        Relay relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private Relay secured(Vertx vertx) throws Exception {
        return deploy(vertx, config().withLinks(LinkConfig.of("here", 1, keys)));
    }

    /** A launcher, and what it has learned of the relay. */
    private Optional<Challenge> prove(String address, boolean tls) throws Exception {
        return prove(connect(address, tls));
    }

    private FrameChannel connect(String address, boolean secured) throws IOException {
        RelayTls tls = RelayTls.onDemand();
        if (secured) {
            tls.ask();
        }
        FrameChannel line = FrameChannel.connect(address, tls);
        open.add(line);
        return line;
    }

    private static Optional<Challenge> prove(FrameChannel line) throws Exception {
        Identify self = Identify.of(Hello.launcher(), Nonce.random());
        return RelayAuthentication.prove(line, TOKEN, self, (to, challenge) -> {
            if (!MutualProof.isFromRelay(TOKEN, self, challenge, to.binding())) {
                throw new UnprovenRelayException("not proven");
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void launcherAndRelayProveTheTokenOverTls(TlsKind kind, Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, config().withLinks(LinkConfig.of("here", 1, keys).tls(kind)));
        FrameChannel line = connect(relay.address(), true);
        assertThat(prove(line)).isPresent();
        assertThat(line.binding()).isEqualTo(keys.binding());
        line.write(Hello.launcher().encode());
        assertThat(next(line)).isEqualTo(FrameType.WELCOME);
    }

    private static FrameType next(FrameChannel line) throws Exception {
        List<FrameType> came = new ArrayList<>();
        while (came.isEmpty()) {
            line.read();
            line.dispatch((ByteBuffer frame, FrameView view) -> came.add(view.type()));
        }
        return came.get(0);
    }

    /** In mode threaded, TLS of this host is not read; nobody of this host dials it. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "THREADED")
    void everyModeReadsTls(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, config().withMode(ModeConfig.of(mode)).withLinks(LinkConfig.of("here", 1, keys)));
        assertThat(prove(relay.address(), true)).isPresent();
    }

    @Test
    void clientsOfTheSameHostMaySpeakPlainlyAndLearnThatOthersMayNot(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        assertThat(prove(relay.address(), false)).get().extracting(Challenge::needsTls).isEqualTo(true);
        assertThat(prove(relay.address(), true)).get().extracting(Challenge::needsTls).isEqualTo(false);
    }

    @Test
    void aRelayWithoutKeysSpeaksAsBefore(Vertx vertx) throws Exception {
        Relay relay = deploy(vertx, config());
        assertThat(prove(relay.address(), false)).get().extracting(Challenge::needsTls).isEqualTo(false);
        assertThatExceptionOfType(UnprovenRelayException.class)
                .isThrownBy(() -> prove(relay.address(), true))
                .withMessageContaining("speaks no TLS: it was started without --keys");
    }

    /** Somebody ends TLS with a certificate of their own, and passes all on over another TLS. */
    @Test
    void theProofFailsBehindAnotherCertificate(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        String between = between(true, relay.address(), true);
        assertThatExceptionOfType(UnprovenRelayException.class).isThrownBy(() -> prove(between, true)).withMessage("not proven");
    }

    /** Somebody takes plain frames and passes them on over TLS. */
    @Test
    void theProofFailsWhereTlsIsStripped(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        String between = between(false, relay.address(), true);
        assertThatExceptionOfType(UnprovenRelayException.class).isThrownBy(() -> prove(between, false)).withMessage("not proven");
    }

    /** Somebody on the relay's host ends TLS and passes the frames on plainly. */
    @Test
    void theProofFailsWhereTlsIsAdded(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        String between = between(true, relay.address(), false);
        assertThatExceptionOfType(UnprovenRelayException.class).isThrownBy(() -> prove(between, true)).withMessage("not proven");
    }

    /** The same frames in the same way, with nobody's certificate in between: the tests above fail for the right reason. */
    @Test
    void theProofHoldsWherePlainFramesArePassedOn(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        assertThat(prove(between(false, relay.address(), false), false)).isPresent();
    }

    /** Passes on what a client and the relay say. @return where */
    private String between(boolean tls, String relay, boolean onwardTls) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        open.add(server);
        Thread.ofVirtual().start(() -> {
            try {
                SocketChannel client = server.accept();
                open.add(client);
                TlsPeer peer = tls ? new TlsPeer(client, others.engineForRanks(false, UnpooledByteBufAllocator.DEFAULT)).handshake(() -> MOST) : null;
                FrameChannel onward = connect(relay, onwardTls);
                for (int length = FrameType.IDENTIFY.bytesMax();; length = FrameType.PROOF.bytesMax()) {
                    ByteBuffer said = ByteBuffer.allocate(length);
                    receive(client, peer, said);
                    onward.write(said.flip());
                    onward.read();
                    onward.dispatch((frame, view) -> send(client, peer, frame));
                }
            } catch (IOException | WireException e) {
                // The test has ended.
            }
        });
        return "127.0.0.1:" + ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static void receive(SocketChannel client, TlsPeer peer, ByteBuffer bytes) throws IOException {
        if (peer != null) {
            peer.receive(bytes);
            return;
        }
        while (bytes.hasRemaining()) {
            if (client.read(bytes) < 0) {
                throw new IOException("the client has ended");
            }
        }
    }

    private static void send(SocketChannel client, TlsPeer peer, ByteBuffer bytes) throws IOException {
        if (peer == null) {
            client.write(bytes);
        } else {
            peer.send(bytes, () -> MOST, () -> MOST);
        }
    }

    /** A client whose address is not the loopback's is taken for one of another host. */
    @Test
    void plainFramesOfAnotherHostAreRefused(Vertx vertx) throws Exception {
        Relay relay = secured(vertx);
        CloseNotice why = CloseNotice.decode(answerToAnotherHost(relay));
        assertThat(why.reason()).isEqualTo(CloseReason.TLS_REQUIRED);
        assertThat(why.text()).isEqualTo("relay here has the grid's keys and takes frames from other hosts over TLS only");
        assertThat(relay.refusals().counts()).as("it is no fault: the client then dials with TLS").isEmpty();
    }

    @Test
    void plainFramesOfAnotherHostAreTakenWhereTheFlagSaysSo(Vertx vertx) throws Exception {
        AcceptorConfig door = config().door();
        AcceptorConfig unsafe = new AcceptorConfig(
                door.host(), door.port(), door.announced(), door.local(), door.launchToken(), door.helloTimeoutMs(), door.connectionsMax(), true);
        Relay relay = deploy(vertx, config().withDoor(unsafe).withLinks(LinkConfig.of("here", 1, keys)));
        Challenge answer = Challenge.decode(answerToAnotherHost(relay));
        assertThat(answer.needsTls()).isFalse();
        assertThat(prove(relay.address(), true)).as("TLS is spoken too").isPresent();
    }

    private static ByteBuffer answerToAnotherHost(Relay relay) throws Exception {
        Optional<InetAddress> other = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && address.getAddress().length == 4)
                .findFirst();
        assumeThat(other).as("an address that is not the loopback's").isPresent();
        int port = Integer.parseInt(relay.address().substring(relay.address().indexOf(':') + 1));
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(other.get(), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.getOutputStream().write(Identify.of(Hello.launcher(), Nonce.random()).encode().array(), 0, FrameType.IDENTIFY.bytesMax());
            byte[] head = socket.getInputStream().readNBytes(Integer.BYTES);
            int length = ByteBuffer.wrap(head).getInt();
            return ByteBuffer.allocate(length).put(head).put(socket.getInputStream().readNBytes(length - head.length)).flip();
        }
    }
}
