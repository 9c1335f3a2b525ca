package org.posthouse.core;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A rank's kept frames that one other core has not handled yet, in the order in which it will handle them. A ring that
 * reuses its places. It is as large as the most frames that ever waited at once, which {@link
 * StabilityTracker#UNHANDLED_BYTES_MAX} bounds. Confined to the relay core.
 */
final class UnstableFrames {
    private static final int PLACES_MIN = 8;

    /** One frame; its place is another's when it was removed and the next is added. */
    static final class Waiting {
        /** What its rank calls it. */
        long number;

        /** Its own, and 0 of one that came over an earlier connection; and those of the kept frames before it. */
        int bytes;

        long bytesBefore;

        /** What it takes at this relay until then. */
        int weight;

        /** Whether it is none that the rank keeps: it only weighs, and its number is that of the next. */
        boolean weighsOnly;

        /** How many kept frames that core must have handled for this one to be among them. */
        long passed;

        /** The message that it is of. */
        int context;

        int destination;
        long sequence;

        /** Whether a process of the rank has sent it that has ended, so that nobody keeps it. */
        boolean ofAnother;
    }

    private final ForwardCount forwardCount;
    private final int home;
    private Waiting[] ring = {};
    private int first;
    private int count;

    /** @param home the place of the relay that the core is of, among the job's */
    UnstableFrames(ForwardCount forwardCount, int home) {
        this.forwardCount = forwardCount;
        this.home = home;
    }

    ForwardCount crossing() {
        return forwardCount;
    }

    int home() {
        return home;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The oldest; null if none waits. */
    Waiting peek() {
        return count == 0 ? null : ring[first];
    }

    /** Whether the oldest was handled. */
    boolean isPastHead() {
        return count > 0 && forwardCount.hasHandled(ring[first].passed);
    }

    /** Takes the oldest away. */
    Waiting remove() {
        Waiting removed = ring[first];
        first = place(1);
        count--;
        return removed;
    }

    /** A place at the end, to be filled in whole. */
    Waiting add() {
        if (count == ring.length) {
            grow();
        }
        return ring[place(count++)];
    }

    void forEach(Consumer<Waiting> visitor) {
        for (int i = 0; i < count; i++) {
            visitor.accept(ring[place(i)]);
        }
    }

    private int place(int i) {
        return (first + i) & (ring.length - 1);
    }

    private void grow() {
        Waiting[] larger = new Waiting[Math.max(PLACES_MIN, 2 * ring.length)];
        for (int i = 0; i < count; i++) {
            larger[i] = ring[place(i)];
        }
        Arrays.setAll(larger, i -> larger[i] == null ? new Waiting() : larger[i]);
        ring = larger;
        first = 0;
    }
}
