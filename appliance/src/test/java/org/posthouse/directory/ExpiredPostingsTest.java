package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long what is of no use any more is known. */
class ExpiredPostingsTest {
    private static final long DAY = ExpiredPostings.KEPT.toMillis();
    private static final long NOW = 100 * DAY;

    private final DirectoryView directoryView = new DirectoryView();

    /** However long ago it said something: a late write is not to bring it up. */
    @Test
    void aRelayThatVanishedIsKnownForADay() {
        Posting said = Posting.of(relay(1), "r1", NOW - 2 * DAY);
        directoryView.learn(said);
        Posting vanished = said.vanished(NOW).over(said).orElseThrow();
        directoryView.learn(vanished);
        assertThat(new ExpiredPostings(directoryView, NOW + DAY).aged()).isEmpty();
        assertThat(new ExpiredPostings(directoryView, NOW + DAY + 1).aged()).containsExactly(vanished);
    }

    @Test
    void ranksGoADayAfterTheLastWordOfARelayThatIsKnownNoMore() {
        Posting rank = rank(NOW - DAY - 1);
        Posting later = Posting.of(Groups.rank(7, 1, 1, "r1"), "r1", NOW - DAY);
        directoryView.learn(rank);
        directoryView.learn(later);
        assertThat(new ExpiredPostings(directoryView, NOW).aged()).containsExactly(rank);
        directoryView.learn(Posting.withdrawn("r1", 1, null, "r1", NOW));
        assertThat(new ExpiredPostings(directoryView, NOW).aged()).as("of one that has just gone").isEmpty();
    }

    /** Members forget at different moments: else each would put back what another has just removed. */
    @Test
    void postingsThatSoonExpireAreNotWorthRestoring() {
        assertThat(new ExpiredPostings(directoryView, NOW).worthRestoring(rank(NOW - DAY / 2))).isTrue();
        assertThat(new ExpiredPostings(directoryView, NOW).worthRestoring(rank(NOW - DAY / 2 - 1))).isFalse();
        directoryView.learn(Posting.of(relay(NOW - 3 * DAY), "r1", NOW));
        assertThat(new ExpiredPostings(directoryView, NOW).worthRestoring(rank(NOW - 2 * DAY))).isTrue();
        assertThat(new ExpiredPostings(directoryView, NOW).worthRestoring(Posting.ended(7, "r1", NOW - DAY / 2 - 1))).isFalse();
    }

    /** Many small jobs a second would fill the heap within the day. */
    @Test
    void keepsOnlyTheLatestEndedJobs() {
        for (int job = 0; job <= ExpiredPostings.ENDED_MAX; job++) {
            directoryView.learn(Posting.ended(job, "r1", NOW + job));
        }
        ExpiredPostings expiredPostings = new ExpiredPostings(directoryView, NOW + ExpiredPostings.ENDED_MAX);
        assertThat(expiredPostings.aged()).containsExactly(Posting.ended(0, "r1", NOW));
        int half = ExpiredPostings.ENDED_MAX / 2;
        assertThat(expiredPostings.worthRestoring(Posting.ended(half, "r1", NOW + half))).isFalse();
        assertThat(expiredPostings.worthRestoring(Posting.ended(half + 1, "r1", NOW + half + 1))).isTrue();
    }

    /** Started at that time. */
    private static RelayEntry relay(long epoch) {
        return new RelayEntry("site-r1", "r1", "127.0.0.1:7411", "", "", epoch, epoch);
    }

    private static Posting rank(long stamp) {
        return Posting.of(Groups.rank(7, 0, 1, "r1"), "r1", stamp);
    }
}
