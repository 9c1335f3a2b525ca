package org.posthouse.tunnel;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Frames of flows that share by bytes, a frame at a time: next is one of the flow that has had least, and where several have had as much, of the one that has
 * waited longest. So flows of equal frames take turns, and one whose frames are four times as long has a quarter of the turns (start-time fair queueing:
 * Goyal, Vin, Cheng, SIGCOMM 1996; here without weights). Confined to a link's queue.
 *
 * @param <F> what names a flow
 */
final class LinkTurns<F> {
    /** Also of flows without a frame, until it would be their turn: who has none for a moment keeps what it has had. The first has a frame. */
    private final PriorityQueue<Turn<F>> turns = new PriorityQueue<>(Comparator.<Turn<F>>comparingLong(turn -> turn.had).thenComparingLong(turn -> turn.place));

    private final Map<F, Turn<F>> ofFlow = new HashMap<>();
    private long places;

    void add(F flow, LinkFrame frame) {
        ofFlow.computeIfAbsent(flow, this::enter).frames.add(frame);
    }

    /** Behind those that have had least: nobody saves up turns while it has nothing to send. */
    private Turn<F> enter(F flow) {
        Turn<F> turn = new Turn<>(flow, turns.isEmpty() ? 0 : turns.peek().had, places++);
        turns.add(turn);
        return turn;
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** The frame that {@link #next} would take. */
    LinkFrame first() {
        return turns.peek().frames.getFirst();
    }

    LinkFrame next() {
        Turn<F> turn = turns.remove();
        LinkFrame frame = turn.frames.remove();
        turn.had += frame.length();
        turn.place = places++;
        turns.add(turn);
        dropIdle();
        return frame;
    }

    /** Takes all frames of these flows, each flow's in their order. */
    List<LinkFrame> takeAll(Predicate<F> which) {
        List<Turn<F>> taken = turns.stream().filter(turn -> which.test(turn.flow)).toList();
        turns.removeIf(turn -> which.test(turn.flow));
        taken.forEach(turn -> ofFlow.remove(turn.flow));
        dropIdle();
        return taken.stream().flatMap(turn -> turn.frames.stream()).toList();
    }

    void clear() {
        turns.clear();
        ofFlow.clear();
    }

    private void dropIdle() {
        while (!turns.isEmpty() && turns.peek().frames.isEmpty()) {
            ofFlow.remove(turns.remove().flow);
        }
    }

    /** A flow, what it has had, and since when it waits. */
    private static final class Turn<F> {
        private final F flow;
        private final ArrayDeque<LinkFrame> frames = new ArrayDeque<>();
        private long had;
        private long place;

        private Turn(F flow, long had, long place) {
            this.flow = flow;
            this.had = had;
            this.place = place;
        }
    }
}
