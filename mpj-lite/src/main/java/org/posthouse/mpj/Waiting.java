package org.posthouse.mpj;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.posthouse.wire.Wire;

/**
 * Receives of one context that wait in the rank, by the source that they name. That which a message gets is found in constant time, but for
 * those with another tag before it. Guarded by the endpoint's lock.
 */
final class Waiting {
    private final Deque<Receiving> anySource = new ArrayDeque<>();

    /** By source; null of a source that none has named. */
    private final List<Deque<Receiving>> bySource = new ArrayList<>();

    /** A receive is called, after all that wait. */
    void add(Receiving receiving) {
        queue(receiving.source).add(receiving);
    }

    private Deque<Receiving> queue(int source) {
        if (source == Wire.ANY) {
            return anySource;
        }
        while (bySource.size() <= source) {
            bySource.add(null);
        }
        if (bySource.get(source) == null) {
            bySource.set(source, new ArrayDeque<>(1));
        }
        return bySource.get(source);
    }

    /** The receive that was called first of those that take such a message, which waits no more; null if there is none. */
    Receiving take(int source, int tag) {
        Receiving taken = find(source, tag);
        if (taken != null) {
            remove(taken);
        }
        return taken;
    }

    /** The receive that {@link #take} would take; null if there is none. */
    Receiving find(int source, int tag) {
        Deque<Receiving> named = source < bySource.size() ? bySource.get(source) : null;
        Receiving first = named == null ? null : first(named, tag);
        Receiving any = first(anySource, tag);
        return first == null || any != null && any.ordinal() < first.ordinal() ? any : first;
    }

    private static Receiving first(Deque<Receiving> queue, int tag) {
        for (Receiving receiving : queue) {
            if (receiving.tag == Wire.ANY || receiving.tag == tag) {
                return receiving;
            }
        }
        return null;
    }

    private static void remove(Deque<Receiving> queue, Receiving receiving) {
        if (queue.peekFirst() == receiving) {
            queue.removeFirst();
            return;
        }
        Iterator<Receiving> each = queue.iterator();
        while (each.next() != receiving) {
            // Those before it have other tags.
        }
        each.remove();
    }

    void remove(Receiving receiving) {
        Deque<Receiving> named = receiving.source == Wire.ANY ? anySource : bySource.get(receiving.source);
        remove(named, receiving);
    }

    /** As {@link #remove}; false if it is not here. */
    boolean removeIfThere(Receiving receiving) {
        Deque<Receiving> named = receiving.source == Wire.ANY ? anySource : receiving.source < bySource.size() ? bySource.get(receiving.source) : null;
        return named != null && named.remove(receiving);
    }

    /** All, in the order of their calls. */
    List<Receiving> all() {
        List<Receiving> all = new ArrayList<>(anySource);
        for (Deque<Receiving> named : bySource) {
            if (named != null) {
                all.addAll(named);
            }
        }
        all.sort(Comparator.comparingLong(Receiving::ordinal));
        return all;
    }

    boolean isEmpty() {
        return anySource.isEmpty() && bySource.stream().allMatch(named -> named == null || named.isEmpty());
    }

    void clear() {
        anySource.clear();
        bySource.clear();
    }
}
