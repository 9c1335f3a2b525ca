package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.KeysFolder;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.TestKeys;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.Refusals;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;
import org.slf4j.LoggerFactory;

/** Who is not let in, by which name, and what a peer that breaks the protocol gets. Relay "m" stands in the middle. */
@ExtendWith(LeakWatch.class)
@ResourceLock("what LinkRefusalTest and JdkRefusalTest share")
@Timeout(180)
class LinkRefusalTest {
    /** Bytes of a record that begins with a ClientHello, up to the end of its random number. */
    private static final int CLIENT_HELLO_BYTES = 5 + 4 + 2 + 32;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(10);
    private static final LinkTimeouts PATIENT = new LinkTimeouts(10_000, 10_000, 10_000, 300, 10_000, 5, 50, 100);
    private static final LinkTimeouts SHORT = new LinkTimeouts(10_000, 300, 300, 300, 10_000, 5, 50, 100);
    private static final long EPOCH = 10;
    private static final int CONNECTIONS_MAX = 8;

    /** 24 MB of them, or 48. */
    private static final int PINGS = Boolean.getBoolean("posthouse.long") ? 2_000_000 : 1_000_000;

    private static final int PINGS_AT_ONCE = 2_000;

    @TempDir
    private static Path folder;

    private static TestGrid grid;
    private static Vertx vertx;
    private static Path keysA;
    private static Path keysZ;

    private final List<TestRelay> relays = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger refusalLog = TestLog.logger(Refusals.class);
    private TestRelay m;

    @BeforeAll
    static void issueKeys() throws IOException {
        grid = new TestGrid(folder);
        vertx = Vertx.vertx();
        keysA = folder.resolve("a");
        keysZ = folder.resolve("z");
        grid.authority().issue("a", 10, keysA);
        grid.authority().issue("z", 10, keysZ);
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Whose TLS the relays use; raw peers use the JDK's. */
    TlsKind tls() {
        return TlsKind.NATIVE;
    }

    @BeforeEach
    void startRelay() throws Exception {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        refusalLog.addAppender(log);
        m = start(grid.listening("m", EPOCH).timeouts(PATIENT).limits(1 << 20, CONNECTIONS_MAX));
    }

    @AfterEach
    void stopRelays() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        refusalLog.detachAppender(log);
    }

