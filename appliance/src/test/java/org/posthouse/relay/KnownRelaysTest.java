package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.directory.NodeTotals;
import org.posthouse.directory.RelayEntry;
import org.posthouse.status.RelayStatus.KnownRelay;

/** A relay that the directory has no more is silent for a while, and then forgotten. */
class KnownRelaysTest {
    private final KnownRelays known = new KnownRelays();
    private final RelayEntry here = entry("here", 1);

    @Test
    void aRelayThatIsGoneIsSilentUntilItIsBackOrForgotten() {
        RelayEntry there = entry("there", 1);
        assertThat(known.look(List.of(here, there), 1_000)).extracting(KnownRelay::alive).containsExactly(true, true);
        KnownRelay silent = known.look(List.of(here), 2_000).getLast();
        assertThat(silent).isEqualTo(new KnownRelay("there", "there", "127.0.0.1:7411", 1, false, 2_000, 4, 2, 16, 5));
        assertThat(known.look(List.of(here), 3_000)).last().isEqualTo(silent);
        assertThat(known.look(List.of(here, entry("there", 2)), 4_000)).extracting(KnownRelay::alive).containsExactly(true, true);
        known.look(List.of(here), 5_000);
        assertThat(known.look(List.of(here), 5_000 + KnownRelays.SILENT_MS_MAX - 1)).hasSize(2);
        assertThat(known.look(List.of(here), 5_000 + KnownRelays.SILENT_MS_MAX)).hasSize(1);
    }

    @Test
    void keepsOnlyTheLatestSilentRelays() {
        int more = KnownRelays.SILENT_MAX + 3;
        IntStream.rangeClosed(1, more).forEach(i -> known.look(List.of(entry("relay" + i, 1)), i));
        assertThat(known.look(List.of(here), more + 1))
                .hasSize(KnownRelays.SILENT_MAX + 1)
                .extracting(KnownRelay::relay)
                .contains("relay" + more)
                .doesNotContain("relay3");
    }

    private static RelayEntry entry(String relay, long epoch) {
        return new RelayEntry(relay, relay, "127.0.0.1:7411", "", "", epoch, 10 * epoch, 4, new NodeTotals(2, 16, 5));
    }
}
