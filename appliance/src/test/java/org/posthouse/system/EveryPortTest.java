package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.launch.install.Installation;
import org.posthouse.system.ListeningSockets.Listening;
import org.posthouse.system.jobs.Waits;
import org.posthouse.tunnel.forward.LoopbackAddress;

/**
 * Strangers at every port that any role opens, as the system lists them: random bytes, mutated and cut openings, lengths that cannot be, connections that say
 * nothing or too slowly; half of them of another user. Whoever listens lives, in a small heap, and the next job verifies. A port that this test does not know
 * fails it: whoever opens one says here whose it is. {@code -Dposthouse.ports.connections=3000} is the long form.
 */
@Tag("long")
@Timeout(3_600)
class EveryPortTest {
    private static final int CONNECTIONS = Integer.getInteger("posthouse.ports.connections", 100);
    private static final long SEED = Long.getLong("posthouse.seed", 49);
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final int NOBODY = 65_534;

    /** What a relay in use needs and some; whoever believes a stranger's length needs more. */
    private static final List<String> SMALL = List.of("-Xmx160m", "-XX:MaxDirectMemorySize=96m", "-XX:+ExitOnOutOfMemoryError");

    @TempDir
    private Path folder;

    @Test
    void strangersAtEveryPortHarmNobody() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")), "this system lists its sockets in /proc");
        Path go = folder.resolve("go");
        int group = Relays.freePort();
        int via = Relays.freePort();
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.start();
        try (Relays b = relay("site-b", "--tunnel-group=" + group, "--forward", "web=127.0.0.1:" + web.getAddress().getPort());
                Relays a = relay("site-a", "--tunnel-group=" + group, "--peer", "site-b=" + b.ready().links(), "--via", "site-b/web=127.0.0.1:" + via);
                Relays alone = relay("site-c");
                Command embedded = Command.start(
                        folder, "run", "-n", "2", "--sites", "2", "-cp", Jobs.classPath(), Waits.class.getName(), go.toString())) {
            await().atMost(PATIENCE).until(() -> a.get("/api/v1/relays").at("/relays/0/links/0/state").asText().equals("UP"));
            await().atMost(PATIENCE).until(() -> embedded.out().contains("waits"));
            Map<String, String> known = known(List.of(a, b, alone), group, via);
            List<Long> pids = Command.processes(folder);
            List<Listening> listening = ListeningSockets.of(pids);
            assertThat(listening.stream().map(Listening::text)).as("ports that are expected").containsAll(known.keySet());
            assertThat(listening.stream().filter(each -> each.pid() != embedded.handle().pid() && !isUnixSocketOf(List.of(a, b, alone), each))
                    .map(Listening::text))
                    .as("ports whose protocol this test knows").isSubsetOf(known.keySet());
            List<SocketAddress> ports = listening.stream().map(Listening::address).distinct().toList();
            assertThat(ports).as("the embedded run's, too").hasSizeGreaterThan(known.size());
            pour(ports);
            for (Relays relay : List.of(a, b, alone)) {
                assertThat(relay.command().handle().isAlive()).as(relay.ready().relay() + ": " + relay.command().out() + relay.err()).isTrue();
                assertThat(relay.err()).doesNotContain("OutOfMemoryError").doesNotContain("cannot be handled");
            }
            Files.createFile(go);
            Command.Result waited = embedded.await();
            assertThat(waited.status()).as(waited.err()).isZero();
            Command.Result done = Command.run(
                    folder, "run", "-n", "4", "--relay", a.ranks(), "--relay", b.ranks(), "--durability", "process", "example:ring", "50", "10000");
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            Jobs.assertRunsARing(alone);
        } finally {
            web.stop(0);
        }
    }

    /** The Unix socket for ranks and launchers of the host is named after the port that it stands beside. */
    private static boolean isUnixSocketOf(List<Relays> relays, Listening socket) {
        return socket.address() instanceof UnixDomainSocketAddress unix
                && relays.stream().anyMatch(relay -> unix.getPath().getFileName().toString().endsWith("-" + relay.ranks().replace(':', '-')));
    }

    private static Map<String, String> known(List<Relays> relays, int group, int via) throws Exception {
        Map<String, String> known = new LinkedHashMap<>();
        for (Relays relay : relays) {
            known.put(relay.ranks(), "ranks and launchers");
            known.put(relay.ready().links(), "links");
            known.put(relay.ready().console(), "console");
        }
        known.put(relays.getLast().group(), "group member");
        for (String site : List.of("site-a", "site-b")) {
            known.put(LoopbackAddress.of(site) + ":" + group, "group member, its own or that of a linked relay");
        }
        known.put("127.0.0.1:" + via, "door of a linked relay");
        return known;
    }

    private void pour(List<SocketAddress> ports) throws Exception {
        StrangeConnections own = new StrangeConnections(SEED);
        Process other = startAsNobody(ports);
        for (SocketAddress port : ports) {
            own.pour(port, other == null ? CONNECTIONS : CONNECTIONS - CONNECTIONS / 2);
        }
        assertThat(own.made()).isPositive();
        if (other != null) {
            assertThat(other.waitFor(1, TimeUnit.HOURS)).isTrue();
            assertThat(other.exitValue()).as(Files.readString(folder.resolve("nobody"))).isZero();
        }
    }

    /** Null where this process may not become another user's. */
    private Process startAsNobody(List<SocketAddress> ports) throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/setpriv")) || (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") != 0) {
            System.err.println("EveryPortTest: no connections of another user: not root, or no setpriv");
            return null;
        }
        List<String> command = new ArrayList<>(List.of(
                "setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", Installation.java().toString(), "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"), StrangeConnections.class.getName(), Long.toString(SEED + 1), Integer.toString(CONNECTIONS / 2)));
        ports.forEach(port -> command.add(new Listening(0, port).text()));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve("nobody").toFile()).start();
    }

    private Relays relay(String site, String... more) throws Exception {
        Path authority = folder.resolve("authority");
        GridAuthority grid = authority.toFile().exists() ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data-" + site).toString()));
        options.addAll(List.of(more));
        return Relays.start(folder, SMALL, site, options.toArray(String[]::new));
    }
}