    @Test
    void refusesPlainTcp() throws Exception {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), m.links.port())) {
            plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitRefusal(m, LinkRefusal.PLAIN_TCP);
        }
    }

    @Test
    void tellsNothingOfALaunchersTokenThatCameToTheWrongPort() throws Exception {
        Token secret = Token.random();
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), m.links.port())) {
            plain.getOutputStream().write(new Identify(Hello.LAUNCHER, 0, 0, new Nonce(secret.high(), secret.low())).encode().array());
            awaitRefusal(m, LinkRefusal.PLAIN_TCP);
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains(secret.hex()))
                .anyMatch(line -> line.contains("PLAIN_TCP: looks like a launcher or a rank"));
    }

    @Test
    void refusesSilentConnectionAfterTimeout() throws Exception {
        TestRelay hasty = start(grid.listening("hasty", 1).timeouts(SHORT));
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), hasty.links.port())) {
            awaitRefusal(hasty, LinkRefusal.TIMEOUT);
            assertThat(plain.getInputStream().read()).as("closed").isEqualTo(-1);
        }
    }

    @Test
    void countsDisconnectBeforeHandshakeAsTlsFailure() throws Exception {
        new Socket(InetAddress.getLoopbackAddress(), m.links.port()).close();
        awaitRefusal(m, LinkRefusal.TLS_FAILED);
    }

    @Test
    void refusesTls12() throws Exception {
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA, "TLSv1.2")) {
            peer.awaitEnd();
            awaitRefusal(m, LinkRefusal.TLS_VERSION);
        }
    }

    @Test
    void refusesAHandshakeThatIsPlayedAgain() throws Exception {
        ByteArrayOutputStream recorded = new ByteArrayOutputStream();
        try (ServerSocket tap = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RawPeer peer = RawPeer.dial(tap.getLocalPort(), keysA)) {
            Thread relaying = Thread.startVirtualThread(() -> record(tap, recorded));
            peer.hello("a", "m", 1, 0, 0).awaitHello();
            peer.send(word(FrameType.LINK_PING, 5)).await(FrameType.LINK_PONG);
            peer.close();
            relaying.join();
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> !m.isUp("a"));
        byte[] all = recorded.toByteArray();
        for (int firstBytes : new int[] {1, 7, CLIENT_HELLO_BYTES, all.length}) {
            long before = m.refusals(LinkRefusal.REPLAYED);
            try (Socket again = new Socket(InetAddress.getLoopbackAddress(), m.links.port())) {
                again.setTcpNoDelay(true);
                again.getOutputStream().write(all, 0, firstBytes);
                again.getOutputStream().flush();
                again.getOutputStream().write(all, firstBytes, all.length - firstBytes);
                assertEnds(again);
            }
            await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.refusals(LinkRefusal.REPLAYED) == before + 1);
        }
        assertThat(m.refusals(LinkRefusal.TLS_FAILED)).as("each has one name").isZero();
        assertThat(m.events).as("of the first only").containsExactly("up a 1", "down a");
        up(2).close();
    }

    /** Passes one connection on to relay m, and keeps what its dialling end says. */
    private void record(ServerSocket tap, ByteArrayOutputStream recorded) {
        try (Socket near = tap.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), m.links.port())) {
            Thread back = Thread.startVirtualThread(() -> {
                try {
                    far.getInputStream().transferTo(near.getOutputStream());
                } catch (IOException e) {
                    LoggerFactory.getLogger(LinkRefusalTest.class).debug("the recorded connection ended", e);
                }
            });
            near.getInputStream().transferTo(new FilterOutputStream(far.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    recorded.write(bytes, from, count);
                    out.write(bytes, from, count);
                }
            });
            far.shutdownOutput();
            back.join();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot record", e);
        }
    }

    private static void assertEnds(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().read()).as("nothing is said").isEqualTo(-1);
        } catch (SocketException e) {
            assertThat(e).as("broken off, for what it had sent and nobody reads").hasMessageContaining("reset");
        }
    }

    @Test
    void refusesOneWithoutCertificate() throws Exception {
        assertDialRefused(null, LinkRefusal.NO_CERTIFICATE);
    }

    @Test
    void refusesADiallerOfAnotherAuthority() throws Exception {
        assertDialRefused(otherGrid("m1").resolve("site-a"), LinkRefusal.OTHER_AUTHORITY);
    }

    @Test
    void refusesADiallerWhoseCertificateExpiredOrIsNotValidYet() throws Exception {
        Instant now = Instant.now();
        Path expired = folder.resolve("expired");
        Path early = folder.resolve("early");
        TestKeys.issue(grid.authority(), "a", now.minusSeconds(7200), now.minusSeconds(3600), expired);
        TestKeys.issue(grid.authority(), "a", now.plusSeconds(3600), now.plusSeconds(7200), early);
        assertDialRefused(expired, LinkRefusal.EXPIRED);
        assertDialRefused(early, LinkRefusal.NOT_YET_VALID);
        assertNamed(LinkRefusal.EXPIRED, expired);
        assertNamed(LinkRefusal.NOT_YET_VALID, early);
    }

    private void assertNamed(LinkRefusal kind, Path keys) throws KeysException {
        SiteCertificate shown = KeysFolder.read(keys).entries().getFirst().certificate();
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).anyMatch(line -> line.contains(": " + kind + ": ") && line.contains(
                ": the certificate of site a, serial " + shown.serial() + ", is valid from " + shown.notBefore() + " to " + shown.notAfter() + ", now is "));
    }

    /** TLS tells it behind its own handshake. */
    @Test
    void aDiallerThatIsRefusedForItsCertificateSaysSoToo() throws Exception {
        Instant end = Instant.now().plusSeconds(6).truncatedTo(ChronoUnit.SECONDS);
        Path keys = folder.resolve("over-" + tls());
        TestKeys.issue(grid.authority(), "a", end.minusSeconds(3600), end, keys);
        LinkConfig config = LinkConfig.of("a", 1, SiteKeys.load(keys)).timeouts(PATIENT).peer("m", "127.0.0.1:" + m.links.port());
        await().pollInterval(POLL).until(() -> Instant.now().isAfter(end.plusSeconds(1)));
        TestRelay late = start(config);
        awaitRefusal(m, LinkRefusal.EXPIRED);
        awaitRefusal(late, LinkRefusal.REFUSED_BY_PEER);
        await().pollInterval(POLL).atMost(PATIENCE)
                .until(() -> late.status("m").lastReason().contains(tls() == TlsKind.JDK ? "certificate_unknown" : "certificate_expired"));
        assertThat(late.status("m").lastReason()).startsWith("SITE_UNREACHABLE: REFUSED_BY_PEER at ").endsWith(LinkRefusal.REFUSED_BY_PEER.advice());
    }

    /** It says that the grid's authority has issued it, but that has not signed it: so it may name any site. */
    @Test
    void serialOfForgedCertificateIsNotLogged() throws Exception {
        Instant now = Instant.now();
        Path forged = folder.resolve("forged-" + tls());
        grid.authority().issue("a", 10, forged);
        X509Certificate forgery = TestKeys.forge(forged, "a", now.minusSeconds(7200), now.minusSeconds(3600));
        assertDialRefused(forged, LinkRefusal.EXPIRED);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains(forgery.getSerialNumber().toString(16)));
    }

    /** An earlier session of his would be taken up without a look at his certificate. */
    @Tag("long")
    @Test
    void refusesADiallerWhoseCertificateExpiredSinceHisLastSession() throws Exception {
        Instant end = Instant.now().plusSeconds(6).truncatedTo(ChronoUnit.SECONDS);
        Path keys = folder.resolve("ends-" + tls());
        TestKeys.issue(grid.authority(), "a", end.minusSeconds(3600), end, keys);
        SSLContext remembers = RawPeer.context(keys);
        try (RawPeer peer = RawPeer.dial(m.links.port(), remembers)) {
            peer.hello("a", "m", 1, 0, 0).awaitHello();
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> Instant.now().isAfter(end.plusSeconds(1)));
        try (RawPeer peer = RawPeer.dial(m.links.port(), remembers)) {
            peer.awaitEnd();
        }
        awaitRefusal(m, LinkRefusal.EXPIRED);
        assertNamed(LinkRefusal.EXPIRED, keys);
        assertThat(m.events).containsExactly("up a 1", "down a");
    }

    @Test
    void refusesADiallerWhoseCertificateWasRevokedSinceHisLastSession() throws Exception {
        Path keys = folder.resolve("revoked-" + tls());
        String serial = grid.authority().issue("a", 10, keys).serial();
        SSLContext remembers = RawPeer.context(keys);
        try (RawPeer peer = RawPeer.dial(m.links.port(), remembers)) {
            peer.hello("a", "m", 1, 0, 0).awaitHello();
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.events.contains("down a"));
        grid.authority().revoke(serial);
        byte[] list = TestKeys.revocations(folder.resolve("authority")).encoded();
        m.call(() -> {
            m.links.keys().take(list, "the test");
            return null;
        });
        try (RawPeer peer = RawPeer.dial(m.links.port(), remembers)) {
            peer.hello("a", "m", 1, 0, 0).awaitEnd();
        }
        awaitRefusal(m, LinkRefusal.REVOKED);
        assertThat(m.events).containsExactly("up a 1", "down a");
    }

    @Test
    void refusesAListenerOfAnotherAuthorityAndAnExpiredOne() throws Exception {
        Path expired = folder.resolve("expired-z");
        Instant now = Instant.now();
        TestKeys.issue(grid.authority(), "z", now.minusSeconds(7200), now.minusSeconds(3600), expired);
        Path strangers = otherGrid("m2").resolve("site-z");
        for (var expected : Map.of(expired, LinkRefusal.EXPIRED, strangers, LinkRefusal.OTHER_AUTHORITY).entrySet()) {
            try (SSLServerSocket server = RawPeer.listen(expected.getKey())) {
                TestRelay a = start(config("a").peer("z", "127.0.0.1:" + server.getLocalPort()));
                try (RawPeer peer = RawPeer.accept(server)) {
                    peer.awaitEnd();
                }
                awaitRefusal(a, expected.getValue());
                assertThat(a.status("z").lastReason()).contains(expected.getValue().name());
                a.close();
            }
        }
    }

    /** Who dials looks first, and all that the other end hears is an alert. */
    @Test
    void bothEndsCountThatTheyAreOfDifferentAuthorities() throws Exception {
        TestGrid other = new TestGrid(Files.createDirectories(folder.resolve("m3")));
        TestRelay stranger = start(other.config("a", 1).timeouts(PATIENT).peer("m", "127.0.0.1:" + m.links.port()));
        awaitRefusal(stranger, LinkRefusal.OTHER_AUTHORITY);
        assertThat(stranger.status("m").lastReason()).contains("Path does not chain", LinkRefusal.OTHER_AUTHORITY.advice()).doesNotContain("Engine")
                .doesNotContain("Exception");
        awaitRefusal(m, tls() == TlsKind.JDK ? LinkRefusal.REFUSED_BY_PEER : LinkRefusal.OTHER_AUTHORITY);
        assertThat(m.refusals(tls() == TlsKind.JDK ? LinkRefusal.OTHER_AUTHORITY : LinkRefusal.REFUSED_BY_PEER)).isZero();
        assertThat(m.events).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "Received fatal alert: unknown_ca, OTHER_AUTHORITY",
        "Received fatal alert: certificate_unknown, REFUSED_BY_PEER",
        "error:10000416:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_UNKNOWN, REFUSED_BY_PEER",
        "error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA, OTHER_AUTHORITY",
        "Received fatal alert: certificate_expired, REFUSED_BY_PEER",
        "error:10000415:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED, REFUSED_BY_PEER"
    })
    void tellsAnAlertForAnotherAuthorityFromOthers(String alert, LinkRefusal kind) {
        assertThat(LinkRefusal.of(new SSLException(alert))).isEqualTo(kind);
    }

    @Test
    void refusesTheSiteOfAnothersCertificate() throws Exception {
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            peer.hello("z", "m", 1, 0, 0);
            assertClosed(peer, CloseReason.WRONG_SITE, "claims to be relay z");
        }
        awaitRefusal(m, LinkRefusal.WRONG_SITE);
    }

    @Test
    void refusesHelloForAnotherRelayOrFromItself() throws Exception {
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            peer.hello("a", "z", 1, 0, 0);
            assertClosed(peer, CloseReason.WRONG_SITE, "this is relay m");
        }
        Path twin = folder.resolve("twin");
        grid.authority().issue("m", 10, twin);
        try (RawPeer peer = RawPeer.dial(m.links.port(), twin)) {
            peer.hello("m", "m", 1, 0, 0);
            assertClosed(peer, CloseReason.WRONG_SITE, "this is relay m");
        }
        assertThat(m.refusals(LinkRefusal.WRONG_SITE)).isEqualTo(2);
    }

    @Test
    void believesARelaysNameOnlyUnderItsOwnSite() throws Exception {
        for (LinkHello lie : List.of(
                new LinkHello("a", "z", "m", 1, 0, 0, 1, 0, 0, false, false),
                new LinkHello("a", "z/2", "m", 1, 0, 0, 1, 0, 0, false, false),
                new LinkHello("a", "a/1", "m", 1, 0, 0, 1, 0, 0, false, false),
                new LinkHello("a", "a/", "m", 1, 0, 0, 1, 0, 0, false, false),
                new LinkHello("a", "a/2/3", "m", 1, 0, 0, 1, 0, 0, false, false),
                new LinkHello("a", "", "m", 1, 0, 0, 1, 0, 0, false, false))) {
            try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
                assertClosed(peer.send(lie.encode()), CloseReason.WRONG_SITE, "claims to be relay " + lie.relay() + " of site a");
            }
        }
        assertThat(m.events).isEmpty();
    }

    @Test
    void refusesAnotherRelayOfTheSiteThanTheOneThatItDialled() throws Exception {
        try (SSLServerSocket server = RawPeer.listen(keysZ)) {
            TestRelay dialler = start(config("a").peer("z/2", "127.0.0.1:" + server.getLocalPort()));
            try (RawPeer peer = RawPeer.accept(server)) {
                assertThat(peer.awaitHello().expected()).isEqualTo("z/2");
                peer.hello("z/3", "", 1, 0, 0);
                assertClosed(peer, CloseReason.WRONG_SITE, "is relay z/3, expected relay z/2");
            }
            awaitRefusal(dialler, LinkRefusal.WRONG_SITE);
            assertThat(dialler.events).isEmpty();
        }
    }

    @Test
    void refusesACertificateThatNamesNoSite() throws Exception {
        Path nameless = folder.resolve("nameless");
        TestKeys.issueNameless(folder.resolve("authority"), nameless);
        try (RawPeer peer = RawPeer.dial(m.links.port(), nameless)) {
            peer.hello("a", "m", 1, 0, 0);
            assertClosed(peer, CloseReason.WRONG_SITE, "claims to be relay a");
        }
    }

    @Test
    void refusesTheWrongSiteAtAPeersAddress() throws Exception {
        TestRelay a = start(config("a").peer("z", "127.0.0.1:" + m.links.port()));
        awaitRefusal(a, LinkRefusal.WRONG_SITE);
        awaitRefusal(m, LinkRefusal.REFUSED_BY_PEER);
        assertThat(a.status("z").lastReason()).contains("expected relay z").contains("for site m");
        assertThat(m.events).isEmpty();
    }

    @Test
    void refusesPeerThatSendsNoHello() throws Exception {
        LinkTimeouts hastyOnHello = new LinkTimeouts(10_000, 10_000, 100, 300, 10_000, 5, 50, 100);
        TestRelay hasty = start(grid.listening("hasty", 1).timeouts(hastyOnHello));
        try (RawPeer peer = RawPeer.dial(hasty.links.port(), keysA)) {
            peer.shakeHands();
            assertClosed(peer, CloseReason.TIMEOUT, "no LINK_HELLO");
        }
        awaitRefusal(hasty, LinkRefusal.TIMEOUT);
    }

    @Test
    void refusesAnotherFrameFirst() throws Exception {
        for (FrameType type : List.of(
                FrameType.LINK_ACK, FrameType.LINK_PING, FrameType.LINK_PONG, FrameType.LINK_REVOKED, FrameType.LINK_RUN,
                FrameType.LINK_LANES, FrameType.LINK_PACKED, FrameType.LINK_CAME, FrameType.LINK_RATE, FrameType.LINK_REACH, FrameType.SEND)) {
            try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
                ByteBuffer frame = ByteBuffer.allocate(type.bytesMin());
                new FrameView().wrap(frame, 0).begin(type, Wire.HEADER_BYTES, 0).length(frame.capacity());
                peer.send(frame);
                assertClosed(peer, CloseReason.NOT_EXPECTED, type + " from ", "LINK_HELLO first");
            }
        }
        awaitRefusal(m, LinkRefusal.BREACH);
        assertThat(m.failure).isNull();
    }

    /** A peer that is linked goes by the epoch that it was told: with another one it would forget what it has sent. */
    @Test
    void fencesHelloOfLinkedPeerWithNewerEpoch() throws Exception {
        try (RawPeer linked = up(1);
                RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            peer.hello("a", "m", 1, EPOCH + 1, 0);
            assertClosed(peer, CloseReason.FENCED, "seen epoch 11");
            linked.send(word(FrameType.LINK_PING, 5));
            assertThat(new FrameView().wrap(linked.await(FrameType.LINK_PONG), 0).linkWord(0)).isEqualTo(5);
        }
        awaitRefusal(m, LinkRefusal.FENCED);
        assertThat(m.events).doesNotContain("epoch 12");
    }

    /** Those that link with it later would know it by that epoch, and take none of its later starts. */
    @Test
    void takesNoEpochThatOnlyALiarCanHaveSeen() throws Exception {
        for (long seen : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, EPOCH + Links.SET_BACK_MAX + 1}) {
            try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
                peer.hello("a", "m", 1, seen, 0);
                assertClosed(peer, CloseReason.FENCED, "has seen epoch " + seen);
            }
        }
        up(1).close();
        assertThat(m.events).first().isEqualTo("up a 1");
    }

    /** One that knew this relay by the old epoch would take the new one for a restart at the next cut, and forget what this one goes on from. */
    @Test
    void fencesHandshakeBegunUnderAnOlderEpoch() throws Exception {
        try (SSLServerSocket one = RawPeer.listen(keysZ);
                SSLServerSocket two = RawPeer.listen(keysZ)) {
            TestRelay dialler = start(config("a").peer("z", "127.0.0.1:" + one.getLocalPort()).peer("z/2", "127.0.0.1:" + two.getLocalPort()));
            try (RawPeer knowsLater = RawPeer.accept(one);
                    RawPeer knowsNone = RawPeer.accept(two)) {
                assertThat(knowsLater.awaitHello().epoch()).isEqualTo(1);
                assertThat(knowsNone.awaitHello().epoch()).isEqualTo(1);
                knowsLater.hello("z", "", 7, 100, 0);
                assertClosed(knowsLater, CloseReason.FENCED, "has seen epoch 100");
                knowsNone.hello("z/2", "", 7, 1, 0);
                assertClosed(knowsNone, CloseReason.FENCED, "told epoch 1", "has epoch 101");
            }
            try (RawPeer again = RawPeer.accept(two)) {
                assertThat(again.awaitHello().epoch()).isEqualTo(101);
                again.hello("z/2", "", 7, 101, 0);
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> dialler.isUp("z/2"));
            }
            assertThat(dialler.events).first().isEqualTo("epoch 101");
        }
    }

    @Test
    void fencesTheOlderOfTwoThatClaimOneName() throws Exception {
        try (RawPeer peer = up(2);
                RawPeer twin = RawPeer.dial(m.links.port(), keysA)) {
            twin.hello("a", "m", 1, 0, 0);
            assertClosed(twin, CloseReason.FENCED, "calls itself a has epoch 1, expected at least 2");
            peer.send(word(FrameType.LINK_PING, 5));
            assertThat(new FrameView().wrap(peer.await(FrameType.LINK_PONG), 0).linkWord(0)).isEqualTo(5);
        }
    }

    @Test
    void refusesCountersThatCannotBe() throws Exception {
        try (RawPeer peer = up(1)) {
            peer.send(word(FrameType.LINK_ACK, 1));
            assertClosed(peer, CloseReason.NOT_EXPECTED, "acknowledges 1");
        }
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            peer.hello("a", "m", 1, EPOCH, 5);
            assertClosed(peer, CloseReason.CANNOT_RESUME, "received 5 frames");
        }
        try (RawPeer peer = up(2)) {
            ByteBuffer frame = word(FrameType.LINK_ACK, 0);
            new FrameView().wrap(frame, 0).linkWord(3, -1);
            peer.send(frame);
            assertClosed(peer, CloseReason.NOT_EXPECTED, "has -1 bytes");
        }
        try (RawPeer peer = up(3)) {
            peer.send(word(FrameType.LINK_CAME, 0));
            assertClosed(peer, CloseReason.NOT_EXPECTED, "LINK_CAME from ");
        }
        try (RawPeer peer = up(4)) {
            peer.send(word(FrameType.LINK_RATE, 0));
            assertClosed(peer, CloseReason.NOT_EXPECTED, "LINK_RATE from ");
        }
    }

    @Test
    void closesOnFramesThatNoLinkCarries() throws Exception {
        try (RawPeer peer = up(1)) {
            ByteBuffer post = ByteBuffer.allocate(FrameType.POST.bytesMin());
            new FrameView().wrap(post, 0).begin(FrameType.POST, FrameType.POST.bytesMin(), 7);
            peer.send(post);
            assertClosed(peer, CloseReason.NOT_EXPECTED, "POST");
        }
        try (RawPeer peer = up(2)) {
            peer.hello("a", "m", 2, EPOCH, 0);
            assertClosed(peer, CloseReason.NOT_EXPECTED, "LINK_HELLO");
        }
        try (RawPeer peer = up(3)) {
            byte[] noise = new byte[100];
            new Random(1).nextBytes(noise);
            noise[0] = 77;
            peer.send(ByteBuffer.wrap(noise));
            assertClosed(peer, CloseReason.FRAME_TOO_LONG, "frame length");
        }
    }

    @Test
    void letsALaneJoinItsOwnSessionOnly() throws Exception {
        try (RawPeer first = up(1)) {
            for (LinkHello late : List.of(
                    new LinkHello("a", "a", "m", 1, EPOCH, 1, 99, 0, 0, false, false),
                    new LinkHello("a", "a", "m", 1, EPOCH, LinkWindow.LANES_MAX, 1, 0, 0, false, false),
                    new LinkHello("a", "a", "m", 1, 0, 1, 1, 0, 0, false, false))) {
                try (RawPeer lane = RawPeer.dial(m.links.port(), keysA)) {
                    assertClosed(lane.send(late.encode()), CloseReason.NORMAL, "of session " + late.session());
                }
            }
            try (RawPeer lane = RawPeer.dial(m.links.port(), keysA)) {
                lane.send(new LinkHello("a", "a", "m", 1, EPOCH, 2, 1, 0, 0, false, false).encode());
                assertThat(lane.awaitHello().lane()).isEqualTo(2);
                assertThat(m.status("a").lanes()).isEqualTo(2);
                lane.send(numbered(1, 10));
                assertClosed(lane, CloseReason.NOT_EXPECTED, "expected LINK_RUN first");
            }
            first.send(numbered(1, 10));
            assertThat(awaitAcknowledged(first)).as("the link is up").isEqualTo(1);
        }
    }

    @Test
    void takesNothingButAFrameBehindALinkRun() throws Exception {
        try (RawPeer peer = up(1)) {
            peer.send(word(FrameType.LINK_RUN, 0)).send(word(FrameType.LINK_PING, 5));
            assertClosed(peer, CloseReason.NOT_EXPECTED, "behind a LINK_RUN");
        }
        try (RawPeer peer = up(2)) {
            peer.send(word(FrameType.LINK_RUN, -1));
            assertClosed(peer, CloseReason.MALFORMED_FRAME, "frame -1");
        }
        try (RawPeer peer = up(3)) {
            peer.send(word(FrameType.LINK_RUN, 1)).send(numbered(2, 10));
            peer.send(word(FrameType.LINK_RUN, 0)).send(numbered(1, 10));
            await().atMost(Duration.ofSeconds(60)).until(() -> m.last("a") == 2);
        }
    }

    @Test
    void framesHeldBackAtDisconnectCountAsNotReceived() throws Exception {
        try (RawPeer peer = up(1)) {
            peer.send(word(FrameType.LINK_RUN, 1)).send(numbered(3, 10)).send(word(FrameType.LINK_PING, 5)).await(FrameType.LINK_PONG);
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.events.contains("down a"));
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            assertThat(peer.hello("a", "m", 1, EPOCH, 0).awaitHello().bulk()).isZero();
            peer.send(word(FrameType.LINK_RUN, 1)).send(numbered(2, 10));
            peer.send(word(FrameType.LINK_RUN, 0)).send(numbered(1, 10));
            await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.last("a") > 1);
            assertThat(m.last("a")).as("as it was written again").isEqualTo(2);
        }
        assertThat(m.failure).isNull();
    }

    @Test
    void acknowledgesASingleFrameByTheTimer() throws Exception {
        try (RawPeer peer = up(1)) {
            peer.send(numbered(1, 10));
            assertThat(awaitAcknowledged(peer)).isEqualTo(1);
        }
    }

    /** What was said may have been lost with the connection, and a window that is full waits for it. */
    @Test
    void acknowledgesAgainWhenASessionBegins() throws Exception {
        try (RawPeer peer = up(1)) {
            assertThat(awaitAcknowledged(peer.send(numbered(1, 10)))).isEqualTo(1);
        }
        try (RawPeer peer = RawPeer.dial(m.links.port(), keysA)) {
            assertThat(peer.hello("a", "m", 1, EPOCH, 0).awaitHello().heads()).isEqualTo(1);
            assertThat(awaitAcknowledged(peer)).isEqualTo(1);
        }
    }

    @Test
    void acknowledgesByCountAndBytesLongBeforeTheTimer() throws Exception {
        LinkTimeouts slowTimer = new LinkTimeouts(10_000, 10_000, 10_000, 300, 10_000, 3_600_000, 50, 100);
        TestRelay lazy = start(grid.listening("lazy", EPOCH).timeouts(slowTimer));
        try (RawPeer peer = RawPeer.dial(lazy.links.port(), keysA)) {
            peer.hello("a", "lazy", 1, 0, 0).awaitHello();
            for (int number = 1; number <= 64; number++) {
                peer.send(numbered(number, 10));
            }
            assertThat(awaitAcknowledged(peer)).isEqualTo(64);
            for (int number = 65; number <= 69; number++) {
                peer.send(numbered(number, 60_000));
            }
            assertThat(awaitAcknowledged(peer)).isEqualTo(69);
        }
        assertThat(lazy.failure).isNull();
    }

    /** Who connects and says nothing fills the limit, and keeps nobody out. */
    @Test
    void theOldestThatHasNotShakenHandsMakesRoomPastTheLimit() throws Exception {
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS_MAX; i++) {
            idle.add(new Socket(InetAddress.getLoopbackAddress(), m.links.port()));
        }
        try (RawPeer peer = up(1)) {
            assertThat(idle.getFirst().getInputStream().read()).as("the oldest is closed").isEqualTo(-1);
            awaitRefusal(m, LinkRefusal.LIMIT);
            assertThat(m.refusals(LinkRefusal.LIMIT)).isEqualTo(1);
            assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).anyMatch(line -> line.contains(CONNECTIONS_MAX + " accepted connections"));
        }
        for (Socket socket : idle) {
            socket.close();
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.refusals(LinkRefusal.TLS_FAILED) == CONNECTIONS_MAX - 1);
    }

    @Test
    void holdsNoMoreConnectionsThanTheLimit() throws Exception {
        List<RawPeer> peers = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS_MAX; i++) {
            boolean first = i < CONNECTIONS_MAX - 2; // Of one site there may be so many.
            RawPeer peer = RawPeer.dial(m.links.port(), first ? keysA : keysZ);
            peer.hello((first ? "a/p" : "z/p") + i, "m", 1, 0, 0).awaitHello();
            peers.add(peer);
        }
        try (Socket tooMany = new Socket(InetAddress.getLoopbackAddress(), m.links.port())) {
            assertThat(tooMany.getInputStream().read()).isEqualTo(-1);
        }
        awaitRefusal(m, LinkRefusal.LIMIT);
        for (RawPeer peer : peers) {
            peer.close();
        }
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.events.stream().filter(event -> event.startsWith("down")).count() == CONNECTIONS_MAX);
        up(1).close();
    }

    @Test
    void keepsItsOwnConnectionIfItIsTheSmallerSite() throws Exception {
        try (SSLServerSocket server = RawPeer.listen(keysZ)) {
            TestRelay smaller = start(grid.listening("m2", EPOCH).peer("z", "127.0.0.1:" + server.getLocalPort()));
            try (RawPeer kept = RawPeer.accept(server)) {
                assertThat(kept.awaitHello().expected()).isEqualTo("z");
                try (RawPeer second = RawPeer.dial(smaller.links.port(), keysZ)) {
                    second.hello("z", "m2", 1, 0, 0);
                    assertClosed(second, CloseReason.NORMAL, "keeps the connection that it dialled");
                }
                kept.hello("z", "", 1, 0, 0);
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> smaller.isUp("z"));
                assertThat(smaller.downs).isEmpty();
            }
        }
    }

    @Test
    void givesItsOwnConnectionUpIfItIsTheLargerSite() throws Exception {
        try (SSLServerSocket server = RawPeer.listen(keysA)) {
            TestRelay larger = start(grid.listening("m3", EPOCH).peer("a", "127.0.0.1:" + server.getLocalPort()));
            try (RawPeer givenUp = RawPeer.accept(server)) {
                assertThat(givenUp.awaitHello().expected()).isEqualTo("a");
                try (RawPeer kept = RawPeer.dial(larger.links.port(), keysA)) {
                    kept.hello("a", "m3", 1, 0, 0);
                    assertThat(kept.awaitHello().expected()).isEmpty();
                    givenUp.awaitEnd();
                    assertThat(larger.isUp("a")).isTrue();
                    assertThat(larger.events).containsExactly("up a 1");
                }
            }
        }
    }

    /** A session that was of use does not speak for those behind it. Only pauses count, and a busy machine makes them longer, never shorter. */
    @Test
    void dialsLessAndLessIfEachConnectionEndsAtOnce() throws Exception {
        LinkTimeouts doubling = new LinkTimeouts(10_000, 10_000, 10_000, 20_000, 40_000, 5, 200, 100_000);
        try (SSLServerSocket server = RawPeer.listen(keysZ)) {
            TestRelay dialler = start(config("a").timeouts(doubling).peer("z", "127.0.0.1:" + server.getLocalPort()));
            RawPeer peer = RawPeer.accept(server);
            long pausedNanos = 0;
            for (int ended = 0; ended < 3; ended++) {
                peer.awaitHello();
                peer.hello("z", "", 1, 0, 0);
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> dialler.isUp("z"));
                if (ended == 0) {
                    peer.send(word(FrameType.LINK_ACK, 0));
                }
                long begun = System.nanoTime();
                peer.close();
                peer = RawPeer.accept(server);
                pausedNanos += System.nanoTime() - begun;
            }
            peer.close();
            // Steps of 200, 400 and 800 ms, of which each pause is half at least.
            assertThat(pausedNanos).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(690));
        }
    }

    @Test
    void suspectsItsOwnConnectionIfThePeerDialsAgain() throws Exception {
        try (SSLServerSocket server = RawPeer.listen(keysZ)) {
            // Left alone, it would bear the silence for an hour.
            LinkTimeouts enduring = new LinkTimeouts(10_000, 10_000, 10_000, 300, 3_600_000, 5, 50, 100);
            TestRelay smaller = start(grid.listening("m4", EPOCH)
                    .timeouts(enduring)
                    .peer("z", "127.0.0.1:" + server.getLocalPort()));
            try (RawPeer silent = RawPeer.accept(server)) {
                silent.awaitHello();
                silent.hello("z", "", 1, 0, 0);
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> smaller.isUp("z"));
                // From now on it says nothing.
                try (RawPeer second = RawPeer.dial(smaller.links.port(), keysZ)) {
                    second.hello("z", "m4", 1, EPOCH, 0);
                    assertClosed(second, CloseReason.NORMAL, "keeps the connection");
                }
                await().pollInterval(POLL).atMost(PATIENCE).until(() -> !smaller.downs.isEmpty());
                assertThat(smaller.downs.getFirst().reason()).isEqualTo(CloseReason.TIMEOUT);
            }
        }
    }

    @Test
    void writesOneLineASecondOfEachKindAndCountsAll() {
        AtomicLong nanos = new AtomicLong();
        Refusals refusals = new Refusals(nanos::get);
        String who = "who is counted";
        for (int i = 0; i < 100; i++) {
            refusals.count(LinkRefusal.LIMIT, who, "detail");
        }
        refusals.count(LinkRefusal.PLAIN_TCP, who, "detail");
        nanos.set(TimeUnit.SECONDS.toNanos(1));
        refusals.count(LinkRefusal.LIMIT, who, "detail");
        assertThat(refusals.counts()).containsEntry(LinkRefusal.LIMIT, 101L).containsEntry(LinkRefusal.PLAIN_TCP, 1L);
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains(who))
                .hasSize(3)
                .last(InstanceOfAssertFactories.STRING).contains("101 of this kind");
    }

    /** As one does whose certificate was revoked. */
    @Test
    void logsRepeatedRefusalsOfOnePeerEverMoreRarely() {
        AtomicLong nanos = new AtomicLong();
        Refusals refusals = new Refusals(nanos::get);
        String who = "who comes again";
        for (int second = 0; second < 192; second++) {
            nanos.set(TimeUnit.SECONDS.toNanos(second));
            refusals.count(LinkRefusal.REVOKED, who, "detail");
        }
        assertThat(lines(who)).as("at 0, 1, 3, 7, 15, 31, 63, 127 and 191 s").isEqualTo(9);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(128));
        refusals.count(LinkRefusal.REVOKED, who, "detail");
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        refusals.count(LinkRefusal.REVOKED, who, "detail");
        assertThat(lines(who)).as("it was quiet between").isEqualTo(11);
    }

    private long lines(String who) {
        return log.list.stream().filter(line -> line.getFormattedMessage().contains(who)).count();
    }

    @Test
    void documentsEveryKind() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../docs/links.md"));
        for (LinkRefusal kind : LinkRefusal.values()) {
            assertThat(rows).contains("| " + kind + " | " + kind.meaning() + " | " + kind.advice() + " |");
        }
    }

    private static LinkConfig config(String site) throws KeysException {
        return grid.config(site, 1).timeouts(PATIENT);
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config.tls(tls()));
        relays.add(relay);
        return relay.start();
    }

    /** Its answers would pile up in memory if they were written whether it reads or not: some MiB are in the sockets' buffers, and no more than a MiB waits. */
    @Test
    void answersOnlySomeOfThePingsOfAPeerThatReadsNothing() throws Exception {
        ByteBuffer pings = ByteBuffer.allocate(PINGS_AT_ONCE * FrameType.LINK_PING.bytesMin());
        for (int i = 0; i < PINGS_AT_ONCE; i++) {
            pings.put(word(FrameType.LINK_PING, i));
        }
        TestRelay other = start(grid.config("z", 1).peer("m", "127.0.0.1:" + m.links.port()).timeouts(PATIENT));
        try (RawPeer flooding = up(1)) {
            for (int i = 0; i < PINGS / PINGS_AT_ONCE; i++) {
                flooding.send(pings.duplicate().flip());
            }
            await().pollInterval(POLL).atMost(PATIENCE).until(() -> m.isUp("z") && other.isUp("m"));
            long last = PINGS;
            flooding.send(word(FrameType.LINK_PING, last));
            int answered = 0;
            while (answered <= PINGS) {
                long word = new FrameView().wrap(flooding.await(FrameType.LINK_PONG), 0).linkWord(0);
                if (word == last) {
                    break;
                }
                answered++;
                if (answered % PINGS_AT_ONCE == 0) {
                    flooding.send(word(FrameType.LINK_PING, last)); // The one before may have found no room.
                }
            }
            assertThat(answered).isBetween(1, PINGS / 2);
        }
        assertThat(m.failure).isNull();
        assertThat(m.events).doesNotContain("down z");
    }

    /** A raw peer of site a in {@code epoch} with its link up. */
    private RawPeer up(long epoch) throws Exception {
        RawPeer peer = RawPeer.dial(m.links.port(), keysA);
        peer.hello("a", "m", epoch, 0, 0);
        assertThat(peer.awaitHello().site()).isEqualTo("m");
        return peer;
    }

    private Path otherGrid(String name) throws IOException {
        Path other = Files.createDirectories(folder.resolve(name));
        TestGrid strangers = new TestGrid(other);
        strangers.keys("a");
        strangers.keys("z");
        return other;
    }

    private void assertDialRefused(Path keys, LinkRefusal kind) throws Exception {
        try (RawPeer peer = RawPeer.dial(m.links.port(), keys)) {
            peer.awaitEnd();
        }
        awaitRefusal(m, kind);
        assertThat(m.events).isEmpty();
    }

    private void awaitRefusal(TestRelay relay, LinkRefusal kind) {
        await().pollInterval(POLL).atMost(PATIENCE).until(() -> relay.refusals(kind) > 0);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains(kind.name()))
                .allMatch(line -> line.matches("refused [^/].*"), "names who was refused, not as Java spells an address");
    }

    private static void assertClosed(RawPeer peer, CloseReason closeReason, String... text) throws Exception {
        CloseNotice why = peer.awaitClose();
        assertThat(why.reason()).isEqualTo(closeReason);
        assertThat(why.text()).contains(text);
    }

    private static long awaitAcknowledged(RawPeer peer) throws IOException {
        return new FrameView().wrap(peer.await(FrameType.LINK_ACK), 0).linkWord(0);
    }

    private static ByteBuffer numbered(long number, int payloadBytes) {
        ByteBuf frame = Frames.send(number, new byte[payloadBytes]);
        byte[] bytes = new byte[frame.readableBytes()];
        frame.readBytes(bytes).release();
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer word(FrameType type, long word) {
        ByteBuffer frame = ByteBuffer.allocate(type.bytesMin());
        new FrameView().wrap(frame, 0).begin(type, type.bytesMin(), 0).linkWord(0, word);
        return frame;
    }
}
