package org.posthouse.core;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A rank's frames that another core has not handled yet, in their order: a ring whose places are used again, as large as the
 * most that ever waited at once, which the rank's credit bounds. Confined to the relay core.
 */
final class KeptFrames {
    private static final int PLACES_MIN = 8;

    /** One frame; good until the next is added. */
    static final class Waiting {
        /** What its rank calls it. */
        long number;

        /** Bytes of the kept frames before it. */
        long bytesBefore;

        /** Which way it went, and how many kept frames must have been handled there for this one to be among them. */
        Crossing crossing;

        long passed;

        /** The message that it is of. */
        int context;

        int destination;
        long sequence;

        /** Whether a process of the rank has sent it that has ended, so that nobody keeps it. */
        boolean ofAnother;
    }

    private Waiting[] ring = {};
    private int first;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** The oldest; null if none waits. */
    Waiting peek() {
        return count == 0 ? null : ring[first];
    }

    void remove() {
        first = place(1);
        count--;
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

    boolean waitFor(Crossing crossing) {
        for (int i = 0; i < count; i++) {
            if (ring[place(i)].crossing == crossing) {
                return true;
            }
        }
        return false;
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
