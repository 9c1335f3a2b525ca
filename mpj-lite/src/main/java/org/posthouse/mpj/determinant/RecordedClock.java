package org.posthouse.mpj.determinant;

import java.util.function.LongSupplier;

/**
 * The clock of a program whose time values are recorded. Guarded by the endpoint's lock.
 *
 * <p>It is exact for {@link #EXACT} calls in a row, so that normal timing is unaffected. A program that continues to
 * ask and does nothing else gets the same time again until a step has passed: a thousandth of the time spent asking so,
 * at most a millisecond. A loop of one second on the clock records some 10,000 values and not 20 million, and each
 * further second 1,000.
 *
 * <p>After a restart, on whatever host, the clock continues from the last recorded value, from the moment of its
 * replay. Time between two processes is not counted, because the clocks of two hosts are unrelated. Lost work that is
 * repeated is timed.
 */
public final class RecordedClock {
    /** Calls that are exact, if nothing else comes between them. */
    public static final int EXACT = 1_000;

    /** Beyond these calls, a step is one part in this many of the time spent asking. */
    static final int PART = 1_000;

    /** The longest step. */
    private static final long STEP_NS_MAX = 1_000_000;

    private final LongSupplier nanoTime;
    private long time;
    private boolean asked;

    /** Whether {@link #time} was recorded by another process, or was replayed. */
    private boolean recorded;

    /** Offset that is added to this process's clock. */
    private long ahead;
    private long turn;
    private long since;
    private int calls;

    /** @param nanoTime the machine's clock, in nanoseconds */
    public RecordedClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Asks for the time. False if {@link #time} is unchanged.
     *
     * @param turn changes whenever the program does something else
     */
    public boolean ticks(long turn) {
        long now = nanoTime.getAsLong() + ahead;
        if (recorded || !asked || turn != this.turn) {
            this.turn = turn;
            since = now;
            calls = 0;
        } else if (calls >= EXACT && now - time < Math.min((now - since) / PART, STEP_NS_MAX)) {
            return false;
        }
        tell(now, false);
        calls++;
        return true;
    }

    /** The last time given to the program, in nanoseconds. */
    public long time() {
        return time;
    }

    /** Whether the program has asked for the time. */
    boolean isAsked() {
        return asked;
    }

    /** Sets the time given before a restart, which is replayed now. */
    public void goOn(long time) {
        ahead = time - nanoTime.getAsLong();
        tell(time, true);
    }

    private void tell(long time, boolean recorded) {
        this.time = time;
        this.recorded = recorded;
        asked = true;
    }
}
