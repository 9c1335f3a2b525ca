package org.posthouse.mpj;

/** Failed polls of the rank since its start, and what the relay was told of them (DESIGN section 5). Guarded by the endpoint's lock. */
final class FailedPolls {
    /** Most that a frame may tell at once, so that its 32 bits are never ambiguous. */
    static final int MOST = 1 << 30;

    private long count;
    private long told;

    /** Counts some, at most {@link #MOST} at once. True if they must be told now, in a frame of their own. */
    boolean count(int polls) {
        count += polls;
        return count - told >= MOST;
    }

    /** All since the rank's start. */
    long count() {
        return count;
    }

    /** What the next frame says: the low 32 bits of all. */
    int tell() {
        told = count;
        return (int) count;
    }
}
