package org.posthouse.mpj;

import java.util.concurrent.locks.ReentrantLock;

/** A {@link Presence} on a {@link Stage}, whose threads may wait for a lock, but not for a monitor that another of them has. */
final class SimPresence {
    private final ReentrantLock lock = new ReentrantLock();
    private final Presence presence;

    SimPresence(Presence presence) {
        this.presence = presence;
    }

    void enter(String call, int root) {
        within(() -> presence.enter(call, root, false));
    }

    void leave() {
        within(presence::leave);
    }

    void look() {
        within(presence::look);
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
