package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is read of the elected relay's record. */
class RecordedNodesTest {
    private static final RecordedNodes.Relay LYON = new RecordedNodes.Relay("lyon", "lyon/2", "h:1", 3, 48, 1_234);

    @Test
    void eachFieldOfACopyIsARelayButForTheTimeOfTheCopy() {
        Map<String, String> fields = Map.of("lyon/2", "site=lyon address=h:1 epoch=7 nodes=3 slots=48", "copyWritten", "1234");
        assertThat(RecordedNodes.relays(new TreeMap<>(fields))).containsExactly(LYON);
    }

    /** Another release may write other words. */
    @Test
    void whatIsNotUnderstoodCountsAsNothing() {
        Map<String, String> fields = Map.of("bonn", "site=bonn nodes=many slots=-1 colour", "copyWritten", "yesterday");
        assertThat(RecordedNodes.relays(new TreeMap<>(fields))).containsExactly(new RecordedNodes.Relay("bonn", "bonn", "", 0, 0, 0));
    }

    @Test
    void relaysThatHaveAnsweredAreLeftOut() {
        RecordedNodes.Relay bonn = new RecordedNodes.Relay("bonn", "bonn", "h:2", 1, 2, 0);
        assertThat(new RecordedNodes("x", List.of(LYON, bonn)).without(Set.of("bonn", "other")).relays()).containsExactly(LYON);
    }
}
