package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;

/** Agents with a relay of their node, behind the site's relay as gateway (ADR 83). All of it in real processes. */
@Timeout(900)
class NodeRelayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private int group;

    @BeforeEach
    void keys() throws Exception {
        GridAuthority.init(folder.resolve("authority"), 2).issue("site-a", 2, folder.resolve("keys"));
        group = Relays.freePort();
    }

    private Relays gateway() throws Exception {
        return Relays.start(
                folder, "site-a", "--keys", folder.resolve("keys").toString(), "--links", "127.0.0.1:0", "--tunnel-group=" + group, "--data",
                folder.resolve("data").toString());
    }

    private Command agent(Relays gateway, String name) throws Exception {
        Command agent = Command.start(
                folder, "agent", "--with-relay", "--peer", "site-a=" + gateway.ready().links(), "--relay-keys", folder.resolve("keys").toString(),
                "--relay-listen", "127.0.0.1:" + Relays.freePort(), "--relay-group", Integer.toString(group), "--name", name, "--host-id", name, "--slots",
                "2", "--dir", folder.resolve(name).toString());
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agent.err() + agent.out()).contains("connected to the relay"));
        return agent;
    }

    private static List<String> known(Relays gateway) throws Exception {
        List<String> relays = new ArrayList<>();
        for (JsonNode relay : gateway.get("/api/v1/relays").at("/relays/0/directory")) {
            if (relay.path("alive").asBoolean()) {
                relays.add(relay.path("relay").asText());
            }
        }
        return relays;
    }

    @Tag("long")
    @Test
    void ranksAreAtHomeAtTheRelayOfTheirNodeAndItEndsWithTheAgent() throws Exception {
        try (Relays gateway = gateway(); Command one = agent(gateway, "one"); Command two = agent(gateway, "Two.local")) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(known(gateway)).contains("site-a", "site-a/one", "site-a/two-local"));
            long before = gateway.delivered();
            Command.Result done = Command.run(
                    folder, "run", "-n", "4", "--relay", gateway.ranks(), "--durability", "process", "example:ring", "50", "1024");
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).contains("4 ranks on 2 nodes (2 hosts) of 1 sites");
            assertThat(gateway.delivered()).as("no rank is at home at the gateway").isEqualTo(before);
            assertThat(folder.resolve("one").resolve("relay")).isDirectory();
            List<ProcessHandle> processes = one.handle().descendants().toList();
            assertThat(processes).isNotEmpty();
            one.handle().destroyForcibly();
            await().atMost(PATIENCE).until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
            assertThat(two.handle().isAlive()).isTrue();
        }
    }

    /** Its ranks wait for it, as for any relay that comes back with its log. */
    @Tag("long")
    @Test
    void aKilledRelayOfANodeIsStartedAgainWhereItWas() throws Exception {
        try (Relays gateway = gateway(); Command one = agent(gateway, "one")) {
            ProcessHandle relay = one.handle().children().findFirst().orElseThrow();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(known(gateway)).contains("site-a/one"));
            try (Command job = Command.start(
                    folder, "run", "-n", "2", "--relay", gateway.ranks(), "--durability", "process", "example:ring", "20000", "1024")) {
                await().atMost(PATIENCE).until(() -> one.handle().children().count() == 3 || !job.handle().isAlive());
                relay.destroyForcibly();
                Command.Result done = job.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
                assertThat(done.err()).contains("site-a/one");
                assertThat(one.err()).contains("relay site-a/one of this node has ended and is started again");
            }
        }
    }

    @Tag("long")
    @Test
    void saysWhichOptionsDoNotFit() throws Exception {
        assertRefused("an agent has one relay", "agent", "--with-relay", "--relay", "127.0.0.1:1");
        assertRefused("--relay HOST:PORT names the site's relay, or --with-relay starts one", "agent");
        assertRefused("--with-relay needs --relay-keys DIR, and --peer", "agent", "--with-relay");
        assertRefused("are for --with-relay", "agent", "--relay", "127.0.0.1:1", "--peer", "site-a=127.0.0.1:1");
        assertRefused("needs the token in a file", "agent", "--with-relay", "--peer", "site-a=h:1", "--relay-keys", "k", "--detach");
    }

    @Test
    void saysWhyTheRelayOfANodeCannotBeStarted() throws Exception {
        Command.Result noKeys = Command.run(folder, "agent", "--with-relay", "--peer", "site-a=127.0.0.1:1", "--relay-keys", "none");
        assertThat(noKeys.status()).isEqualTo(1);
        assertThat(noKeys.err().lines()).singleElement().asString().contains("none");
        Path own = folder.resolve("own");
        Command.Result taken = Command.run(
                folder, "agent", "--with-relay", "--peer", "site-a=127.0.0.1:1", "--relay-keys", folder.resolve("keys").toString(), "--relay-listen",
                "203.0.113.1:7411", "--name", "one", "--dir", own.toString());
        assertThat(taken.status()).isEqualTo(1);
        assertThat(taken.err()).contains("the node's relay cannot be started: a relay ended before it served: ", "--token-file");
        assertThat(Files.readString(own.resolve("relay.log"))).contains("--token-file");
    }

    private void assertRefused(String message, String... arguments) throws Exception {
        Command.Result refused = Command.run(folder, arguments);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains(message);
    }
}
