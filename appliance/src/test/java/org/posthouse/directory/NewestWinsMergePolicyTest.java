package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NewestWinsMergePolicyTest {
    @Test
    void mapUsesNewestWinsMergePolicy() {
        GroupConfig group = new GroupConfig("grid", "127.0.0.1", 7420, List.of(), "r1");

        assertThat(GroupMember.config(group, PostingProof.NONE, GroupMember.majority(group)).getMapConfig(GroupMember.MAP).getMergePolicyConfig().getPolicy())
                .isEqualTo(NewestWinsMergePolicy.class.getName());
    }

    @Test
    void theHigherEpochWinsHoweverEarlyItWasWritten() {
        assertWins(relay(6, "new", 10), relay(5, "old", 9_999));
    }

    @Test
    void theHigherIncarnationWinsHoweverEarlyItWasWritten() {
        assertWins(rank(3, "new", 10), rank(2, "old", 9_999));
    }

    @Test
    void aRelayThatLivesWinsOverOneThatTheOtherPartMissed() {
        assertWins(relay(5, "h:1", 10), relay(5, "h:1", 9_999).vanished(2_000));
    }

    @Test
    void aWithdrawalWinsOverAnEarlierAnnouncementOfItsEpoch() {
        Posting announced = relay(5, "h:1", 10);
        assertWins(Posting.withdrawn("a", 5, announced, "a", 11), announced);
    }

    @Test
    void amongEqualsTheLaterWriteWins() {
        assertWins(rank(2, "ended", 11), rank(2, "running", 10));
    }

    @Test
    void bothPartsComeToTheSameEvenIfWrittenInTheSameMillisecond() {
        String one = rank(2, "one", 10).text();
        String two = rank(2, "two", 10).text();

        assertThat(new NewestWinsMergePolicy().merge(one, two)).isEqualTo(new NewestWinsMergePolicy().merge(two, one));
    }

    @Test
    void equalPostingsStayAsTheyAre() {
        String text = rank(2, "running", 10).text();

        assertThat(new NewestWinsMergePolicy().merge(text, text)).isEqualTo(text);
    }

    @Test
    void keepsEntryThatOnlyOnePartHas() {
        assertThat(new NewestWinsMergePolicy().merge(rank(2, "x", 10).text(), null)).isEqualTo(rank(2, "x", 10).text());
    }

    @Test
    void textThatIsNoPostingLoses() {
        String good = rank(2, "x", 10).text();

        assertThat(new NewestWinsMergePolicy().merge("garbled", good)).isEqualTo(good);
        assertThat(new NewestWinsMergePolicy().merge(good, "garbled")).isEqualTo(good);
    }

    private static void assertWins(Posting winner, Posting loser) {
        for (String text : new String[] {
            new NewestWinsMergePolicy().merge(winner.text(), loser.text()), new NewestWinsMergePolicy().merge(loser.text(), winner.text())
        }) {
            Posting merged = Posting.parse(text);
            assertThat(merged.sameAs(winner)).as(text).isTrue();
            assertThat(merged.laterThan(loser)).as("views take it: %s", text).isTrue();
        }
    }

    private static Posting relay(long epoch, String address, long stamp) {
        return Posting.of(new RelayEntry("north", "a", address, "", "", epoch, 1), "a", stamp);
    }

    private static Posting rank(int incarnation, String state, long stamp) {
        return Posting.of(new RankEntry(7, 3, "north", "a", incarnation, state), "a", stamp);
    }
}
