package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.wire.Token;

/**
 * Two relays on two hosts, which are network namespaces, and between them a router that takes no packet of more than 1,300 bytes and tells nobody: its ends of
 * the cables are set so when a job runs, as its hosts' ends are not. The link says what it looks like, and the job ends right when it is mended.
 */
@Tag("long")
@Timeout(900)
class MtuBlackHoleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final int A = 1;
    private static final int B = 2;

    @TempDir
    private Path folder;

    private Namespaces hosts;
    private final List<Command> relays = new ArrayList<>();

    @BeforeEach
    void build() throws Exception {
        assumeThat(Namespaces.areThere()).as("users may have network namespaces on this machine").isTrue();
        hosts = Namespaces.of(3);
        for (int host : List.of(A, B)) {
            // Each packet by itself: a network card that cuts large ones is past the place where veth looks.
            hosts.must(host, "ip", "link", "set", "dev", "cable", "gso_max_segs", "1");
        }
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys-site-a"));
        authority.issue("site-b", 2, folder.resolve("keys-site-b"));
        Files.createFile(token(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token(), Token.random().hex());
    }

    @AfterEach
    void close() {
        relays.forEach(Command::close);
        if (hosts != null) {
            hosts.close();
        }
    }

    @Test
    void isNamedAndTheJobEndsRightWhenItIsMended() throws Exception {
        start(B, "site-b", "--links", "10.77.2.2:7412", "--forward", "ranks=127.0.0.1:7411");
        start(A, "site-a", "--peer", "site-b=10.77.2.2:7412", "--via", "site-b/ranks=127.0.0.1:7421");
        await().atMost(PATIENCE).until(() -> link(A).path("state").asText().equals("UP"));
        try (Command job = Command.startBehind(
                folder, hosts.enter(A), List.of(), "run", "-n", "2", "--relay", "127.0.0.1:7411", "--relay", "127.0.0.1:7421", "--durability", "process",
                "--token-file", token().toString(), "example:ring", "4000", "20000")) {
            await().atMost(PATIENCE).until(() -> link(A).path("messagesOut").asLong() > 200);
            mtu(1_300);
            await().atMost(PATIENCE).until(() -> link(A).path("held").asText().contains("small packets pass and large ones seem to be lost"));
            String status = hosts.run(A, "curl", "-s", "http://127.0.0.1:7413/api/v1/relays");
            assertThat(status).contains("tcp_mtu_probing=1");
            assertThat(job.handle().isAlive()).as(job.err()).isTrue();
            mtu(1_500);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).doesNotContain("restarted").doesNotContain("DIVERGED");
            await().atMost(PATIENCE).until(() -> link(A).path("held").asText().isEmpty());
        }
    }

    /** Launchers come to the other site's relay through a door, which proves nothing of them. */
    private Path token() {
        return folder.resolve("token");
    }

    private void mtu(int bytes) throws Exception {
        for (int host : List.of(A, B)) {
            hosts.must(0, "ip", "link", "set", "dev", "to" + host, "mtu", Integer.toString(bytes));
        }
    }

    private JsonNode link(int host) throws Exception {
        String answer = hosts.run(host, "curl", "-s", "http://127.0.0.1:7413/api/v1/relays");
        return new ObjectMapper().readTree(answer.isBlank() ? "{}" : answer).at("/relays/0/links/0");
    }

    private void start(int host, String site, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "relay", "--json", "--site", site, "--keys", folder.resolve("keys-" + site).toString(), "--data", folder.resolve("data-" + site).toString(),
                "--token-file", token().toString()));
        words.addAll(List.of(more));
        Command relay = Command.startBehind(folder, hosts.enter(host), List.of(), words.toArray(String[]::new));
        relays.add(relay);
        await().atMost(PATIENCE).until(() -> !relay.out().isEmpty() || !relay.handle().isAlive());
        assertThat(relay.out()).as(relay.err()).isNotEmpty();
    }
}
