package org.posthouse.relay.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.posthouse.status.RelayMetrics.Flow;
import org.posthouse.status.Traffic;

/**
 * The traffic of ranks and of each link, by mode. Traffic only grow; their increase is added to the mode that was in
 * force. Confined to the relay's control strand.
 */
public final class TrafficCounters {
    private final Map<String, Traffic> last = new HashMap<>();
    private final Map<String, Map<String, Traffic>> byMode = new LinkedHashMap<>();

    /**
     * Adds the increase since the last call. A count may fall behind its earlier value for a moment, while a job moves
     * from the live counts to those of ended jobs. It grows again once it has caught up.
     *
     * @param link the relay at the far end, or empty for the ranks
     */
    public void note(String mode, String link, Traffic now) {
        Traffic before = last.getOrDefault(link, Traffic.NONE);
        Traffic reached = now.max(before);
        last.put(link, reached);
        byMode.computeIfAbsent(mode, unseen -> new LinkedHashMap<>())
                .merge(link, reached.minus(before), Traffic::plus);
    }

    /** Forgets links to other relays than these. */
    public void keepOnly(Set<String> links) {
        Predicate<String> isGone = link -> !link.isEmpty() && !links.contains(link);
        last.keySet().removeIf(isGone);
        byMode.values().forEach(mode -> mode.keySet().removeIf(isGone));
    }

    /** One entry for each mode and link. */
    public List<Flow> flows() {
        List<Flow> flows = new ArrayList<>();
        byMode.forEach((mode, links) -> links.forEach((link, counts) -> flows.add(new Flow(mode, link, counts))));
        return flows;
    }
}
