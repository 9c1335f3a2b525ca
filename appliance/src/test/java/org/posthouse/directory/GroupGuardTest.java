package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.AddressPicker;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.Node;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RevokedNow;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteProof;

/** Members that may not meet, and what comes from no member at all. */
@Timeout(300)
class GroupGuardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private GridAuthority authority;
    private List<String> endpoints;
    private final List<HazelcastDirectory> directories = new ArrayList<>();

    @BeforeEach
    void authority() throws IOException {
        authority = GridAuthority.init(folder.resolve("authority"), 2);
        endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1");
    }

    @AfterEach
    void close() {
        directories.reversed().forEach(HazelcastDirectory::close);
    }

    private HazelcastDirectory start(int member, String relay, Optional<SiteProof> proof) {
        String endpoint = endpoints.get(member);
        int colon = endpoint.indexOf(':');
        HazelcastDirectory started = HazelcastDirectory.start(new GroupConfig(
                "guarded", endpoint.substring(0, colon), Integer.parseInt(endpoint.substring(colon + 1)), endpoints, relay, Groups.QUICK, proof));
        directories.add(started);
        return started;
    }

    private Optional<SiteProof> keys(GridAuthority of, String site, String name) throws IOException {
        Path keys = folder.resolve(name);
        of.issue(site, 2, keys);
        return Optional.of(SiteKeys.load(keys).proof());
    }

    private void assertApart(GroupRefusal kind, HazelcastDirectory one, HazelcastDirectory other) {
        one.announce(new RelayEntry("a", "a", "h:1", "", "", 1, 1));
        await().atMost(PATIENCE).until(() -> other.refusals().getOrDefault(kind, 0L) > 0);
        for (HazelcastDirectory each : List.of(one, other)) {
            assertThat(each.member().getCluster().getMembers()).hasSize(1);
        }
        assertThat(other.relays()).isEmpty();
    }

    @Test
    void aMemberWithoutKeysThatReachesOnlyMembersWithKeysIsNotStarted() throws IOException {
        HazelcastDirectory keyed = start(0, "a", keys(authority, "a", "a"));
        assertThatThrownBy(() -> start(1, "b", Optional.empty())).isInstanceOf(GroupException.class)
                .hasMessageContaining("relay b was started without keys, and the group's member at " + endpoints.getFirst() + " has keys");
        assertThat(keyed.member().getCluster().getMembers()).hasSize(1);
        GroupMember.release(GroupMember.hold(Groups.config("guarded", endpoints.get(1), endpoints, "b")),
                Groups.config("guarded", endpoints.get(1), endpoints, "b"));
    }

    @Tag("long")
    @Test
    void aMemberWithKeysDoesNotMeetOneWithout() throws IOException {
        assertApart(GroupRefusal.NOT_PROVEN, start(0, "a", Optional.empty()), start(1, "b", keys(authority, "b", "b")));
    }

    @Test
    void aMemberOfAnotherGridStaysOutside() throws IOException {
        GridAuthority other = GridAuthority.init(folder.resolve("other"), 2);
        assertApart(GroupRefusal.NOT_PROVEN, start(0, "a", keys(authority, "a", "a")), start(1, "b", keys(other, "b", "b")));
    }

    @Test
    void aMemberThatTakesAnotherSitesNameStaysOutside() throws IOException {
        assertApart(GroupRefusal.NOT_PROVEN, start(0, "a", keys(authority, "a", "a")), start(1, "a/2", keys(authority, "b", "b")));
    }

    /** As anybody can start one. */
    @Test
    void aHazelcastMemberThatIsNoRelayStaysOutside() {
        HazelcastDirectory directory = start(0, "a", Optional.empty());
        GroupConfig alone = Groups.config("guarded", endpoints.get(1), endpoints, "rogue");
        HazelcastInstance rogue = HazelcastInstanceFactory.newHazelcastInstance(
                GroupMember.config(alone, PostingProof.NONE, GroupMember.majority(alone)), "rogue", new DefaultNodeContext() {
                    @Override
                    public AddressPicker createAddressPicker(Node node) {
                        GroupConfig config = Groups.config("guarded", endpoints.get(1), endpoints, "rogue");
                        return new BoundAddress(config, GroupMember.hold(config));
                    }
                });
        try {
            rogue.getMap(GroupMember.MAP).set("relay/a", Posting.of(new RelayEntry("a", "a", "6.6.6.6:1", "", "", 9, 1), "a", 1).text());
            await().atMost(PATIENCE).until(() -> directory.refusals().getOrDefault(GroupRefusal.NO_HANDSHAKE, 0L) > 0);
            assertThat(rogue.getCluster().getMembers()).hasSize(1);
            assertThat(directory.member().getCluster().getMembers()).hasSize(1);
            assertThat(directory.relays()).isEmpty();
        } finally {
            rogue.getLifecycleService().terminate();
        }
    }

    /** It has keys of the grid, and tells Hazelcast that it is another relay. */
    @Test
    void aMemberThatSaysToBeAnotherRelayThanItHasProvenIsParted() throws IOException {
        HazelcastDirectory a = start(0, "a", keys(authority, "a", "a"));
        String endpoint = endpoints.get(1);
        GroupConfig b =
                new GroupConfig("guarded", endpoint.substring(0, endpoint.indexOf(':')), Integer.parseInt(endpoint.substring(endpoint.indexOf(':') + 1)),
                        endpoints, "b", Groups.QUICK, keys(authority, "b", "b"));
        Config config = GroupMember.config(b, PostingProof.NONE, GroupMember.majority(b));
        config.getMemberAttributeConfig().setAttribute(GroupMember.RELAY_ATTRIBUTE, "c");
        HazelcastInstance rogue =
                HazelcastInstanceFactory.newHazelcastInstance(config, config.getInstanceName(), new GuardedMember(b, GroupMember.hold(b), new GroupGuard(b)));
        try {
            Groups.awaitMembers(a, 2);
            await().atMost(PATIENCE).until(() -> a.refusals().getOrDefault(GroupRefusal.NOT_PROVEN, 0L) > 0);
            Groups.awaitMembers(a, 1);
        } finally {
            rogue.getLifecycleService().terminate();
        }
    }

    /** A site's certificate is revoked while its member is in the group; the others hear of it over their links. */
    @Tag("long")
    @Test
    void aMemberWhoseCertificateIsRevokedIsParted() throws Exception {
        Optional<SiteProof> own = keys(authority, "a", "a");
        HazelcastDirectory a = start(0, "a", own);
        HazelcastDirectory b = start(1, "b", keys(authority, "b", "b"));
        Groups.awaitMembers(a, 2);
        Groups.awaitMembers(b, 2);
        authority.revoke("b");
        authority.tellRevoked(folder.resolve("a"));
        RevokedNow.tell(own.orElseThrow(), folder.resolve("a"));
        await().atMost(PATIENCE).until(() -> a.refusals().getOrDefault(GroupRefusal.NOT_PROVEN, 0L) > 0);
        Groups.awaitMembers(a, 1);
    }

    @Test
    void aMemberThatHasProvenItselfSendsNoLongPacket() throws Exception {
        HazelcastDirectory directory = start(0, "a", Optional.empty());
        long before = directory.refusals().getOrDefault(GroupRefusal.PACKET, 0L);
        String endpoint = endpoints.getFirst();
        try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(endpoint.substring(endpoint.indexOf(':') + 1)))) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            GroupConfig self = Groups.config("guarded", endpoints.get(1), endpoints, "b");
            GroupHandshake.Wire wire = new GroupHandshake.Wire() {
                @Override
                public byte[] read(int bytes) throws IOException {
                    return socket.getInputStream().readNBytes(bytes);
                }

                @Override
                public void write(byte[] bytes) throws IOException {
                    socket.getOutputStream().write(bytes);
                }
            };
            assertThat(new GroupHandshake(self, UserSecret.ofUser(), () -> true, wire).dial(endpoint).relay()).isEqualTo("a");
            byte version = 4;
            socket.getOutputStream().write(ByteBuffer.allocate(14)
                    .put("HZC".getBytes(StandardCharsets.US_ASCII))
                    .put(version)
                    .putChar((char) 0)
                    .putInt(-1)
                    .putInt(Integer.MAX_VALUE)
                    .array());
            await().atMost(PATIENCE).until(() -> directory.refusals().getOrDefault(GroupRefusal.PACKET, 0L) > before);
            assertThat(directory.member().getLifecycleService().isRunning()).isTrue();
        }
    }
}
