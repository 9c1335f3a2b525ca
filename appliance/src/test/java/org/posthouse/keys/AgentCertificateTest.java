package org.posthouse.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;

/** A node's certificate in place of the token: what it opens, and what it does not. */
@ExtendWith(VertxExtension.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentCertificateTest {
    private static final Token TOKEN = new Token(5, 6);

    @TempDir
    private Path folder;

    private final MemoryDirectory directory = new MemoryDirectory();
    private final List<FrameChannel> lines = new ArrayList<>();
    private GridAuthority authority;

    @BeforeEach
    void init() throws KeysException {
        authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("here", 2, folder.resolve("here"));
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
        for (FrameChannel line : lines) {
            line.close();
        }
    }

    private Relay deploy(Vertx vertx, TlsKind kind) throws Exception {
        LinkConfig links = LinkConfig.of("here", 1, SiteKeys.load(folder.resolve("here"))).tls(kind);
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withLaunchToken(TOKEN).withLinks(links), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    /** TLS with the certificate in a node's folder, valid or not, which accepts any certificate of the relay. */
    private SSLContext anyRelay(Path node) throws Exception {
        X509Certificate own = KeyFiles.readCertificate(node.resolve(GridAuthority.NODE_CERTIFICATE));
        return TlsEngines.context(new AnyRelay(), own, KeyFiles.readKey(node.resolve(GridAuthority.NODE_KEY)));
    }

    private FrameChannel agent(Relay relay, SSLContext context) throws Exception {
        FrameChannel line = FrameChannel.connect(relay.address(), RelayTls.always(context));
        lines.add(line);
        if (RelayAuthentication.prove(line, Token.NONE, Identify.of(Hello.agent(), Nonce.random()), (to, challenge) -> {}).isPresent()) {
            line.write(Hello.agent().encode());
        }
        return line;
    }

    private static ByteBuffer next(FrameChannel line, FrameType type) throws Exception {
        List<ByteBuffer> came = new ArrayList<>();
        while (came.isEmpty()) {
            line.read();
            line.dispatch((ByteBuffer frame, FrameView view) -> {
                assertThat(view.type()).isEqualTo(type);
                came.add(ByteBuffer.allocate(frame.remaining()).put(frame).flip());
            });
        }
        return came.get(0);
    }

    private static CloseNotice refusal(FrameChannel line) throws Exception {
        return CloseNotice.decode(next(line, FrameType.CLOSE));
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "JDK"})
    void aNodeOfTheSiteNeedsNoToken(TlsKind kind, Vertx vertx) throws Exception {
        authority.issueNode("here", "n1", 2, folder.resolve("n1"));
        Relay relay = deploy(vertx, kind);
        FrameChannel line = agent(relay, NodeKeys.load(folder.resolve("n1")).context());
        next(line, FrameType.WELCOME);
        line.write(offer("n1").encode());
        line.write(offer("other").encode());
        assertThat(refusal(line)).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(why.text()).isEqualTo("offer of node other by an agent whose certificate is for node n1");
        });
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"JDK", "NATIVE"})
    void theOtherKindsRefuseAnExpiredCertificate(TlsKind kind, Vertx vertx) throws Exception {
        anExpiredCertificateIsRefused(kind, vertx);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "NATIVE")
    void nativeTlsRefusesACertificateOfAnotherAuthority(TlsKind kind, Vertx vertx) throws Exception {
        aCertificateOfAnotherAuthorityIsRefused(kind, vertx);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "NATIVE")
    void aNodeOfTheSiteNeedsNoTokenOverNativeTls(TlsKind kind, Vertx vertx) throws Exception {
        aNodeOfTheSiteNeedsNoToken(kind, vertx);
    }

    private static AgentOffer offer(String name) {
        return new AgentOffer(7, name, "h", 4, 4, 2, 0, 8, 1, 0, false, "1", new TreeMap<>());
    }

    @Test
    void aNodeOfAnotherSiteIsRefused(Vertx vertx) throws Exception {
        authority.issueNode("there", "n1", 2, folder.resolve("n1"));
        Relay relay = deploy(vertx, TlsKind.AUTO);
        assertThat(refusal(agent(relay, anyRelay(folder.resolve("n1")))).reason()).isEqualTo(CloseReason.WRONG_SITE);
        assertThatExceptionOfType(UnprovenRelayException.class)
                .as("and it refuses the relay, too")
                .isThrownBy(() -> agent(relay, NodeKeys.load(folder.resolve("n1")).context()))
                .withMessageContaining("the relay's certificate is for site \"here\", expected there");
    }

    @Test
    void aRevokedNodeIsRefused(Vertx vertx) throws Exception {
        authority.issueNode("here", "n1", 2, folder.resolve("n1"));
        assertThat(authority.revoke("here/n1")).hasSize(1);
        authority.tellRevoked(folder.resolve("here"));
        Relay relay = deploy(vertx, TlsKind.AUTO);
        assertThat(refusal(agent(relay, NodeKeys.load(folder.resolve("n1")).context())).reason()).isEqualTo(CloseReason.REVOKED);
    }

    @ParameterizedTest
    @EnumSource(names = "AUTO")
    void anExpiredCertificateIsRefused(TlsKind kind, Vertx vertx) throws Exception {
        Instant now = Instant.now();
        authority.issueNode("here", "n1", now.minusSeconds(3_600), now.minusSeconds(60), folder.resolve("n1"));
        assertThatExceptionOfType(KeysException.class).isThrownBy(() -> NodeKeys.load(folder.resolve("n1"))).withMessageContaining("expired");
        Relay relay = deploy(vertx, kind);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> agent(relay, anyRelay(folder.resolve("n1"))))
                .withMessageMatching("TLS with the relay at .* fails: .*certificate_(expired|unknown).*");
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "JDK"})
    void aCertificateOfAnotherAuthorityIsRefused(TlsKind kind, Vertx vertx) throws Exception {
        GridAuthority.init(folder.resolve("another"), 2).issueNode("here", "n1", 2, folder.resolve("n1"));
        Relay relay = deploy(vertx, kind);
        assertThatExceptionOfType(UnprovenRelayException.class).isThrownBy(() -> agent(relay, anyRelay(folder.resolve("n1")))).withMessageContaining("TLS");
        assertThatExceptionOfType(UnprovenRelayException.class)
                .isThrownBy(() -> agent(relay, NodeKeys.load(folder.resolve("n1")).context()))
                .withMessageContaining("PKIX path");
    }

    /** Without a certificate the token is needed, and a launcher needs it always. */
    @Test
    void aCertificateIsNoTokenOfALauncher(Vertx vertx) throws Exception {
        authority.issueNode("here", "n1", 2, folder.resolve("n1"));
        Relay relay = deploy(vertx, TlsKind.AUTO);
        FrameChannel line = FrameChannel.connect(relay.address(), RelayTls.always(NodeKeys.load(folder.resolve("n1")).context()));
        lines.add(line);
        RelayAuthentication.prove(line, Token.NONE, Identify.of(Hello.launcher(), Nonce.random()), (to, challenge) -> {});
        assertThat(refusal(line).reason()).isEqualTo(CloseReason.WRONG_TOKEN);
    }

    /** Neither does a node stand for its site, nor a site for a node. */
    @Test
    void aNodesKeysAreNotASites() throws Exception {
        SiteCertificate node = authority.issueNode("here", "n1.example", 2, folder.resolve("n1"));
        assertThat(node.site()).isEmpty();
        assertThat(node.subject()).isEqualTo("here/n1.example");
        assertThat(NodeKeys.load(folder.resolve("n1")).name()).isEqualTo("n1.example");
        assertThatExceptionOfType(KeysException.class).isThrownBy(() -> SiteKeys.load(folder.resolve("n1")));
        assertThatExceptionOfType(KeysException.class).isThrownBy(() -> NodeKeys.load(folder.resolve("here")));
        assertThat(KeysFolder.read(folder.resolve("n1")).isGood(Instant.now())).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> authority.issueNode("here", "a/b", 2, folder.resolve("n2")));
    }

    private static final class AnyRelay extends X509ExtendedTrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
