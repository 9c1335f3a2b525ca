package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.directory.NodeTotals;
import org.posthouse.directory.RelayEntry;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** Which relays a launcher is told of, and in which order. */
class RelayListingTest {
    private static final HomeRelay SELF = new HomeRelay("b", "b/2", "h:2");

    @Test
    void theOneThatAnswersThenOfEachSiteInTurnTheOneWithTheFewestRanks() {
        Welcome welcome = RelayListing.welcome(
                SELF, 5, List.of(entry("a", "a", 3), entry("a", "a/2", 0), entry("b", "b", 1), entry("b", "b/2", 9), entry("c", "c", 2)));
        assertThat(welcome.homes()).extracting(HomeRelay::relay).containsExactly("b/2", "a/2", "c", "b", "a");
        assertThat(welcome.ranksAt()).containsExactly(5, 0, 2, 1, 3);
        assertThat(welcome.self()).isZero();
        assertThat(welcome.pages()).as("left out").isZero();
    }

    @Test
    void noSiteIsLeftOutForAnothersSecondRelay() {
        String far = "h".repeat(240);
        List<RelayEntry> directory = IntStream.range(0, 600)
                .mapToObj(i -> new RelayEntry("s" + i % 100, "s" + i % 100 + "/" + i, far, "", "", 1, 1, i % 7, NodeTotals.NONE))
                .toList();
        Welcome welcome = RelayListing.welcome(SELF, 0, directory);
        assertThat(welcome.encode().remaining()).isLessThanOrEqualTo(Wire.FRAME_BYTES_MAX);
        assertThat(welcome.homes().getFirst()).isEqualTo(SELF);
        assertThat(welcome.homes().stream().map(HomeRelay::site).distinct()).hasSize(101);
        assertThat(welcome.homes().size() + welcome.pages()).isEqualTo(601);
        assertThat(welcome.pages()).isPositive();
    }

    private static RelayEntry entry(String site, String relay, int ranks) {
        return new RelayEntry(site, relay, "h:1", "", "", 1, 1, ranks, NodeTotals.NONE);
    }
}
