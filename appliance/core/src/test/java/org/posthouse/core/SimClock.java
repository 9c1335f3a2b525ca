package org.posthouse.core;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Virtual time: runs what is due, in order of time and, at one time, of asking. One thread. */
final class SimClock {
    private record Event(long at, long order, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long now;
    private long order;

    long now() {
        return now;
    }

    void at(long time, Runnable action) {
        events.add(new Event(Math.max(time, now), order++, action));
    }

    void after(long ticks, Runnable action) {
        at(now + ticks, action);
    }

    /** Runs until nothing is due any more. */
    void run() {
        for (Event event = events.poll(); event != null; event = events.poll()) {
            now = event.at();
            event.action().run();
        }
    }
}
