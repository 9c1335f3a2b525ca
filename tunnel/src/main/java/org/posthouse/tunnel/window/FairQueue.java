package org.posthouse.tunnel.window;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Schedules the frames of several flows fairly by bytes, one frame at a time. The next frame is from the flow that has
 * sent least; among equals, from the one that has waited longest. So flows of equal frames take turns, and one with
 * frames four times as long gets a quarter of the turns (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996;
 * here without weights). Confined to a link's queue.
 *
 * @param <F> the key of a flow
 */
final class FairQueue<F> {
    /**
     * Flows, including empty ones until their turn, so that a briefly empty flow keeps its count. The first flow has a
     * frame.
     */
    private final PriorityQueue<Turn<F>> turns = new PriorityQueue<>(Comparator.<Turn<F>>comparingLong(turn -> turn.had).thenComparingLong(turn -> turn.place));

    private final Map<F, Turn<F>> ofFlow = new HashMap<>();
    private long places;

    void add(F flow, LinkFrame frame) {
        ofFlow.computeIfAbsent(flow, this::enter).frames.add(frame);
    }

    /** Adds a flow with the least count of all. A flow without frames thus saves up no turns. */
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

    /** Removes all frames of these flows, each flow's in order. */
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

    /** A flow, the bytes it has sent, and its place in the order of waiting. */
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
