package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;

/** Who connects to the port of a relay's group member, and is no member: relays with the heap that they are shipped with. */
@Timeout(900)
class GroupPortAttackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> THIS_USER = List.of();
    private static final List<String> HEAP = List.of("-Xmx1g", "-XX:MaxDirectMemorySize=1g", "-XX:+ExitOnOutOfMemoryError");

    /** As many packets of this length as a heap of 1 GiB cannot hold. */
    private static final int CONNECTIONS = 14;

    private static final int PACKET_BYTES = 100_000_000;

    @TempDir
    private Path folder;

    /** Hazelcast's greeting of a member, and the head of a packet. */
    static byte[] longPacket() {
        byte version = 4;
        return ByteBuffer.allocate(14)
                .put("HZC".getBytes(StandardCharsets.US_ASCII))
                .put(version)
                .putChar((char) 0)
                .putInt(-1)
                .putInt(PACKET_BYTES)
                .array();
    }

    static List<String> refused(int connections) {
        return Collections.nCopies(connections, "closed");
    }

    @Test
    void packetsOfAnotherUserAreRefusedByALoneRelay() throws Exception {
        assumeThat(Stranger.canBe()).as("only root can be another user").isTrue();
        try (Relays relay = Relays.start(folder, HEAP, "site-a")) {
            assertThat(Stranger.says(Stranger.first(), relay.group(), CONNECTIONS, longPacket())).isEqualTo(refused(CONNECTIONS));
            assertThat(relay.err()).contains("group: refused", "FOREIGN_USER", "user 65534");
            assertServes(relay);
            // A relay's measures are renewed once in a while.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(relay.meters("posthouse_group_refusals_total{kind=\"foreign_user\"").sum()).isEqualTo(CONNECTIONS));
        }
    }

    @Tag("long")
    @Test
    void refusedPacketsOfOwnUserUseNoMemory() throws Exception {
        try (Relays relay = Relays.start(folder, HEAP, "site-a")) {
            assertThat(Stranger.says(THIS_USER, relay.group(), CONNECTIONS, longPacket())).isEqualTo(refused(CONNECTIONS));
            assertThat(relay.err()).contains("group: refused", "NO_HANDSHAKE");
            assertServes(relay);
        }
    }

    @Tag("long")
    @Test
    void aGroupGoesOnUnderAttack() throws Exception {
        assumeThat(Stranger.canBe()).as("only root can be another user").isTrue();
        try (Relays first = Relays.start(folder, HEAP, "site-a");
                Relays second = Relays.start(folder, HEAP, "site-b", "--member", first.group())) {
            await().atMost(PATIENCE).until(() -> known(first) == 2 && known(second) == 2);
            for (List<String> user : List.of(Stranger.first(), THIS_USER)) {
                for (Relays relay : List.of(first, second)) {
                    assertThat(Stranger.says(user, relay.group(), CONNECTIONS, longPacket())).isEqualTo(refused(CONNECTIONS));
                }
            }
            second.kill();
            second.startAgain();
            await().atMost(PATIENCE).until(() -> known(first) == 2 && known(second) == 2);
            Stream.of(first, second).forEach(relay -> assertThat(relay.err()).doesNotContain("OutOfMemory"));
        }
    }

    @Tag("long")
    @Test
    void keysAreAskedForAndRelaysWithoutThemStayOutside() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 2, folder.resolve("keys-a"));
        authority.issue("site-b", 2, folder.resolve("keys-b"));
        GridAuthority.init(folder.resolve("other"), 2).issue("site-b", 2, folder.resolve("keys-of-another-grid"));
        try (Relays first = Relays.start(folder, "site-a", "--keys", folder.resolve("keys-a").toString(), "--links", "127.0.0.1:0")) {
            String[] linked = {"--peer", "site-a=" + first.ready().links(), "--member", first.group()};
            Command.Result none = Command.run(folder, "relay", "--site", "site-b", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--group",
                    "127.0.0.1:" + Relays.freePort(), "--member", first.group());
            assertThat(none.status()).isEqualTo(1);
            // The other member may dial first: its refusal is then told before.
            assertThat(none.err().lines().filter(line -> !line.contains("group: refused member"))).singleElement().asString()
                    .startsWith("posthouse relay: relay site-b was started without keys, and the group's member at " + first.group() + " has keys")
                    .contains("give --keys DIR");
            try (Relays other = Relays.start(folder, "site-b", keys("keys-of-another-grid", linked))) {
                await().atMost(PATIENCE).until(() -> other.err().contains("of another authority"));
                assertThat(known(other)).isEqualTo(1);
            }
            try (Relays second = Relays.start(folder, "site-b", keys("keys-b", linked))) {
                await().atMost(PATIENCE).until(() -> known(first) == 2 && known(second) == 2);
            }
        }
    }

    /** It has jobs, maybe: only one that starts is ended for want of keys. */
    @Tag("long")
    @Test
    void aRelayWithoutKeysThatMeetsOneWithKeysLaterGoesOn() throws Exception {
        GridAuthority.init(folder.resolve("authority"), 2).issue("site-a", 2, folder.resolve("keys-a"));
        try (Relays keyed = Relays.start(folder, "site-a", "--keys", folder.resolve("keys-a").toString(), "--links", "127.0.0.1:0")) {
            keyed.kill();
            try (Relays none = Relays.start(folder, "site-b", "--member", keyed.group())) {
                keyed.startAgain();
                await().atMost(PATIENCE).until(() -> none.err().contains("the other end has keys") && keyed.err().contains("the other end has no keys"));
                assertServes(none);
                assertServes(keyed);
            }
        }
    }

    private String[] keys(String name, String... more) {
        return Stream.concat(Stream.of("--keys", folder.resolve(name).toString()), Stream.of(more)).toArray(String[]::new);
    }

    private static void assertServes(Relays relay) throws Exception {
        assertThat(relay.err()).doesNotContain("OutOfMemory");
        assertThat(known(relay)).isEqualTo(1);
    }

    private static int known(Relays relay) throws Exception {
        return relay.get("/api/v1/relays").at("/relays/0/directory").size();
    }
}
