package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;

/** Relays on a host where there is no native TLS (ADR 32). Real processes, in which Netty is told that there is none. */
@Timeout(900)
class NoNativeTlsTest {
    private static final List<String> WITHOUT = List.of("-Dio.netty.handler.ssl.noOpenSsl=true");
    private static final String NOT_HERE = "native TLS, which is not to be had on this host: OpenSSL was explicit disabled";

    @TempDir
    private Path folder;

    private Path keysA;
    private Path keysB;

    @BeforeEach
    void issueKeys() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        keysA = folder.resolve("a");
        keysB = folder.resolve("b");
        authority.issue("site-a", 2, keysA);
        authority.issue("site-b", 2, keysB);
    }

    @Test
    void refusesToStartWithNativeTlsOption() throws Exception {
        try (Command relay = Command.start(
                folder, WITHOUT, "relay", "--site", "site-a", "--keys", keysA.toString(), "--links", "127.0.0.1:0", "--tls", "native")) {
            Command.Result result = relay.await();
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains(NOT_HERE);
            assertThat(result.out()).isEmpty();
        }
    }

    @Tag("long")
    @Test
    void linksWithTheJdksAndSaysSo() throws Exception {
        try (Relays b = Relays.start(folder, "site-b", "--keys", keysB.toString(), "--links", "127.0.0.1:0");
                Relays a = Relays.start(folder, WITHOUT, "site-a", "--keys", keysA.toString(), "--peer", "site-b=" + b.ready().links())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                JsonNode link = a.get("/api/v1/relays").at("/relays/0/links/0");
                return link.path("state").asText().equals("UP");
            });
            assertThat(a.err().lines().filter(line -> line.contains("TLS")))
                    .singleElement()
                    .asString()
                    .contains("WARN")
                    .contains("relay site-a: links use the JDK's TLS: the native one is not to be had on this host: ")
                    .doesNotContain("Exception");
            assertThat(b.err()).doesNotContain("the JDK's TLS");
        }
    }
}
