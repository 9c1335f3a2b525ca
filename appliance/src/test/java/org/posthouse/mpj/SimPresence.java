package org.posthouse.mpj;

import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.mpj.blocked.CollectivePosition;

/** A {@link CollectivePosition} on a {@link Stage}, whose threads may wait for a lock, but not for a monitor that another of them has. */
final class SimPresence {
    private final ReentrantLock lock = new ReentrantLock();
    private final CollectivePosition collectivePosition;

    SimPresence(CollectivePosition collectivePosition) {
        this.collectivePosition = collectivePosition;
    }

    void enter(String call, int root) {
        within(() -> collectivePosition.enter(call, root, false));
    }

    void leave() {
        within(collectivePosition::leave);
    }

    void look() {
        within(collectivePosition::look);
    }

    private void within(Runnable what) {
        lock.lock();
        try {
            what.run();
        } finally {
            lock.unlock();
        }
    }
}
