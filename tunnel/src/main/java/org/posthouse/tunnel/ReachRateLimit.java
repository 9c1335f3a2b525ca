package org.posthouse.tunnel;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.wire.LinkReach;

/**
 * Limits the rate of neighbours' announcements. An announcement within an interval after the last effective one waits
 * until the interval ends, and a later one replaces it. So a neighbour that announces constantly costs no more than one
 * that respects the interval. Confined to the relay's context; uses no clock.
 */
final class ReachRateLimit {
    private static final class Turn {
        private long nanos;

        /** Null if no announcement waits. */
        private LinkReach waiting;
    }

    private final long intervalNanos;
    private final Map<String, Turn> turns = new HashMap<>();

    ReachRateLimit(long intervalNanos) {
        this.intervalNanos = intervalNanos;
    }

    /** @return whether {@code reach} takes effect now; if not, {@link #due} returns it later */
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

    /** Returns the announcements that take effect now, by neighbour. */
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

    /** Nanoseconds until the next waiting announcement is due; negative if none waits. */
    long nextNanos(long nowNanos) {
        return turns.values().stream()
                .filter(turn -> turn.waiting != null)
                .mapToLong(turn -> Math.max(0, leftNanos(turn, nowNanos)))
                .min()
                .orElse(-1);
    }

    /** Removes {@code neighbour}, which is no longer a neighbour. */
    void forget(String neighbour) {
        turns.remove(neighbour);
    }

    private long leftNanos(Turn turn, long nowNanos) {
        return intervalNanos - (nowNanos - turn.nanos);
    }
}
