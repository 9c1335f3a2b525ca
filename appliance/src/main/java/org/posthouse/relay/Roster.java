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
 * Which relays a launcher is told of: as many as one frame takes, 143 with the longest names and addresses. The one that answers comes first, then of
 * each site in turn the one with the fewest ranks: so no site is left out for another's second relay.
 */
final class Roster {
    private record Turn(int round, HomeRelay home, int ranks) {}

    private Roster() {}

    /** @param ranks how many are at home at {@code self} */
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
