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

    /** One frame; the object is reused for a later frame after it was removed. */
    static final class Waiting {
        /** The number that its rank gave it. */
        long number;

        /**
         * Its own bytes, 0 if it came over an earlier connection; {@code bytesBefore} are those of the kept frames
         * before it.
         */
        int bytes;

        long bytesBefore;

        /** Its cost at this relay until it is handled. */
        int weight;

        /**
         * Whether the rank does not keep it: it only counts with its weight, and its number is that of the next frame.
         */
        boolean weighsOnly;

        /** Number of kept frames that the other core must have handled for this frame to be among them. */
        long passed;

        /** The message that it belongs to. */
        int context;

        int destination;
        long sequence;

        /** Whether an earlier process of the rank sent it, so that no copy of it is kept. */
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

    /** Removes the oldest. */
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
