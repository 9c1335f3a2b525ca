package org.posthouse.relay.host;

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

    private static String addressOf(Vertx vertx) throws Exception {
        return ((VertxInternal) vertx).nameResolver().resolve("far-away").await(60, TimeUnit.SECONDS).getHostAddress();
    }
}
