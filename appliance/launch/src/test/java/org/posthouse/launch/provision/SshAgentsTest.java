package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.testkit.SshHosts;
import org.posthouse.wire.Token;

/**
 * The system's ssh and a real sshd with keys of the test. Each ssh starts an sshd for its one connection, so that no port is
 * needed. Skipped where there is no sshd, or none that this user may run.
 */
class SshAgentsTest {
    private static final Token TOKEN = new Token(1, 2);

    /** Two shells would each make another word of it. */
    private static final String AWKWARD = "rack='a'  \"1\" $HOME; `id` \\";

    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final List<HostLost> lost = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private CommandProvisioner provisioner;

    @BeforeEach
    void keys() throws Exception {
        String missing = SshHosts.missing(folder);
        assumeTrue(missing.isEmpty(), missing);
        Files.writeString(folder.resolve("agent"), """
                read token
                echo "$token" > "$1.token"
                printf %s "$2" > "$1.label"
                echo $$ > "$1.pid"
                cat > /dev/null
                echo end > "$1.end"
                """);
        provisioner = provisioner(SshHosts.template(folder));
    }

    private CommandProvisioner provisioner(String template) throws Exception {
        HostSlots n1 = new HostSlots("n1", OptionalInt.empty(), OptionalInt.empty(), Optional.empty());
        HostSlots n2 = new HostSlots("n2", OptionalInt.empty(), OptionalInt.empty(), Optional.empty());
        CommandProvisioner provisioner = CommandProvisioner.of(
                template, List.of(n1, n2), host -> List.of("sh", folder + "/agent", folder + "/" + host.host(), AWKWARD), TOKEN, shown::add);
        provisioner.listen(lost::add);
        return provisioner;
    }

    @AfterEach
    void close() {
        if (provisioner != null) {
            provisioner.close();
        }
    }

    private ProcessHandle agent(String host) throws IOException {
        Path file = folder.resolve(host + ".pid");
        await().until(() -> Files.exists(file) && !Files.readString(file).isBlank());
        return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
    }

    @Test
    void agentsGetTheirWordsAndTheTokenAndEndWithTheirGrant() throws Exception {
        HostGrant grant = provisioner.request(HostRequest.ALL);
        List<ProcessHandle> agents = List.of(agent("n1"), agent("n2"));
        assertThat(folder.resolve("n1.token")).content().isEqualTo(TOKEN.hex() + "\n");
        assertThat(folder.resolve("n2.label")).content().isEqualTo(AWKWARD);
        provisioner.release(grant);
        await().until(() -> agents.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(folder.resolve("n1.end")).exists();
        assertThat(lost).isEmpty();
    }

    @Test
    void agentEndsWhenItsSshIsKilled() throws Exception {
        provisioner.request(new HostRequest(1, 0));
        ProcessHandle agent = agent("n1");
        ProcessHandle.of(provisioner.pids().getFirst()).orElseThrow().destroyForcibly();
        await().until(() -> !lost.isEmpty() && !agent.isAlive());
        assertThat(lost.getFirst().status()).isEqualTo(137);
    }

    @Test
    void hostThatSshRefusesIsToldInItsWords() throws Exception {
        Files.writeString(folder.resolve("known"), "other " + Files.readString(folder.resolve("host.pub")));
        HostGrant grant = provisioner.request(new HostRequest(1, 0));
        await().until(() -> !lost.isEmpty());
        assertThat(lost.getFirst()).extracting(HostLost::grant, HostLost::host, HostLost::status, HostLost::lastLine)
                .containsExactly(grant.number(), "n1", 255, "Host key verification failed.");
    }
}
