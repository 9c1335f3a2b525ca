package org.posthouse.tunnel;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.wire.LinkReach;

/**
 * How often neighbours are listened to: what one says sooner than an interval behind what counted last waits until then, and what it says meanwhile
 * takes its place. So one that says ever more costs no more than one that keeps to the interval. Confined to the relay's context; knows no clock.
 */
final class ReachPace {
    private static final class Turn {
        private long nanos;

        /** Null if nothing is. */
        private LinkReach waiting;
    }

    private final long intervalNanos;
    private final Map<String, Turn> turns = new HashMap<>();

    ReachPace(long intervalNanos) {
        this.intervalNanos = intervalNanos;
    }

    /** @return whether {@code reach} counts now; if not, {@link #due} has it later */
    boolean admits(String neighbour, LinkReach reach, long nowNanos) {
        Turn turn = turns.get(neighbour);
        if (turn == null) {
            turn = new Turn();
            turns.put(neighbour, turn);
        } else if (leftNanos(turn, nowNanos) > 0) {
            turn.waiting = reach;
            return false;
        }
        turn.nanos = nowNanos;
        turn.waiting = null;
        return true;
    }

    /** What counts from now on, by who said it. */
    Map<String, LinkReach> due(long nowNanos) {
        Map<String, LinkReach> due = new HashMap<>();
        turns.forEach((neighbour, turn) -> {
            if (turn.waiting != null && leftNanos(turn, nowNanos) <= 0) {
                due.put(neighbour, turn.waiting);
                turn.nanos = nowNanos;
                turn.waiting = null;
            }
        });
        return due;
    }

    /** How long it is until something of what waits is due; negative if nothing waits. */
    long nextNanos(long nowNanos) {
        return turns.values().stream()
                .filter(turn -> turn.waiting != null)
                .mapToLong(turn -> Math.max(0, leftNanos(turn, nowNanos)))
                .min()
                .orElse(-1);
    }

    /** {@code neighbour} is none any more. */
    void forget(String neighbour) {
        turns.remove(neighbour);
    }

    private long leftNanos(Turn turn, long nowNanos) {
        return intervalNanos - (nowNanos - turn.nanos);
    }
}
