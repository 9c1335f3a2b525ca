package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
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

/** Judges at three sites on three hosts, which are network namespaces, and a relay without a judge at a fourth: they reach each other over links alone. */
@Timeout(600)
class JudgesOverLinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> SITES = List.of("site-a", "site-b", "site-c", "site-d");

    @TempDir
    private Path folder;

    private Namespaces hosts;
    private final List<Command> relays = new ArrayList<>();

    @BeforeEach
    void build() throws Exception {
        assumeThat(Namespaces.areThere()).as("users may have network namespaces on this machine").isTrue();
        hosts = Namespaces.of(SITES.size());
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        for (String site : SITES) {
            authority.issue(site, 2, folder.resolve("keys-" + site));
        }
    }

    @AfterEach
    void close() {
        relays.forEach(Command::close);
        if (hosts != null) {
            hosts.close();
        }
    }

    @Tag("long")
    @Test
    void theSmallerSideOfACutChangesNothingAndTheLargerGoesOn() throws Exception {
        start(0, "--links", "0.0.0.0:7412");
        start(1, "--links", "10.77.1.2:7412", "--peer", "site-a=10.77.1.1:7412");
        start(2, "--links", "10.77.2.2:7412", "--peer", "site-a=10.77.2.1:7412", "--peer", "site-b=10.77.1.2:7412");
        start(3, "--peer", "site-a=10.77.3.1:7412", "--peer", "site-b=10.77.1.2:7412", "--peer", "site-c=10.77.2.2:7412");
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(names(3, "bind", "a/b", "k=1")).startsWith("a/b version 1"));
        assertThat(names(2, "lookup", "a/b")).startsWith("a/b version 1 k=1");
        hosts.cable(2, false);
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(names(3, "lookup", "a/b")).startsWith("a/b version 1 k=1"));
        assertThat(names(3, "swap", "a/b", "1", "k=2")).startsWith("a/b version 2");
        assertThat(names(2, "swap", "a/b", "1", "k=lost")).isEmpty();
        assertThat(names(2, "lookup", "a/b")).as("what was true before the cut is not told").isEmpty();
        hosts.cable(2, true);
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(names(2, "lookup", "a/b")).startsWith("a/b version 2 k=2"));
    }

    private String names(int host, String what, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("names", what, "--relay", "127.0.0.1:7411"));
        arguments.addAll(List.of(more));
        try (Command asked = Command.startBehind(folder, hosts.enter(host), List.of(), arguments.toArray(String[]::new))) {
            return asked.await().out();
        }
    }

    private void start(int host, String... more) throws Exception {
        String site = SITES.get(host);
        List<String> arguments = new ArrayList<>(List.of("relay", "--site", site, "--keys", folder.resolve("keys-" + site).toString(), "--data",
                folder.resolve("data-" + site).toString(), "--names", "raft", "--judges", "site-a,site-b,site-c"));
        arguments.addAll(List.of(more));
        Command relay = Command.startBehind(folder, hosts.enter(host), List.of(), arguments.toArray(String[]::new));
        relays.add(relay);
        await().atMost(PATIENCE).until(() -> !relay.out().isEmpty() || !relay.handle().isAlive());
        assertThat(relay.out()).as(relay.err()).isNotEmpty();
    }
}
