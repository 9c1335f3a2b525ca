package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameRecord;

class ChangeRingTest {
    private final ChangeRing ring = new ChangeRing(3);

    private static NameChange change(long version, int bytes) {
        return new NameChange(new BoundName(Name.parse("a"), NameRecord.of(Map.of("v", "x".repeat(bytes))), version), true);
    }

    private void add(long index, NameChange change) {
        ring.add(index, change);
        ring.applied(index);
    }

    @Test
    void whoKnowsNothingOrHasMissedChangesIsToldOfAGap() {
        assertThat(ring.page(-1)).isEqualTo(new ChangePage(true, -1, List.of()));
        ring.reset(10);
        assertThat(ring.page(9)).isEqualTo(new ChangePage(true, 10, List.of()));
        assertThat(ring.page(10)).isEqualTo(new ChangePage(false, 10, List.of()));
        for (int index = 11; index <= 14; index++) {
            add(index, change(index, 1));
        }
        assertThat(ring.page(10)).as("the change at 11 has made room").isEqualTo(new ChangePage(true, 14, List.of()));
        assertThat(ring.page(11)).isEqualTo(new ChangePage(false, 14, List.of(change(12, 1), change(13, 1), change(14, 1))));
    }

    @Test
    void entriesWithoutAChangeMoveTheIndex() {
        ring.reset(0);
        add(1, change(1, 1));
        ring.applied(5);
        assertThat(ring.page(1)).isEqualTo(new ChangePage(false, 5, List.of()));
        assertThat(ring.page(9)).as("of a leader that is behind").isEqualTo(new ChangePage(false, 9, List.of()));
    }

    @Test
    void pagesAreOfAboutOneMebibyte() {
        ChangeRing large = new ChangeRing(1_000);
        large.reset(0);
        for (int index = 1; index <= 40; index++) {
            large.add(index, change(index, 60_000));
            large.applied(index);
        }
        ChangePage first = large.page(0);
        assertThat(first.changes()).hasSize(18);
        assertThat(first.upTo()).isEqualTo(18);
        assertThat(large.page(36).changes()).hasSize(4);
        for (int index = 41; index <= 200; index++) {
            large.add(index, change(index, 60_000));
        }
        assertThat(large.page(40).isGap()).as("8 MiB are kept").isTrue();
        assertThat(large.page(100).isGap()).isFalse();
    }
}
