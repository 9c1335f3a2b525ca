package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members that come, leave, die, and find each other again. */
@Timeout(240)
class GroupChangeTest {
    private final List<HazelcastDirectory> directories = new ArrayList<>();

    @AfterEach
    void close() {
        directories.forEach(HazelcastDirectory::close);
    }

    @Tag("long")
    @Test
    void takesARelayOffWhenItsMemberClosesOrDies() throws IOException {
        directories.addAll(Groups.start("change", Groups.endpoints("127.0.0.1", "127.0.0.2", "127.0.0.1")));
        for (int i = 0; i < 3; i++) {
            directories.get(i).announce(Groups.relay("r" + i, 7));
        }
        directories.get(2).putRanks(List.of(Groups.rank(1, 0, 0, "r2")));
        for (HazelcastDirectory directory : directories) {
            soon().untilAsserted(() -> assertThat(directory.relays())
                    .containsExactly(Groups.relay("r0", 7), Groups.relay("r1", 7), Groups.relay("r2", 7)));
        }

        directories.get(1).close();
        soon().untilAsserted(() -> assertThat(directories.getFirst().relays())
                .containsExactly(Groups.relay("r0", 7), Groups.relay("r2", 7)));

        soon().until(directories.get(2).member().getPartitionService()::isClusterSafe);
        directories.get(2).member().getLifecycleService().terminate();
        soon().untilAsserted(
                () -> assertThat(directories.getFirst().relays()).containsExactly(Groups.relay("r0", 7)));
        assertThat(directories.getFirst().ranks(1)).containsExactly(Groups.rank(1, 0, 0, "r2"));
        assertThat(directories.get(2).relays()).as("last view of the dead").contains(Groups.relay("r0", 7));
    }

    @Test
    void partsOfAGroupMergeByTheHighestEpochAndIncarnation() throws IOException {
        List<String> endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1");
        HazelcastDirectory one = start(endpoints.get(0), endpoints, "one");
        one.announce(Groups.relay("moved", 3));
        one.announce(Groups.relay("one", 1));
        one.putRanks(List.of(Groups.rank(9, 0, 2, "one"), Groups.rank(9, 1, 0, "one")));
        HazelcastDirectory two = start(endpoints.get(1), endpoints.subList(1, 2), "two");
        two.announce(Groups.relay("moved", 4));
        two.announce(Groups.relay("two", 1));
        two.putRanks(List.of(Groups.rank(9, 0, 1, "two"), Groups.rank(9, 1, 1, "two")));

        Groups.awaitMembers(one, 2);
        Groups.awaitMembers(two, 2);

        for (HazelcastDirectory directory : List.of(one, two)) {
            soon().untilAsserted(() -> assertThat(directory.relays())
                    .containsExactly(Groups.relay("moved", 4), Groups.relay("one", 1), Groups.relay("two", 1)));
            soon().untilAsserted(() -> assertThat(directory.ranks(9))
                    .containsExactly(Groups.rank(9, 0, 2, "one"), Groups.rank(9, 1, 1, "two")));
            soon().untilAsserted(() -> assertThat(stored(directory, "relay/moved")).isEqualTo(4));
            soon().untilAsserted(() -> assertThat(stored(directory, "rank/9/0")).isEqualTo(2));
        }
    }

    private HazelcastDirectory start(String endpoint, List<String> members, String relay) {
        HazelcastDirectory directory = HazelcastDirectory.start(Groups.config("split", endpoint, members, relay));
        directories.add(directory);
        return directory;
    }

    private static long stored(HazelcastDirectory directory, String key) {
        return Posting.parse((String) directory.member().getMap(GroupMember.MAP).get(key)).version();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }
}
