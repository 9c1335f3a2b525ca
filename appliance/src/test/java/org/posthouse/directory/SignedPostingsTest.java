package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.map.IMap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteProof;

/** Members of three sites with keys, one of which writes what is not its own: into the map itself, past what its relay would do. */
@Timeout(300)
class SignedPostingsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> SITES = List.of("a", "b", "rogue");

    @TempDir
    private Path folder;

    private GridAuthority authority;
    private List<String> endpoints;
    private HazelcastDirectory a;
    private HazelcastDirectory b;
    private HazelcastDirectory rogue;

    @BeforeEach
    void start() throws IOException {
        authority = GridAuthority.init(folder.resolve("authority"), 2);
        endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1");
        a = start("a");
        b = start("b");
        rogue = start("rogue");
        for (HazelcastDirectory each : List.of(a, b, rogue)) {
            Groups.awaitMembers(each, SITES.size());
        }
        a.announce(relay("a", 5, "127.0.0.1:1"));
        await().atMost(PATIENCE).until(() -> b.relays().size() == 1 && rogue.relays().size() == 1);
    }

    @AfterEach
    void close() {
        for (HazelcastDirectory each : new HazelcastDirectory[] {rogue, b, a}) {
            if (each != null) {
                each.close();
            }
        }
    }

    private HazelcastDirectory start(String site) throws IOException {
        return HazelcastDirectory.start(config(site, Optional.of(keys(site))));
    }

    private SiteProof keys(String site) throws IOException {
        Path keys = folder.resolve(site);
        authority.issue(site, 2, keys);
        return SiteKeys.load(keys).proof();
    }

    private GroupConfig config(String relay, Optional<SiteProof> proof) {
        String endpoint = endpoints.get(SITES.indexOf(relay));
        return new GroupConfig("signed", endpoint.substring(0, endpoint.indexOf(':')), Integer.parseInt(endpoint.substring(endpoint.indexOf(':') + 1)),
                endpoints, relay, Groups.QUICK, proof);
    }

    private static RelayEntry relay(String site, long epoch, String address) {
        return new RelayEntry(site, site, address, "", "", epoch, 1);
    }

    private IMap<String, String> map() {
        return rogue.member().getMap(GroupMember.MAP);
    }

    private static long refused(HazelcastDirectory directory) {
        return directory.refusals().getOrDefault(GroupRefusal.POSTING, 0L);
    }

    /** The writer of one's own keys, whose name is another's. */
    private Posting signedByRogue(Posting posting) throws IOException {
        authority.issue("rogue", 2, folder.resolve("again"));
        return new PostingProof(Optional.of(SiteKeys.load(folder.resolve("again")).proof()), System::currentTimeMillis).sign(posting, posting.member());
    }

    private void assertNothingIsBelieved(Posting forged) {
        long before = refused(b);
        map().set(forged.key(), forged.text());
        await().atMost(PATIENCE).until(() -> refused(b) > before);
        assertThat(b.relays()).extracting(RelayEntry::address).containsExactly("127.0.0.1:1");
        assertThat(b.epoch("a")).isEqualTo(5);
        b.sweep();
        await().atMost(PATIENCE).until(() -> Posting.parse(map().get("relay/a")).relay().address().equals("127.0.0.1:1"));
        assertThat(a.relays()).extracting(RelayEntry::address).containsExactly("127.0.0.1:1");
        assertThat(a.epoch("a")).isEqualTo(5);
    }

    @Test
    void postingNotSignedByItsRelayIsRefusedCountedAndReplaced() throws IOException {
        long late = System.currentTimeMillis() + 1_000;
        assertNothingIsBelieved(Posting.of(relay("a", 6, "6.6.6.6:1"), "a", late));
        assertNothingIsBelieved(signedByRogue(Posting.of(relay("a", 7, "6.6.6.6:1"), "a", late)));
        Posting own = Posting.parse(map().get("relay/a"));
        assertNothingIsBelieved(
                new Posting(own.version(), Posting.Standing.PRESENT, late, "a", relay("a", 5, "6.6.6.6:1"), null, null, null, null, own.proof(), null));
    }

    @Test
    void replayedOldPostingChangesNothing() {
        String old = map().get("relay/a");
        a.announce(relay("a", 5, "127.0.0.1:2"));
        await().atMost(PATIENCE).until(() -> b.relays().getFirst().address().equals("127.0.0.1:2"));
        map().set("relay/a", old);
        b.sweep();
        await().atMost(PATIENCE).until(() -> !map().get("relay/a").equals(old));
        assertThat(b.relays()).extracting(RelayEntry::address).containsExactly("127.0.0.1:2");
    }

    @Tag("long")
    @Test
    void aRelayThatIsWronglyCalledVanishedSaysThatItIsThere() {
        Posting seen = Posting.parse(map().get("relay/a"));
        PostingProof proof = new PostingProof(Optional.of(proofOf(rogue)), System::currentTimeMillis);
        Posting vanished = proof.sign(seen.vanished(System.currentTimeMillis()), "rogue");
        assertThat(map().executeOnKey("relay/a", new PostProcessor(vanished, PostingProof.NONE))).contains("VANISHED");
        await().atMost(PATIENCE).until(() -> map().get("relay/a").contains("PRESENT"));
        await().atMost(PATIENCE).until(() -> b.relays().size() == 1);
        assertThat(refused(b)).isZero();
    }

    @Test
    void nobodyVanishesWithAnotherEpochNorInTheFarFuture() {
        Posting seen = Posting.parse(map().get("relay/a"));
        PostingProof proof = new PostingProof(Optional.of(proofOf(rogue)), System::currentTimeMillis);
        Posting later = new Posting(Long.MAX_VALUE, seen.standing(), seen.stamp(), "a", seen.relay(), null, null, null, null, seen.proof(), null);
        assertNothingIsBelieved(proof.sign(later.vanished(System.currentTimeMillis()), "rogue"));
        assertNothingIsBelieved(proof.sign(seen.vanished(Long.MAX_VALUE - 1), "rogue"));
        assertNothingIsBelieved(seen.vanished(System.currentTimeMillis()));
    }

    @Tag("long")
    @Test
    void jobRemovalRemovesOnlyTheRanksOfItsRelay() {
        a.putRanks(List.of(new RankEntry(7, 0, "a", "a", 1, "running")));
        b.putRanks(List.of(new RankEntry(7, 1, "b", "b", 1, "running")));
        await().atMost(PATIENCE).until(() -> rogue.ranks(7).size() == 2 && b.ranks(7).size() == 2);
        rogue.removeJob(7);
        b.removeJob(7);
        await().atMost(PATIENCE).until(() -> a.ranks(7).size() == 1 && rogue.ranks(7).size() == 1);
        assertThat(a.ranks(7)).extracting(RankEntry::relay).containsExactly("a");
        a.removeJob(7);
        await().atMost(PATIENCE).until(() -> b.ranks(7).isEmpty());
    }

    private SiteProof proofOf(HazelcastDirectory member) {
        assertThat(member).isSameAs(rogue);
        try {
            return SiteKeys.load(folder.resolve("rogue")).proof();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
