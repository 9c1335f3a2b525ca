package org.posthouse.system;

import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;

/** A link to a relay whose host has several addresses, at the first of which nobody answers. Real processes, and a hosts file of their own. */
@Timeout(300)
class LinkAddressesTest {
    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void theNextAddressOfAPeersHostIsDialledWhereOneDoesNotAnswer() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        Path keysA = folder.resolve("a");
        Path keysB = folder.resolve("b");
        authority.issue("site-a", 2, keysA);
        authority.issue("site-b", 2, keysB);
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.9 far-away\n127.0.0.1 far-away\n");
        try (Relays b = Relays.start(folder, "site-b", "--keys", keysB.toString(), "--links", "127.0.0.1:0");
                Relays a = Relays.start(folder, List.of("-Djdk.net.hosts.file=" + hosts), "site-a", "--keys", keysA.toString(),
                        "--peer", "site-b=" + b.ready().links().replace("127.0.0.1", "far-away"))) {
            await().atMost(Duration.ofSeconds(60)).until(() -> a.get("/api/v1/relays").at("/relays/0/links/0/state").asText(), "UP"::equals);
        }
    }
}
