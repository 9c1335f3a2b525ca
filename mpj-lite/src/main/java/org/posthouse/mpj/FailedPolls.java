package org.posthouse.mpj;

/** Failed polls since the rank's last frame (DESIGN section 5). Guarded by the endpoint's lock. */
final class FailedPolls {
    /** Most that one frame tells; a frame's field has room for nearly twice as many. */
    static final int MOST = 1 << 30;

    private int count;

    /** Counts some, at most {@link #MOST} at once. True if they must be told now, in a frame of their own. */
    boolean count(int polls) {
        count += polls;
        return count >= MOST;
    }

    /** Those that no frame has told yet. */
    int untold() {
        return count;
    }

    /** What the next frame says; counting starts anew. */
    int take() {
        int taken = count;
        count = 0;
        return taken;
    }
}
