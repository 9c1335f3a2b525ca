package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long what is of no use any more is known. */
class LeftoversTest {
    private static final long DAY = Leftovers.KEPT.toMillis();
    private static final long NOW = 100 * DAY;

    private final View view = new View();

    /** However long ago it said something: a late write is not to bring it up. */
    @Test
    void aRelayThatVanishedIsKnownForADay() {
        Posting said = Posting.of(relay(1), "r1", NOW - 2 * DAY);
        view.learn(said);
        Posting vanished = said.vanished(NOW).over(said).orElseThrow();
        view.learn(vanished);
        assertThat(new Leftovers(view, NOW + DAY).aged()).isEmpty();
        assertThat(new Leftovers(view, NOW + DAY + 1).aged()).containsExactly(vanished);
    }

    @Test
    void ranksGoADayAfterTheLastWordOfARelayThatIsKnownNoMore() {
        Posting rank = rank(NOW - DAY - 1);
        Posting later = Posting.of(Groups.rank(7, 1, 1, "r1"), "r1", NOW - DAY);
        view.learn(rank);
        view.learn(later);
        assertThat(new Leftovers(view, NOW).aged()).containsExactly(rank);
        view.learn(Posting.withdrawn("r1", 1, null, "r1", NOW));
        assertThat(new Leftovers(view, NOW).aged()).as("of one that has just gone").isEmpty();
    }

    /** Members forget at different moments: else each would put back what another has just removed. */
    @Test
    void nobodyRestoresWhatIsSoonForgotten() {
        assertThat(new Leftovers(view, NOW).worthRestoring(rank(NOW - DAY / 2))).isTrue();
        assertThat(new Leftovers(view, NOW).worthRestoring(rank(NOW - DAY / 2 - 1))).isFalse();
        view.learn(Posting.of(relay(NOW - 3 * DAY), "r1", NOW));
        assertThat(new Leftovers(view, NOW).worthRestoring(rank(NOW - 2 * DAY))).isTrue();
        assertThat(new Leftovers(view, NOW).worthRestoring(Posting.ended(7, "r1", NOW - DAY / 2 - 1))).isFalse();
    }

    /** Many small jobs a second would fill the heap within the day. */
    @Test
    void ofManyJobsTheLatestAreKnownAsEnded() {
        for (int job = 0; job <= Leftovers.ENDED_MAX; job++) {
            view.learn(Posting.ended(job, "r1", NOW + job));
        }
        Leftovers leftovers = new Leftovers(view, NOW + Leftovers.ENDED_MAX);
        assertThat(leftovers.aged()).containsExactly(Posting.ended(0, "r1", NOW));
        int half = Leftovers.ENDED_MAX / 2;
        assertThat(leftovers.worthRestoring(Posting.ended(half, "r1", NOW + half))).isFalse();
        assertThat(leftovers.worthRestoring(Posting.ended(half + 1, "r1", NOW + half + 1))).isTrue();
    }

    /** Started at that time. */
    private static RelayEntry relay(long epoch) {
        return new RelayEntry("site-r1", "r1", "127.0.0.1:7411", "", "", epoch, epoch);
    }

    private static Posting rank(long stamp) {
        return Posting.of(Groups.rank(7, 0, 1, "r1"), "r1", stamp);
    }
}
