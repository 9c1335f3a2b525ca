package org.posthouse.relay;

/**
 * How near a log is to its limit, and what follows from that. Thread-safe: written by who looks, read by anybody.
 *
 * <p>The arithmetic, with L the limit and C what all ranks of its jobs may have under way (for each its credit and a window, and what they share), L / 2
 * at most, and a sixteenth more, for what records take beside payload: senders are held from L - C on, since that much may still
 * come; ranks are asked for checkpoints from the high
 * mark on, but at 3/4 of where senders are held at the latest. Between the two there must be room for what the ranks send
 * from one point to the next. If there is not, and all stand still, more is lent than was there, a sixteenth of the limit at
 * a time and as much as the limit at most, until the log is below the high mark again.
 */
final class Pressure {
    /** What there is to do. */
    enum State {
        EASY,
        /** The rank that needs the oldest records is asked for a checkpoint. */
        ASK,
        /** And nobody may send more than he has been let. */
        HOLD
    }

    /** This part of the limit is lent at a time. */
    private static final int LENT_AT_A_TIME = 16;

    /**
     * This part comes on top of what is under way: of a message in chunks 0.15 %, Chronicle's index, the snapshots at the heads of files, and
     * 1 MiB until what was appended is measured. Envelope and delivery of a message are in its cost.
     */
    private static final int BESIDE_PAYLOAD = 16;

    private final int highMarkPercent;
    private final long sharedBytes;

    /** Written under this object's lock, read by any thread. */
    private volatile long underWayBytes;

    // Written by the thread that looks, read by any.
    private volatile long limitBytes;
    private volatile long lentBytes;
    private volatile State state = State.EASY;

    /** @param sharedBytes what may come beyond what each rank may have under way */
    Pressure(long limitBytes, int highMarkPercent, long sharedBytes) {
        this.limitBytes = limitBytes;
        this.highMarkPercent = highMarkPercent;
        this.sharedBytes = sharedBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    /** There is room for so much: the log may take it, if that is more than before. */
    void grow(long bytes) {
        limitBytes = Math.max(limitBytes, bytes);
    }

    /** A job's ranks may have so much more under way, or so much less. */
    synchronized void mayCome(long bytes) {
        underWayBytes += bytes;
    }

    /** What all ranks may have under way. */
    long underWayBytes() {
        return underWayBytes;
    }

    /** Whether that may be so much more. */
    boolean fits(long bytes) {
        return underWayBytes + bytes <= limitBytes / 2;
    }

    long holdBytes() {
        return ownHoldBytes() + lentBytes;
    }

    private long ownHoldBytes() {
        long underWay = Math.min(underWayBytes + sharedBytes, limitBytes / 2);
        return limitBytes - underWay - underWay / BESIDE_PAYLOAD;
    }

    /** Whether a log that takes so much may not grow any more. */
    boolean isReached(long usedBytes) {
        return usedBytes >= limitBytes + lentBytes;
    }

    long askBytes() {
        return Math.min(limitBytes / 100 * highMarkPercent, ownHoldBytes() / 4 * 3);
    }

    /** The log may take more for once. @return whether it may; if not, it has twice what it is limited to */
    boolean tryLend() {
        boolean may = lentBytes < limitBytes;
        lentBytes = Math.min(limitBytes, lentBytes + limitBytes / LENT_AT_A_TIME);
        return may;
    }

    /** How much more than its own the log may take. */
    long lentBytes() {
        return lentBytes;
    }

    /** The log takes so much. @return whether the state is another than before */
    boolean look(long usedBytes, boolean ampleRoom) {
        lentBytes = usedBytes < askBytes() ? 0 : lentBytes;
        State next = usedBytes >= holdBytes() || !ampleRoom ? State.HOLD : usedBytes >= askBytes() ? State.ASK : State.EASY;
        boolean changed = (next == State.HOLD) != (state == State.HOLD);
        state = next;
        return changed;
    }

    State state() {
        return state;
    }
}
