package org.posthouse.relay.log;

/**
 * Compares a log's size with its limit, and says what to do. Thread-safe: the thread that looks writes, any thread
 * reads.
 *
 * <p>Let L be the limit. Let C be the bytes that all ranks of its jobs may have under way: for each rank its credit and
 * a window, and what they share. C is L / 2 at most. A sixteenth of C is added for what records take beside payload.
 *
 * <p>Senders are held from L - C on, because C bytes may still arrive. Ranks are asked for checkpoints from the high
 * mark on, and at the latest at 3/4 of the size at which senders are held. The room between the two must hold what the
 * ranks send from one checkpoint to the next.
 *
 * <p>If it does not, and all ranks stand still, the limit is raised by a sixteenth at a time, at most to twice its
 * value. It falls back when the log is below the high mark again.
 */
final class LogWatermarks {
    /** The action that the fill level requires. */
    enum State {
        EASY,
        /** Ask the rank that needs the oldest records for a checkpoint. */
        ASK,
        /** The same, and hold senders: give no further credit. */
        HOLD
    }

    /** Each raise of the limit is the limit divided by this. */
    private static final int LENT_AT_A_TIME = 16;

    /**
     * Divisor of the bytes under way that gives the bytes beside payload. They are: 0.15 % of a message in chunks,
     * Chronicle's index, the snapshots at the heads of files, and 1 MiB until appended bytes are measured. A message's
     * cost already includes its envelope and delivery.
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

    /** @param sharedBytes bytes that may arrive beyond what each rank may have under way */
    LogWatermarks(long limitBytes, int highMarkPercent, long sharedBytes) {
        this.limitBytes = limitBytes;
        this.highMarkPercent = highMarkPercent;
        this.sharedBytes = sharedBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    /** Raises the limit to {@code bytes}, if that is more than before. */
    void grow(long bytes) {
        limitBytes = Math.max(limitBytes, bytes);
    }

    /** Adds to the bytes that a job's ranks may have under way; negative to subtract. */
    synchronized void mayCome(long bytes) {
        underWayBytes += bytes;
    }

    /** Bytes that all ranks may have under way. */
    long underWayBytes() {
        return underWayBytes;
    }

    /** Whether {@code bytes} more may be under way. */
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

    /** Whether a log of this size may not grow any more. */
    boolean isReached(long usedBytes) {
        return usedBytes >= limitBytes + lentBytes;
    }

    long askBytes() {
        return Math.min(limitBytes / 100 * highMarkPercent, ownHoldBytes() / 4 * 3);
    }

    /**
     * Raises the limit once, until the log has been cut.
     *
     * @return whether it was raised; false if it is at twice its own value
     */
    boolean tryLend() {
        boolean may = lentBytes < limitBytes;
        lentBytes = Math.min(limitBytes, lentBytes + limitBytes / LENT_AT_A_TIME);
        return may;
    }

    /** Bytes by which the limit is raised now. */
    long lentBytes() {
        return lentBytes;
    }

    /**
     * Updates the state from the log's size.
     *
     * @return whether senders are held now and were not before, or the reverse
     */
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
