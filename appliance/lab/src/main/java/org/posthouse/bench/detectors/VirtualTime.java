package org.posthouse.bench.detectors;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes from one event to the next. Events of one moment run in the order in which they were set. */
final class VirtualTime {
    private record Event(long atNanos, long number, Runnable action) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));
    private long nowNanos;
    private long last;

    long now() {
        return nowNanos;
    }

    /** Sets an event; one of the past happens now. */
    void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(nanos, nowNanos), ++last, action));
    }

    void after(long nanos, Runnable action) {
        at(nowNanos + nanos, action);
    }

    /** Runs all events up to a moment, which is the present then. */
    void runTo(long nanos) {
        while (!events.isEmpty() && events.peek().atNanos <= nanos) {
            Event event = events.remove();
            nowNanos = event.atNanos;
            event.action.run();
        }
        nowNanos = nanos;
    }
}
