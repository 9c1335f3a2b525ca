package org.posthouse.mpj;

import java.util.function.LongSupplier;

/**
 * The clock that a program sees whose values are recorded: exact for {@link #EXACT} calls in a row, so that a program's work
 * is timed as ever; a program that goes on asking and does nothing else is told the same time again until a thousandth of the
 * time has gone by that it has asked so, or a millisecond. A loop of a second on it leaves some 10,000 values and not 20 million,
 * and each further second 1,000. Behind what was recorded it goes on from there, from when the last of it was told again, on whatever host: what lies between
 * two processes is not counted, as clocks of two hosts say nothing about it; work that was lost and is done again is timed. Guarded by the endpoint's lock.
 */
final class RecordedClock {
    /** Calls with nothing else between them that are exact. */
    static final int EXACT = 1_000;

    /** What part of the time that it was asked for in vain a step is, behind that. */
    static final int PART = 1_000;

    /** The longest step. */
    private static final long STEP_NS_MAX = 1_000_000;

    private final LongSupplier nanoTime;
    private long time;
    private boolean asked;

    /** Whether {@link #time} was told by another process, or was told again. */
    private boolean recorded;

    /** What is added to this process's clock. */
    private long ahead;
    private long turn;
    private long since;
    private int calls;

    RecordedClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Asks. False if {@link #time} stays what it was. @param turn changes whenever the program does something else */
    boolean ticks(long turn) {
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

    /** What the program was told last, in nanoseconds. */
    long time() {
        return time;
    }

    /** Whether it was told anything. */
    boolean isAsked() {
        return asked;
    }

    /** What it was told before a restart, and is told again now. */
    void goOn(long time) {
        ahead = time - nanoTime.getAsLong();
        tell(time, true);
    }

    private void tell(long time, boolean recorded) {
        this.time = time;
        this.recorded = recorded;
        asked = true;
    }
}
