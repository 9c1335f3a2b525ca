package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.internal.cluster.impl.ClusterTopologyChangedException;
import com.hazelcast.map.IMap;
import com.hazelcast.spi.exception.CallerNotMemberException;
import com.hazelcast.spi.exception.RetryableException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class HazelcastDirectoryTest extends DirectoryContract {
    private static List<HazelcastDirectory> directories = List.of();

    @BeforeAll
    static void start() throws IOException {
        List<String> endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1");
        directories = List.of(
                HazelcastDirectory.start(Groups.config("contract", endpoints.get(0), List.of(), "r0")),
                HazelcastDirectory.start(Groups.config("contract", endpoints.get(1), endpoints, "r1")));
        Groups.awaitMembers(directories.getFirst(), 2);
    }

    @AfterAll
    static void close() {
        directories.forEach(HazelcastDirectory::close);
    }

    @Override
    Directory here() {
        return directories.get(0);
    }

    @Override
    Directory there() {
        return directories.get(1);
    }

    @Test
    void sweepRewritesEntriesThatTheGroupLost() {
        here().announce(relay("a", "north", 3));
        here().putRanks(List.of(rank(0, 1, "running")));
        await().untilAsserted(() -> assertThat(there().ranks(rank(0, 1, "").job())).hasSize(1));
        stored().clear();

        directories.get(1).sweep();

        String rankKey = Posting.rankKey(rank(0, 1, "").job(), 0);
        await().untilAsserted(() -> assertThat(stored().keySet())
                .contains(rankKey, Posting.relayKey(relay("a", "north", 3).relay())));
        assertThat(mine(here())).containsExactly(relay("a", "north", 3));
        assertThat(mine(there())).containsExactly(relay("a", "north", 3));
    }

    @Test
    void leavesNoRankOfARemovedJobInTheGroup() {
        here().putRanks(List.of(rank(0, 1, "running"), rank(1, 1, "running")));
        String keys = Posting.rankKeys(rank(0, 1, "").job());
        await().untilAsserted(() -> assertThat(stored().keySet()).filteredOn(key -> key.startsWith(keys)).hasSize(2));
        await().untilAsserted(() -> assertThat(there().ranks(rank(0, 1, "").job())).hasSize(2));

        there().removeJob(rank(0, 1, "").job());

        await().untilAsserted(() -> assertThat(stored().keySet()).noneMatch(key -> key.startsWith(keys)));
    }

    @Test
    void aLivingRelayThatWasCalledVanishedAnnouncesItselfAgain() {
        RelayEntry entry = relay("a", "north", 3);
        String key = Posting.relayKey(entry.relay());
        here().announce(entry);
        await().untilAsserted(() -> assertThat(mine(there())).containsExactly(entry));
        Posting posting = Posting.parse(stored().get(key));

        String called = stored().executeOnKey(key, new PostProcessor(posting.vanished(2_000), PostingProof.NONE));

        assertThat(Posting.parse(called).present()).isFalse();
        await().untilAsserted(() -> assertThat(Posting.parse(stored().get(key)).present()).isTrue());
        await().untilAsserted(() -> assertThat(mine(there())).containsExactly(entry));
    }

    @Test
    void skipsMalformedPostings() {
        stored().set("relay/garbled", "{\"version\":");
        here().announce(relay("a", "north", 1));

        await().untilAsserted(() -> assertThat(mine(there())).containsExactly(relay("a", "north", 1)));
        stored().delete("relay/garbled");
    }

    @Test
    void exceptionsOfAnotherMemberArriveWithTheirMeaning() {
        IMap<String, Object> foreign = directories.get(1).member().getMap("failures");
        foreign.set("retry", new CallerNotMemberException("who are you"));
        foreign.set("target", new TargetNotMemberException("not here"));
        foreign.set("changed", new ClusterTopologyChangedException("list 3"));
        foreign.set("down", new HazelcastInstanceNotActiveException("stopping"));
        foreign.set("other", new ArithmeticException("of two"));

        assertThat(foreign.get("retry")).isInstanceOf(RetryableException.class).asString().contains("who are you");
        assertThat(foreign.get("target")).isInstanceOf(TargetNotMemberException.class);
        // Or a registration is said again as it was, 250 times, and the member that registers does not start.
        assertThat(foreign.get("changed")).isInstanceOf(ClusterTopologyChangedException.class);
        assertThat(foreign.get("down")).isInstanceOf(HazelcastInstanceNotActiveException.class);
        assertThat(foreign.get("other")).isExactlyInstanceOf(HazelcastException.class).asString().contains("of two");
        foreign.destroy();
    }

    private IMap<String, String> stored() {
        return directories.get(1).member().getMap(GroupMember.MAP);
    }
}
