package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.ops.access.TestCertificates;
import org.posthouse.ops.access.TestUsers;

/** A console with a certificate: TLS alone, the cookie of TLS, and a certificate that is renewed while it runs. */
@Timeout(120)
class ConsoleOverTlsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private OpsFixture ops;
    private Certificate trusted;

    @BeforeEach
    void open() throws Exception {
        OpsConfig.Access access = new OpsConfig.Access(PeerTrust.NOBODY, Optional.empty(), false, ConsoleAudit.NONE)
                .users(Optional.of(TestUsers.in(folder)));
        ops = new OpsFixture(new OpsConfig("127.0.0.1", 0, List.of("grid.example"), access).tls(Optional.of(TestCertificates.make(folder, "EC", "-1d", 3))));
        trusted = certificate();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    private Certificate certificate() throws Exception {
        try (InputStream in = Files.newInputStream(folder.resolve("cert.pem"))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /** A connection that accepts one certificate, and no other. */
    private SSLSocket connect(String... protocols) throws Exception {
        KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
        known.load(null, null);
        known.setCertificateEntry("console", trusted);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(known);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), ops.server.port());
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        socket.startHandshake();
        return socket;
    }

    private String exchange(String host, String request, String body) throws Exception {
        try (SSLSocket socket = connect()) {
            String head =
                    request + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " + body.length();
            socket.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theSessionsCookieIsOfThisHostAndOfTls() throws Exception {
        String in = exchange("localhost", "POST /api/v1/login", "{\"name\":\"bob\",\"password\":\"" + TestUsers.PASSWORD + "\"}");
        assertThat(in).startsWith("HTTP/1.1 200")
                .containsPattern("(?i)set-cookie: __Host-posthouse-" + ops.server.port() + "=[\\w-]{43}; Path=/; Secure; HTTPOnly; SameSite=Strict");
    }

    /** Of a name that is every server's of the machine it must not be remembered. */
    @Test
    void browsersRememberTlsForNamesOfTheirOwn() throws Exception {
        assertThat(exchange("grid.example", "GET /healthz", "")).startsWith("HTTP/1.1 200").contains("Strict-Transport-Security: max-age=31536000");
        assertThat(exchange("localhost", "GET /healthz", "")).startsWith("HTTP/1.1 200").doesNotContain("Strict-Transport-Security");
    }

    @Test
    void plainHttpIsNotAnswered() throws Exception {
        try (Socket plain = ops.raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
            assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1)).doesNotContain("HTTP", "ok");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset"); // As good an end.
        }
    }

    @Test
    void speaksNewProtocolsOnly() throws Exception {
        for (String protocol : List.of("TLSv1.3", "TLSv1.2")) {
            try (SSLSocket socket = connect(protocol)) {
                assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
            }
        }
    }

    @Test
    void aRenewedCertificateIsUsedWithoutARestart() throws Exception {
        TestCertificates.make(folder, "EC", "-1d", 3);
        trusted = certificate();
        await().atMost(PATIENCE).ignoreExceptionsInstanceOf(SSLException.class)
                .until(() -> exchange("localhost", "GET /healthz", "").startsWith("HTTP/1.1 200"));
    }

    @Test
    void aCertificateThatGoesBadIsNotUsed() throws Exception {
        Files.writeString(folder.resolve("cert.pem"), "nonsense");
        await().during(Duration.ofMillis(3L * OpsVerticle.CERTIFICATE_TICKS * OpsFixture.BEAT_MS)).atMost(PATIENCE)
                .until(() -> exchange("localhost", "GET /healthz", "").startsWith("HTTP/1.1 200"));
    }
}
