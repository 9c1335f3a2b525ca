package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameRecord;

class ChangeListenerTest {
    private final List<String> heard = new ArrayList<>();
    private final ChangeListener listener = new ChangeListener(
            Name.parse("a"), change -> heard.add(change.bound().name() + " " + change.bound().version() + (change.present() ? "" : " gone")));

    private static BoundName bound(String name, long version) {
        return new BoundName(Name.parse(name), NameRecord.of(Map.of()), version);
    }

    private void change(String name, long version, boolean present) {
        listener.change(new NameChange(bound(name, version), present));
    }

    @Test
    void eachVersionIsToldOnceAndWhatIsElsewhereNever() {
        change("a/1", 1, true);
        change("a/1", 1, true);
        change("b/1", 1, true);
        change("a/1", 2, true);
        change("a/1", 1, true);
        change("a/1", 2, false);
        assertThat(heard).containsExactly("a/1 1", "a/1 2", "a/1 2 gone");
    }

    @Test
    void aListingThatIsOlderThanTheFeedSaysNothingOld() {
        Map<Name, NameChange> before = listener.beginListing();
        change("a/1", 3, true);
        change("a/2", 1, true);
        change("a/2", 1, false);
        listener.listed(List.of(bound("a/1", 2), bound("a/2", 1), bound("a/3", 4)), before);
        listener.endListing();
        assertThat(heard).containsExactly("a/1 3", "a/2 1", "a/2 1 gone", "a/3 4");
    }

    @Test
    void whatIsNotListedAnyMoreWasUnboundUnlessItHasChangedMeanwhile() {
        change("a/1", 1, true);
        change("a/2", 1, true);
        change("a/3", 1, true);
        Map<Name, NameChange> before = listener.beginListing();
        change("a/2", 2, true);
        heard.clear();
        listener.listed(List.of(bound("a/3", 1)), before);
        listener.endListing();
        assertThat(heard).containsExactly("a/1 1 gone");
    }

    @Test
    void aClosedListenerHearsNothing() {
        listener.close();
        change("a/1", 1, true);
        listener.listed(List.of(bound("a/1", 2)), Map.of());
        assertThat(heard).isEmpty();
    }
}
