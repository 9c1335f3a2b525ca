package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.posthouse.names.NameRecord;

class NewestNameMergePolicyTest {
    private static StoredName stored(long term, long epoch, long version, String value) {
        return StoredName.of(new NameRecord(new TreeMap<>(Map.of("v", value)), epoch), version, term, "change-" + value);
    }

    private static void assertWins(StoredName winner, StoredName loser) {
        for (String text : new String[] {
            NewestNameMergePolicy.merge(winner.text(), loser.text()), NewestNameMergePolicy.merge(loser.text(), winner.text())
        }) {
            StoredName merged = StoredName.parse(text);
            assertThat(merged.record()).isEqualTo(winner.record());
            assertThat(merged.bound()).isEqualTo(winner.bound());
            assertThat(merged.version()).as("listeners of the other part take it").isGreaterThan(loser.version());
        }
    }

    /** The minority has stored what it could not confirm, before it knew that it is one. */
    @Test
    void thePartWithTheLaterMemberListWinsWhateverTheOtherHasStored() {
        assertWins(stored(8, 3, 5, "majority"), stored(7, 4, 9, "minority"));
    }

    @Test
    void withinATermTheHigherEpochWins() {
        assertWins(stored(7, 4, 5, "leader"), stored(7, 3, 9, "old"));
    }

    @Test
    void withinAnEpochTheHigherVersionWins() {
        assertWins(stored(7, 4, 6, "late"), stored(7, 4, 5, "early"));
    }

    @Test
    void aNameThatWasUnboundStaysSo() {
        StoredName bound = stored(7, 4, 6, "x");
        String merged = NewestNameMergePolicy.merge(bound.text(), bound.unbound(7, "unbinding").text());
        assertThat(StoredName.parse(merged).bound()).isFalse();
        assertThat(StoredName.parse(NewestNameMergePolicy.merge(bound.unbound(7, "unbinding").text(), bound.text())).bound()).isFalse();
    }

    @Test
    void bothPartsComeToTheSame() {
        String one = stored(7, 4, 6, "one").text();
        String two = stored(7, 4, 6, "two").text();
        assertThat(NewestNameMergePolicy.merge(one, two)).isEqualTo(NewestNameMergePolicy.merge(two, one));
    }

    @Test
    void whatOnlyOnePartHasStays() {
        String one = stored(7, 4, 6, "one").text();
        assertThat(NewestNameMergePolicy.merge(one, null)).isEqualTo(one);
    }

    @Test
    void theSameRecordKeepsItsVersion() {
        String one = stored(7, 4, 6, "one").text();
        assertThat(NewestNameMergePolicy.merge(one, one)).isEqualTo(one);
        assertThat(StoredName.parse(NewestNameMergePolicy.merge(one, stored(6, 4, 6, "one").text())).version()).isEqualTo(6);
    }

    @Test
    void textThatIsNoRecordLoses() {
        String good = stored(7, 4, 6, "one").text();
        for (String bad : new String[] {"garbled", "null", "{\"version\":0,\"epoch\":0,\"term\":0,\"bound\":true,\"change\":\"\",\"fields\":{}}"}) {
            assertThat(NewestNameMergePolicy.merge(bad, good)).isEqualTo(good);
            assertThat(NewestNameMergePolicy.merge(good, bad)).isEqualTo(good);
        }
    }
}
