package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;

/**
 * A relay with the grid's keys, and ranks, agents and launchers on other hosts, which are network namespaces: all that they say is TLS, because the relay
 * takes nothing else from them.
 */
@Timeout(900)
class TlsRanksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PORT = 7411;
    private static final int HOSTS = 4;
    private static final int LAUNCHER = 3;

    @TempDir
    private Path folder;

    private GridAuthority authority;
    private Path token;
    private Namespaces hosts;
    private final List<Command> started = new ArrayList<>();

    @BeforeEach
    void build() throws Exception {
        assumeThat(Namespaces.areThere()).as("users may have network namespaces on this machine").isTrue();
        hosts = Namespaces.of(HOSTS);
        authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys"));
        token = Files.createFile(folder.resolve("token"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "00112233445566778899aabbccddeeff\n");
    }

    @AfterEach
    void close() {
        started.forEach(Command::close);
        if (hosts != null) {
            hosts.close();
        }
    }

    private Command start(int host, List<String> arguments, String... more) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(more));
        Command command = Command.startBehind(folder, hosts.enter(host), List.of(), all.toArray(String[]::new));
        started.add(command);
        return command;
    }

    private Command relay(String... more) throws IOException {
        Command relay = start(
                0,
                List.of("relay", "--site", "site-a", "--listen", "0.0.0.0:" + PORT, "--ops", "127.0.0.1:0", "--token-file", token.toString(), "--data",
                        folder.resolve("data").toString()),
                more);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(relay.out() + relay.err()).contains("0.0.0.0:" + PORT));
        return relay;
    }

    private Command agent(int host, int slots) throws IOException {
        return agent(host, slots, "--name", "n" + host, "--token-file", token.toString());
    }

    private Command agent(int host, int slots, String... identity) throws IOException {
        String name = "n" + host;
        Command agent = start(
                host,
                List.of("agent", "--relay", "10.77." + host + ".1:" + PORT, "--host-id", name, "--slots", Integer.toString(slots), "--dir",
                        folder.resolve(name).toString()),
                identity);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agent.err() + agent.out()).contains("connected to the relay"));
        return agent;
    }

    private Command run(String... arguments) throws IOException {
        return start(
                LAUNCHER, List.of("run", "--relay", "10.77." + LAUNCHER + ".1:" + PORT, "--token-file", token.toString()), arguments);
    }

    private static void assertSucceeds(Command job) throws InterruptedException {
        Command.Result done = job.await();
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
    }

    /** Messages of 1 MiB, which go in chunks. */
    @Tag("long")
    @Test
    void ranksOfOtherHostsSendLargeMessages() throws Exception {
        relay("--keys", folder.resolve("keys").toString());
        agent(1, 2);
        agent(2, 2);
        assertSucceeds(run("-n", "4", "example:ring", "20", "1048576"));
    }

    /** The token stays with the launcher. */
    @Test
    void agentsProveThemselvesByCertificate() throws Exception {
        authority.issueNode("site-a", "first", 2, folder.resolve("first"));
        authority.issueNode("site-a", "second", 2, folder.resolve("second"));
        relay("--keys", folder.resolve("keys").toString());
        agent(1, 2, "--keys", folder.resolve("first").toString());
        agent(2, 2, "--keys", folder.resolve("second").toString());
        Command job = run("-n", "4", "--nodes", "always", "example:ring", "20", "1024");
        assertSucceeds(job);
        assertThat(job.err()).contains("4 ranks on 2 nodes (2 hosts) of 1 sites");
    }

    /** The relay of the killed agent's ranks replays them on the node that is left, over TLS as well. */
    @Test
    @Tag("long")
    void ranksOfAKilledAgentGoOnElsewhere() throws Exception {
        relay("--keys", folder.resolve("keys").toString());
        Command one = agent(1, 4);
        agent(2, 4);
        Command job = run("-n", "4", "--node-timeout", "2", "--durability", "process", "example:ring", "6000", "1024");
        await().atMost(PATIENCE).until(() -> Jobs.ranks(one.handle()).size() == 2 && job.out().contains("round"));
        one.handle().destroyForcibly();
        assertSucceeds(job);
    }

    /** Ranks, the agents and the launcher come back over TLS to a relay that was killed. */
    @Test
    @Tag("long")
    void allComeBackToARelayThatIsStartedAgain() throws Exception {
        Command relay = relay("--keys", folder.resolve("keys").toString());
        Command one = agent(1, 2);
        agent(2, 2);
        Command job = run("-n", "4", "--durability", "process", "example:ring", "6000", "1024");
        await().atMost(PATIENCE).until(() -> Jobs.ranks(one.handle()).size() == 2);
        relay.close();
        relay("--keys", folder.resolve("keys").toString());
        assertSucceeds(job);
    }

    @Tag("long")
    @Test
    void relayWithoutKeysIsReachedPlainly() throws Exception {
        relay();
        agent(1, 2);
        assertSucceeds(run("-n", "2", "example:ring", "5", "100"));
    }
}
