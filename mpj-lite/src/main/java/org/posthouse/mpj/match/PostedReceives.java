package org.posthouse.mpj.match;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.Wire;

/**
 * The waiting receives of one context, by the source that they name. The receive for a message is found in constant
 * time, apart from receives with another tag before it. Guarded by the endpoint's lock.
 */
final class PostedReceives {
    private final Deque<PostedReceive> anySource = new ArrayDeque<>();

    /** Receives by source; null for a source that no receive has named. */
    private final List<Deque<PostedReceive>> bySource = new ArrayList<>();

    /** Adds a receive behind all that wait. */
    void add(PostedReceive postedReceive) {
        queue(postedReceive.source).add(postedReceive);
    }

    private Deque<PostedReceive> queue(int source) {
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

    /** Removes and returns the first-called receive that matches such a message; null if there is none. */
    PostedReceive take(int source, int tag) {
        PostedReceive taken = find(source, tag);
        if (taken != null) {
            remove(taken);
        }
        return taken;
    }

    /** The receive that {@link #take} would take; null if there is none. */
    PostedReceive find(int source, int tag) {
        Deque<PostedReceive> named = source < bySource.size() ? bySource.get(source) : null;
        PostedReceive first = named == null ? null : first(named, tag);
        PostedReceive any = first(anySource, tag);
        return first == null || any != null && any.ordinal() < first.ordinal() ? any : first;
    }

    private static PostedReceive first(Deque<PostedReceive> queue, int tag) {
        for (PostedReceive postedReceive : queue) {
            if (postedReceive.tag == Wire.ANY || postedReceive.tag == tag) {
                return postedReceive;
            }
        }
        return null;
    }

    private static void remove(Deque<PostedReceive> queue, PostedReceive postedReceive) {
        if (queue.peekFirst() == postedReceive) {
            queue.removeFirst();
            return;
        }
        Iterator<PostedReceive> each = queue.iterator();
        while (each.next() != postedReceive) {
            // The receives before it have other tags.
        }
        each.remove();
    }

    void remove(PostedReceive postedReceive) {
        Deque<PostedReceive> named = postedReceive.source == Wire.ANY ? anySource : bySource.get(postedReceive.source);
        remove(named, postedReceive);
    }

    /** As {@link #remove}; false if it is not here. */
    boolean removeIfThere(PostedReceive postedReceive) {
        Deque<PostedReceive> named =
                postedReceive.source == Wire.ANY ? anySource : postedReceive.source < bySource.size() ? bySource.get(postedReceive.source) : null;
        return named != null && named.remove(postedReceive);
    }

    /** All receives, in call order. */
    List<PostedReceive> all() {
        List<PostedReceive> all = new ArrayList<>(anySource);
        for (Deque<PostedReceive> named : bySource) {
            if (named != null) {
                all.addAll(named);
            }
        }
        if (all.size() < 2) {
            return all;
        }
        all.sort(Comparator.comparingLong(PostedReceive::ordinal));
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
