package org.posthouse.relay;

/**
 * The highest value of the last seconds: of the window that runs and the one before it. It knows no clock. Confined to its
 * owner.
 */
final class RecentPeak {
    /** How long a window is; a value is told for one to two of them. */
    static final long WINDOW_NANOS = 10_000_000_000L;

    private long windowEnds = Long.MIN_VALUE;
    private long current;
    private long before;

    /** Notes a value of at least 0 at a time that never goes back. */
    void note(long value, long nanos) {
        turn(nanos);
        current = Math.max(current, value);
    }

    /** The highest value noted lately; 0 if there was none. */
    long at(long nanos) {
        turn(nanos);
        return Math.max(current, before);
    }

    private void turn(long nanos) {
        if (windowEnds == Long.MIN_VALUE) {
            windowEnds = nanos + WINDOW_NANOS;
        }
        if (nanos - windowEnds >= 0) {
            before = nanos - windowEnds < WINDOW_NANOS ? current : 0;
            current = 0;
            windowEnds = nanos + WINDOW_NANOS;
        }
    }
}
