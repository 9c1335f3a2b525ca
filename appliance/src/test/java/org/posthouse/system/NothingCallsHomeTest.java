package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Relays with all that they may have, their consoles, an agent and jobs, on a host whose only cable leads to a router that counts: no connection and no
 * look-up outside is tried, not even the question for a neighbour's address. The host's route to everywhere is this cable, and its name servers are behind it.
 */
@Timeout(600)
class NothingCallsHomeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern SENT = Pattern.compile("(?m)^\\s*cable:\\s*(?:\\d+\\s+){9}(\\d+)");

    @TempDir
    private Path folder;

    /** Packets that have left the host. */
    private static long sent(Namespaces hosts) throws Exception {
        Matcher line = SENT.matcher(hosts.run(1, "cat", "/proc/net/dev"));
        assertThat(line.find()).isTrue();
        return Long.parseLong(line.group(1));
    }

    @Tag("long")
    @Test
    void noPacketLeavesTheHost() throws Exception {
        assumeTrue(Namespaces.areThere(), "no network namespaces here: what leaves the host cannot be counted");
        try (Namespaces hosts = Namespaces.of(2); CheckoutFolder host = new CheckoutFolder(folder, hosts.enter(1))) {
            // IPv6 speaks of itself on a cable.
            hosts.must(1, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && ip route add default via 10.77.1.1");
            long before = sent(hosts);
            succeeds(host, "./posthouse init --yes");
            host.startAside("posthouse-grid/site-a/relay");
            host.startAside("posthouse-grid/site-b/relay");
            await().atMost(PATIENCE).until(() -> host.run("./posthouse status").text().contains("site-b is UP"));
            host.startAside("./posthouse agent --relay 127.0.0.1:7411 --token-file posthouse-grid/site-a/token --slots 4");
            String relays = "--relay 127.0.0.1:7411 --relay 127.0.0.1:7421 --token-file posthouse-grid/site-a/token";
            await().atMost(PATIENCE).until(() -> host.run("./posthouse nodes " + relays).text().contains("site-a"));
            succeeds(host, "./posthouse run -n 4 " + relays + " --durability process example:heat");
            succeeds(host, "./posthouse run -n 2 --sites 2 --durability process example:pi");
            for (String page : List.of("/", "/metrics", "/api/v1/relays", "/api/v1/jobs", "/openapi.json")) {
                succeeds(host, "curl -sSf -o /dev/null http://127.0.0.1:7413" + page);
            }
            assertThat(host.allRun()).as(host.terminals()).isTrue();
            host.stop();
            assertThat(sent(hosts)).as("packets that left the host").isEqualTo(before);
            host.run("timeout 2 bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'");
            assertThat(sent(hosts)).as("with one attempt to connect").isGreaterThan(before);
        }
    }

    private static void succeeds(CheckoutFolder host, String command) throws Exception {
        CheckoutFolder.Result result = host.run(command);
        assertThat(result.status()).as(command + "\n" + result.text() + host.terminals()).isZero();
    }
}
