package org.posthouse.relay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.directory.RelayEntry;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Welcome;

/**
 * Selects the relays that are listed to a launcher: as many as fit in one frame, 143 with the longest names and
 * addresses. The answering relay comes first. Then each site in turn adds its relay with the fewest ranks, so no site
 * is left out for another's second relay.
 */
final class RelayListing {
    private record Turn(int round, HomeRelay home, int ranks) {}

    private RelayListing() {}

    /** @param ranks number of ranks that are at home at {@code self} */
    static Welcome welcome(HomeRelay self, int ranks, List<RelayEntry> directory) {
        List<RelayEntry> others = directory.stream()
                .filter(entry -> !entry.relay().equals(self.relay()))
                .sorted(Comparator.comparingInt(RelayEntry::ranks).thenComparing(RelayEntry::relay))
                .toList();
        Map<String, Integer> ofSite = new HashMap<>(Map.of(self.site(), 1));
        List<Turn> turns = new ArrayList<>(List.of(new Turn(0, self, ranks)));
        others.forEach(entry -> turns.add(new Turn(
                ofSite.merge(entry.site(), 1, Integer::sum) - 1, new HomeRelay(entry.site(), entry.relay(), entry.address()), entry.ranks())));
        turns.sort(Comparator.comparingInt(Turn::round));
        return Welcome.launcher(
                turns.stream().map(Turn::home).toList(), turns.stream().mapToInt(Turn::ranks).toArray());
    }
}
