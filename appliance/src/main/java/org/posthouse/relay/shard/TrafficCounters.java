package org.posthouse.relay.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.posthouse.ops.RelayMeasures.Flow;

/**
 * The traffic of ranks and of each link, by mode. Counts only grow; their increase is added to the mode that was in
 * force. Confined to the relay's control strand.
 */
public final class TrafficCounters {
    private final Map<String, Counts> last = new HashMap<>();
    private final Map<String, Map<String, Counts>> byMode = new LinkedHashMap<>();

    /** Four traffic counts. Immutable. */
    public record Counts(long messagesIn, long messagesOut, long bytesIn, long bytesOut) {
        public static final Counts NONE = new Counts(0, 0, 0, 0);

        public Counts plus(Counts other) {
            return new Counts(
                    messagesIn + other.messagesIn,
                    messagesOut + other.messagesOut,
                    bytesIn + other.bytesIn,
                    bytesOut + other.bytesOut);
        }

        private Counts grownSince(Counts before) {
            return new Counts(
                    messagesIn - before.messagesIn,
                    messagesOut - before.messagesOut,
                    bytesIn - before.bytesIn,
                    bytesOut - before.bytesOut);
        }

        /** The maximum of each count and its earlier value. */
        private Counts atLeast(Counts before) {
            return new Counts(
                    Math.max(messagesIn, before.messagesIn),
                    Math.max(messagesOut, before.messagesOut),
                    Math.max(bytesIn, before.bytesIn),
                    Math.max(bytesOut, before.bytesOut));
        }
    }

    /**
     * Adds the increase since the last call. A count may fall behind its earlier value for a moment, while a job moves
     * from the live counts to those of ended jobs. It grows again once it has caught up.
     *
     * @param link the relay at the far end, or empty for the ranks
     */
    public void note(String mode, String link, Counts now) {
        Counts before = last.getOrDefault(link, Counts.NONE);
        Counts reached = now.atLeast(before);
        last.put(link, reached);
        byMode.computeIfAbsent(mode, unseen -> new LinkedHashMap<>())
                .merge(link, reached.grownSince(before), Counts::plus);
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
        byMode.forEach((mode, links) -> links.forEach((link, counts) -> flows.add(new Flow(
                mode, link, counts.messagesIn, counts.messagesOut, counts.bytesIn, counts.bytesOut))));
        return flows;
    }
}
