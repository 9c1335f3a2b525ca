package org.posthouse.mpj;

/** Failed polls since the rank's last frame (DESIGN section 5). Guarded by the endpoint's lock. */
final class FailedPolls {
    private int count;

    void count() {
        count++;
    }

    /** What the next frame says; counting starts anew. */
    int take() {
        int taken = count;
        count = 0;
        return taken;
    }
}
