package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.posthouse.ops.RelayMeasures.Flow;

/**
 * What was carried in each mode to and from each link: of counts that only grow, what they have grown by goes to the mode
 * that was in force. Confined to the relay's control strand.
 */
final class FlowBook {
    private final Map<String, Counts> last = new HashMap<>();
    private final Map<String, Map<String, Counts>> byMode = new LinkedHashMap<>();

    /** How much there was, in four counts. Immutable. */
    record Counts(long messagesIn, long messagesOut, long bytesIn, long bytesOut) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        Counts plus(Counts other) {
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

        /** Each count or, if it is behind, what it was before. */
        private Counts atLeast(Counts before) {
            return new Counts(
                    Math.max(messagesIn, before.messagesIn),
                    Math.max(messagesOut, before.messagesOut),
                    Math.max(bytesIn, before.bytesIn),
                    Math.max(bytesOut, before.bytesOut));
        }
    }

    /**
     * Notes how much there is by now. A count that is behind what it was, for a moment, because a job moves from those that
     * are counted live to those that have ended, grows again when it has come back there.
     *
     * @param link the relay at the far end, or empty for the ranks
     */
    void note(String mode, String link, Counts now) {
        Counts before = last.getOrDefault(link, Counts.NONE);
        Counts reached = now.atLeast(before);
        last.put(link, reached);
        byMode.computeIfAbsent(mode, unseen -> new LinkedHashMap<>())
                .merge(link, reached.grownSince(before), Counts::plus);
    }

    /** Of links to other relays than these nothing is kept. */
    void keepOnly(Set<String> links) {
        Predicate<String> isGone = link -> !link.isEmpty() && !links.contains(link);
        last.keySet().removeIf(isGone);
        byMode.values().forEach(mode -> mode.keySet().removeIf(isGone));
    }

    /** One entry for each mode and link noted. */
    List<Flow> flows() {
        List<Flow> flows = new ArrayList<>();
        byMode.forEach((mode, links) -> links.forEach((link, counts) -> flows.add(new Flow(
                mode, link, counts.messagesIn, counts.messagesOut, counts.bytesIn, counts.bytesOut))));
        return flows;
    }
}
