package org.posthouse.relay.threads;

/**
 * The highest value of the last seconds: of the current window and the one before. It has no clock of its own. Confined
 * to its owner.
 */
public final class RecentPeak {
    /** Length of a window; a value counts for one to two windows. */
    static final long WINDOW_NANOS = 10_000_000_000L;

    private long windowEnds = Long.MIN_VALUE;
    private long current;
    private long before;

    /**
     * Adds a value.
     *
     * @param value at least 0
     * @param nanos a time that never goes back
     */
    public void note(long value, long nanos) {
        turn(nanos);
        current = Math.max(current, value);
    }

    /** The highest recent value; 0 if there was none. */
    public long at(long nanos) {
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
