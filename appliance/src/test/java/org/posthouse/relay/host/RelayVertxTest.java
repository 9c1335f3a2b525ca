package org.posthouse.relay.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RelayVertxTest {
    @TempDir
    private Path folder;

    @Test
    void resolvesHostToItsNewAddressAfterHostsFileChange() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.5 far-away\n");
        VertxOptions options = RelayVertx.options();
        options.getAddressResolverOptions().setHostsPath(hosts.toString());
        Vertx vertx = Vertx.vertx(options);
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> addressOf(vertx), "127.0.0.5"::equals);
            Files.writeString(hosts, "127.0.0.6 far-away\n");
            await().atMost(Duration.ofSeconds(60)).until(() -> addressOf(vertx), "127.0.0.6"::equals);
        } finally {
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }

    /** Netty has public ones for this case. */
    @Test
    void asksNoPublicNameServerWhereTheSystemHasNone() throws Exception {
        Path none = Files.writeString(folder.resolve("resolv.conf"), "# none\nsearch example.org\n");
        assertThat(RelayVertx.options(none).getAddressResolverOptions().getServers()).containsExactly("127.0.0.1");
        assertThat(RelayVertx.options(folder.resolve("missing")).getAddressResolverOptions().getServers()).containsExactly("127.0.0.1");
        Path one = Files.writeString(folder.resolve("one.conf"), "nameserver 10.0.0.1\n");
        assertThat(RelayVertx.options(one).getAddressResolverOptions().getServers()).isNull();
    }

    private static String addressOf(Vertx vertx) throws Exception {
        return ((VertxInternal) vertx).nameResolver().resolve("far-away").await(60, TimeUnit.SECONDS).getHostAddress();
    }
}
