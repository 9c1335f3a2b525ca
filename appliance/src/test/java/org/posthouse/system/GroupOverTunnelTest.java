package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.tunnel.forward.LoopbackAddress;

/**
 * Three sites on three hosts, which are network namespaces: each relay's group member listens on its host's loopback, so that it can be reached from
 * there and nowhere else. What members say to each other goes over the links, or not at all.
 */
@Timeout(900)
@Tag("long")
class GroupOverTunnelTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> SITES = List.of("site-a", "site-b", "site-c");
    private static final int LINK_PORT = 7412;
    private static final int CONNECTIONS = 14;

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

    @Test
    void membersOfThreeSitesMeetOverLinksOnlyAndACutDoesNotPartThem() throws Exception {
        start(0, "--links", "0.0.0.0:" + LINK_PORT);
        start(1, "--peer", "site-a=10.77.1.1:" + LINK_PORT, "--links", "10.77.1.2:" + LINK_PORT);
        start(2, "--peer", "site-a=10.77.2.1:" + LINK_PORT, "--peer", "site-b=10.77.1.2:" + LINK_PORT);
        for (int host = 0; host < SITES.size(); host++) {
            awaitKnown(host, SITES);
        }
        for (int host = 0; host < SITES.size(); host++) {
            nothingButLinksLeavesTheHost(host, SITES.size());
        }
        aCutDoesNotPartThem();
        aRelayThatDialsNobodyLeavesAndComesBack();
    }

    /** The address of the other site's member, at which its packets would be that member's own relay's. */
    @Test
    void otherUserCannotReachMemberOfAnotherSite() throws Exception {
        assumeThat(Stranger.canBe()).as("only root can be another user").isTrue();
        start(0, "--links", "0.0.0.0:" + LINK_PORT);
        start(1, "--peer", "site-a=10.77.1.1:" + LINK_PORT);
        awaitKnown(0, List.of("site-a", "site-b"));
        awaitKnown(1, List.of("site-a", "site-b"));
        nothingButLinksLeavesTheHost(0, 2);
        nothingButLinksLeavesTheHost(1, 2);
        String far = LoopbackAddress.of("site-b") + ":7414";
        long opened = opened(0);
        List<String> another = hosts.enterNetwork(0, Stranger.first());
        assertThat(Stranger.says(another, far, CONNECTIONS, GroupPortAttackTest.longPacket())).isEqualTo(GroupPortAttackTest.refused(CONNECTIONS));
        assertThat(opened(0)).as("nothing of it went over the link").isEqualTo(opened);
        assertThat(relays.get(0).err()).contains("refused").contains("site-b/group");
        assertThat(Stranger.says(hosts.enterNetwork(0, List.of()), far, CONNECTIONS, GroupPortAttackTest.longPacket()))
                .as("its user's own connections go over, and prove nothing there")
                .isEqualTo(GroupPortAttackTest.refused(CONNECTIONS));
        assertThat(relays.get(1).err()).contains("group: refused", "NO_HANDSHAKE").doesNotContain("OutOfMemory");
        awaitKnown(0, List.of("site-a", "site-b"));
        awaitKnown(1, List.of("site-a", "site-b"));
    }

    /** It leaves over its links before they go, and when it is back the others find it: it knows of nobody. */
    private void aRelayThatDialsNobodyLeavesAndComesBack() throws Exception {
        Command first = relays.getFirst();
        first.handle().destroy();
        assertThat(first.await().err()).doesNotContain("not done in");
        awaitKnown(1, List.of("site-b", "site-c"));
        start(0, "--links", "0.0.0.0:" + LINK_PORT);
        for (int host = 0; host < SITES.size(); host++) {
            awaitKnown(host, SITES);
        }
    }

    private void aCutDoesNotPartThem() throws Exception {
        long opened = opened(0);
        hosts.cable(1, false);
        look().during(Duration.ofSeconds(10)).atMost(Duration.ofSeconds(60)).until(() -> known(0).contains("site-b") && known(1).contains("site-a"));
        hosts.cable(1, true);
        look().atMost(PATIENCE).until(() -> state(1, "site-a").equals("UP"));
        awaitKnown(0, SITES);
        awaitKnown(1, SITES);
        assertThat(opened(0)).as("the streams of before go on").isEqualTo(opened);
    }

    /** Members listen on loopback, and no connection of this host but those of links has an end elsewhere. */
    private void nothingButLinksLeavesTheHost(int host, int sites) throws Exception {
        Set<String> listening = new TreeSet<>();
        for (String line : hosts.run(host, "ss", "-Htln").lines().toList()) {
            listening.add(line.trim().split(" +")[3].replace("[::ffff:", "").replace("]", ""));
        }
        assertThat(listening).containsAll(SITES.stream().limit(sites).map(site -> LoopbackAddress.of(site) + ":7414").toList());
        assertThat(listening).filteredOn(at -> !at.startsWith("127.") && !at.endsWith(":" + LINK_PORT)).isEmpty();
        for (String line : hosts.run(host, "ss", "-Htn", "state", "established").lines().toList()) {
            String[] ends = line.replace("[::ffff:", "").replace("]", "").trim().split(" +");
            assertThat(ends[2].startsWith("127.") || ends[2].endsWith(":" + LINK_PORT) || ends[3].endsWith(":" + LINK_PORT))
                    .as("a connection of %s: %s", SITES.get(host), line)
                    .isTrue();
        }
    }

    private void start(int host, String... more) throws Exception {
        String site = SITES.get(host);
        List<String> arguments = new ArrayList<>(List.of(
                "relay", "--site", site, "--keys", folder.resolve("keys-" + site).toString(), "--tunnel-group"));
        arguments.addAll(List.of(more));
        Command relay = Command.startBehind(folder, hosts.enter(host), List.of(), arguments.toArray(String[]::new));
        relays.add(relay);
        await().atMost(PATIENCE).until(() -> !relay.out().isEmpty() || !relay.handle().isAlive());
        assertThat(relay.out()).as(relay.err()).isNotEmpty();
    }

    /** A look starts two processes. */
    private static ConditionFactory look() {
        return await().pollInterval(Duration.ofMillis(500));
    }

    private void awaitKnown(int host, List<String> sites) {
        look().atMost(PATIENCE).untilAsserted(() -> assertThat(known(host)).as("known to %s", SITES.get(host)).containsExactlyElementsOf(sites));
    }

    /** The relays that this one hears from. */
    private List<String> known(int host) throws Exception {
        List<String> known = new ArrayList<>();
        relay(host).path("directory").forEach(entry -> {
            if (entry.path("alive").asBoolean()) {
                known.add(entry.path("relay").asText());
            }
        });
        return known;
    }

    private String state(int host, String peer) throws Exception {
        for (JsonNode link : relay(host).path("links")) {
            if (link.path("peerRelay").asText().equals(peer)) {
                return link.path("state").asText();
            }
        }
        return "";
    }

    private long opened(int host) throws Exception {
        return relay(host).at("/streams/opened").asLong();
    }

    private JsonNode relay(int host) throws Exception {
        return new ObjectMapper().readTree(hosts.run(host, "curl", "-s", "http://127.0.0.1:7413/api/v1/relays")).at("/relays/0");
    }
}
