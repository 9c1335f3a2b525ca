package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostingTest {
    private static final RelayEntry ENTRY = new RelayEntry("north", "a", "h:1", "h:2", "h:3", 5, 900);
    private final Posting stored = Posting.of(ENTRY, "a", 1_000);

    @Test
    void parsesItsOwnText() {
        for (Posting posting : new Posting[] {
            stored,
            stored.vanished(2_000),
            Posting.of(new RankEntry(7, 3, "north", "a", 2, "running \"x\" é"), "a", 1),
            Posting.ended(Long.MIN_VALUE, "a", 1)
        }) {
            assertThat(Posting.parse(posting.text())).isEqualTo(posting);
        }
    }

    @Test
    void staysReadableByTheNextRelease() {
        assertThat(stored.text()).isEqualTo("{\"version\":5,\"standing\":\"PRESENT\",\"stamp\":1000,\"member\":\"a\","
                + "\"relay\":{\"site\":\"north\",\"relay\":\"a\",\"address\":\"h:1\",\"links\":\"h:2\",\"ops\":\"h:3\","
                + "\"epoch\":5,\"since\":900,\"ranks\":0,\"nodes\":{\"nodes\":0,\"slots\":0,\"free\":0}}}");
        assertThat(Posting.parse(stored.text().replaceFirst(",\"nodes\":[^}]*}", ""))).as("of a relay without nodes").isEqualTo(stored);
        String ofNextRelease = stored.text().replace("\"site\"", "\"colour\":\"red\",\"site\"");
        assertThat(Posting.parse(ofNextRelease)).isEqualTo(stored);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "{}", "[]", "{\"version\":1}", "{\"version\":1,\"standing\":\"PRESENT\","
            + "\"stamp\":1,\"member\":\"a\"}",
        "x"})
    void refusesTextThatIsNoPosting(String text) {
        assertThatThrownBy(() -> Posting.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a directory posting: " + text);
    }

    @Test
    void anOlderVersionIsRefusedHoweverLateItsStamp() {
        Posting older = Posting.of(new RelayEntry("north", "a", "h:1", "", "", 4, 900), "a", 999_999);

        assertThat(older.over(stored)).isEmpty();
    }

    @Test
    void theStampRisesEvenIfTheWritersClockIsBehind() {
        Posting late = Posting.withdrawn("a", 5, stored, "a", 10);

        assertThat(late.over(stored)).hasValueSatisfying(next -> {
            assertThat(next.laterThan(stored)).isTrue();
            assertThat(next.standing()).isEqualTo(Posting.Standing.WITHDRAWN);
        });
    }

    @Test
    void theSamePostingAgainChangesNothing() {
        assertThat(Posting.of(ENTRY, "a", 2_000).over(stored)).containsSame(stored);
    }

    @Test
    void vanishedHoldsOnlyForThePostingThatWasSeen() {
        Posting verdict = stored.vanished(2_000);
        Posting moved = Posting.of(new RelayEntry("north", "a", "h:9", "", "", 5, 900), "a", 1_001);
        Posting newer = Posting.of(new RelayEntry("north", "a", "h:1", "", "", 6, 900), "a", 1_000);

        assertThat(verdict.over(moved)).isEmpty();
        assertThat(verdict.over(newer)).isEmpty();
        assertThat(verdict.over(null)).isEmpty();
        assertThat(verdict.over(stored)).hasValueSatisfying(next -> {
            assertThat(next.laterThan(stored)).isTrue();
            assertThat(next.relay().since()).isEqualTo(900);
        });
    }

    @Test
    void withdrawingAnEpochThatIsNotTheKnownOneTakesNothingFromIt() {
        assertThat(Posting.withdrawn("a", 6, stored, "a", 1).relay())
                .isEqualTo(new RelayEntry("", "a", "", "", "", 6, 0));
    }
}
