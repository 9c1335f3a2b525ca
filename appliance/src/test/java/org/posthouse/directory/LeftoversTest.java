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
        assertThat(Leftovers.aged(view, NOW + DAY)).isEmpty();
        assertThat(Leftovers.aged(view, NOW + DAY + 1)).containsExactly(vanished);
    }

    @Test
    void ranksGoADayAfterTheLastWordOfARelayThatIsKnownNoMore() {
        Posting rank = rank(NOW - DAY - 1);
        Posting later = Posting.of(Groups.rank(7, 1, 1, "r1"), "r1", NOW - DAY);
        view.learn(rank);
        view.learn(later);
        assertThat(Leftovers.aged(view, NOW)).containsExactly(rank);
        view.learn(Posting.withdrawn("r1", 1, null, "r1", NOW));
        assertThat(Leftovers.aged(view, NOW)).as("of one that has just gone").isEmpty();
    }

    /** Members forget at different moments: else each would put back what another has just removed. */
    @Test
    void nobodyRestoresWhatIsSoonForgotten() {
        assertThat(Leftovers.worthRestoring(view, rank(NOW - DAY / 2), NOW)).isTrue();
        assertThat(Leftovers.worthRestoring(view, rank(NOW - DAY / 2 - 1), NOW)).isFalse();
        view.learn(Posting.of(relay(NOW - 3 * DAY), "r1", NOW));
        assertThat(Leftovers.worthRestoring(view, rank(NOW - 2 * DAY), NOW)).isTrue();
        assertThat(Leftovers.worthRestoring(view, Posting.ended(7, "r1", NOW - DAY / 2 - 1), NOW)).isFalse();
    }

    /** Started at that time. */
    private static RelayEntry relay(long epoch) {
        return new RelayEntry("site-r1", "r1", "127.0.0.1:7411", "", "", epoch, epoch);
    }

    private static Posting rank(long stamp) {
        return Posting.of(Groups.rank(7, 0, 1, "r1"), "r1", stamp);
    }
}
