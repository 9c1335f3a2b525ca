package org.posthouse.logstore;

/**
 * The one thread that a confined object belongs to: the first that asks, until it hands over. Whoever hands over
 * also orders the two threads.
 */
final class Owner {
    private final String what;

    /** Written by the owner or by the first to come, read by any. */
    private volatile Thread thread;

    Owner(String what) {
        this.what = what;
    }

    void require() {
        Thread current = Thread.currentThread();
        Thread known = thread;
        if (known == null) {
            thread = current;
        } else if (!known.equals(current)) {
            throw new IllegalStateException(what + " belongs to thread " + known.getName() + ", " + current.getName()
                    + " must not touch it");
        }
    }

    void handOver() {
        require();
        thread = null;
    }
}
