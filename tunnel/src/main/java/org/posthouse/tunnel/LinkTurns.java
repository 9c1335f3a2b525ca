package org.posthouse.tunnel;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Predicate;

/**
 * Frames of flows that take turns, a frame each. Confined to a link's queue.
 *
 * @param <F> what names a flow
 */
final class LinkTurns<F> {
    /** The first is the one whose turn it is. No flow is here without a frame. */
    private final SequencedMap<F, ArrayDeque<LinkFrame>> flows = new LinkedHashMap<>();

    void add(F flow, LinkFrame frame) {
        flows.computeIfAbsent(flow, unseen -> new ArrayDeque<>()).add(frame);
    }

    boolean isEmpty() {
        return flows.isEmpty();
    }

    /** The frame that {@link #next} would take. */
    LinkFrame first() {
        return flows.firstEntry().getValue().getFirst();
    }

    LinkFrame next() {
        var turn = flows.pollFirstEntry();
        LinkFrame frame = turn.getValue().remove();
        if (!turn.getValue().isEmpty()) {
            flows.putLast(turn.getKey(), turn.getValue());
        }
        return frame;
    }

    /** Takes all frames of these flows, each flow's in their order. */
    List<LinkFrame> takeAll(Predicate<F> which) {
        List<F> taken = flows.keySet().stream().filter(which).toList();
        return taken.stream().map(flows::remove).flatMap(Collection::stream).toList();
    }

    void clear() {
        flows.clear();
    }
}
