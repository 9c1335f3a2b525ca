package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every directory does, seen from two relays; each test uses relay ids and jobs of its own. */
@Timeout(120)
abstract class DirectoryContract {
    private static final AtomicLong NAMES = new AtomicLong();
    private final long job = NAMES.incrementAndGet();
    private final String prefix = "relay" + job + "-";

    /** The directory of the relay that writes. */
    abstract Directory here();

    /** The directory of the relay that looks. */
    abstract Directory there();

    @Test
    void listsRelaysBySiteAndId() {
        here().announce(relay("b", "north", 1));
        there().announce(relay("a", "south", 1));
        here().announce(relay("a2", "north", 1));

        for (Directory directory : List.of(here(), there())) {
            await().untilAsserted(() -> assertThat(mine(directory)).containsExactly(
                    relay("a2", "north", 1), relay("b", "north", 1), relay("a", "south", 1)));
        }
    }

    @Test
    void showsAWriteToItsWriterAtOnce() {
        here().announce(relay("a", "north", 1));
        here().putRanks(List.of(rank(0, 0, "running")));

        assertThat(mine(here())).containsExactly(relay("a", "north", 1));
        assertThat(here().ranks(job)).containsExactly(rank(0, 0, "running"));
    }

    @Test
    void anOlderEpochDoesNotReplaceANewerOne() {
        here().announce(relay("a", "north", 5));
        await().untilAsserted(() -> assertThat(mine(there())).containsExactly(relay("a", "north", 5)));

        there().announce(relay("a", "south", 4));
        there().withdraw(prefix + "a", 4);
        there().announce(relay("z", "south", 1));

        await().untilAsserted(() -> assertThat(mine(here())).contains(relay("z", "south", 1)));
        assertThat(mine(here())).contains(relay("a", "north", 5));
        assertThat(mine(there())).contains(relay("a", "north", 5));
    }

    @Test
    void aNewerEpochReplacesAnOlderOne() {
        here().announce(relay("a", "north", 5));
        there().announce(relay("a", "south", 6));

        for (Directory directory : List.of(here(), there())) {
            await().untilAsserted(() -> assertThat(mine(directory)).containsExactly(relay("a", "south", 6)));
        }
    }

    @Test
    void aWithdrawnRelayIsNotBroughtUpByALateAnnouncement() {
        here().announce(relay("a", "north", 5));
        here().withdraw(prefix + "a", 5);
        here().withdraw(prefix + "unheard", 3);
        await().untilAsserted(() -> {
            assertThat(there().epoch(prefix + "a")).isEqualTo(5);
            assertThat(there().epoch(prefix + "unheard")).isEqualTo(3);
            assertThat(mine(there())).isEmpty();
        });

        there().announce(relay("a", "north", 4));
        there().announce(relay("unheard", "north", 2));
        there().announce(relay("end", "north", 1));

        await().untilAsserted(() -> assertThat(mine(here())).containsExactly(relay("end", "north", 1)));
        assertThat(mine(there())).containsExactly(relay("end", "north", 1));
    }

    /** So that a relay that starts with a clock that was set back can take a later one. */
    @Test
    void tellsTheHighestEpochOfARelayWhetherItIsThereOrNot() {
        here().announce(relay("a", "north", 5));
        here().announce(relay("b", "north", 7));
        here().withdraw(prefix + "b", 7);

        await().untilAsserted(() -> {
            assertThat(mine(there())).containsExactly(relay("a", "north", 5));
            assertThat(there().epoch(prefix + "a")).isEqualTo(5);
            assertThat(there().epoch(prefix + "b")).isEqualTo(7);
        });
        assertThat(there().epoch(prefix + "c")).isZero();
    }

    @Test
    void aRelayAnnouncedAgainKeepsItsFirstSince() {
        RelayEntry first = new RelayEntry("north", prefix + "a", "h:1", "", "", 5, 1_000);
        here().announce(first);
        here().announce(new RelayEntry("north", prefix + "a", "h:2", "", "", 5, 2_000));

        await().untilAsserted(() -> assertThat(mine(there()))
                .containsExactly(new RelayEntry("north", prefix + "a", "h:2", "", "", 5, 1_000)));
    }

    @Test
    void listsTheRanksOfAJobByRank() {
        here().putRanks(List.of(rank(11, 0, "running"), rank(2, 0, "running")));
        there().putRanks(List.of(rank(1, 0, "starting")));
        here().putRanks(List.of(new RankEntry(job + 1_000_000, 0, "north", "r", 0, "of another job")));

        for (Directory directory : List.of(here(), there())) {
            await().untilAsserted(() -> assertThat(directory.ranks(job))
                    .containsExactly(rank(1, 0, "starting"), rank(2, 0, "running"), rank(11, 0, "running")));
        }
    }

    @Test
    void anOlderIncarnationDoesNotReplaceANewerOneAndANewStateDoes() {
        here().putRanks(List.of(rank(0, 2, "starting"), rank(0, 2, "running")));
        await().untilAsserted(() -> assertThat(there().ranks(job)).contains(rank(0, 2, "running")));

        there().putRanks(List.of(rank(0, 1, "lost"), rank(1, 0, "running")));

        await().untilAsserted(() -> assertThat(here().ranks(job)).containsExactly(rank(0, 2, "running"), rank(1, 0, "running")));
        assertThat(there().ranks(job)).contains(rank(0, 2, "running"));
    }

    @Test
    void forgetsARemovedJobForGood() {
        here().putRanks(List.of(rank(0, 0, "running"), rank(1, 0, "running")));
        await().untilAsserted(() -> assertThat(there().ranks(job)).hasSize(2));

        there().removeJob(job);
        assertThat(there().ranks(job)).isEmpty();
        await().untilAsserted(() -> assertThat(here().ranks(job)).isEmpty());
        here().putRanks(List.of(rank(1, 1, "late")));

        assertThat(here().ranks(job)).isEmpty();
    }

    @Test
    void answersWithSnapshots() {
        here().announce(relay("a", "north", 1));
        List<RelayEntry> before = mine(here());

        here().withdraw(prefix + "a", 1);

        assertThat(before).containsExactly(relay("a", "north", 1));
        assertThat(mine(here())).isEmpty();
    }

    final RelayEntry relay(String name, String site, long epoch) {
        return new RelayEntry(site, prefix + name, "127.0.0.1:7411", "127.0.0.1:7412", "", epoch, 1_000 + epoch);
    }

    final RankEntry rank(int rank, int incarnation, String state) {
        return new RankEntry(job, rank, "north", "r1", incarnation, state);
    }

    final List<RelayEntry> mine(Directory directory) {
        return directory.relays().stream()
                .filter(entry -> entry.relay().startsWith(prefix))
                .toList();
    }
}
