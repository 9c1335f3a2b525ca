package org.posthouse.logstore.file;

/**
 * The single thread that owns a confined object: the first caller, until it hands over. Whoever hands over also orders
 * the two threads.
 */
public final class OwnerThread {
    private final String what;

    /** Written by the owner or by the first caller, read by any thread. */
    private volatile Thread thread;

    public OwnerThread(String what) {
        this.what = what;
    }

    public void require() {
        Thread current = Thread.currentThread();
        Thread known = thread;
        if (known == null) {
            thread = current;
        } else if (!known.equals(current)) {
            throw new IllegalStateException(what + " belongs to thread " + known.getName() + ", " + current.getName()
                    + " must not touch it");
        }
    }

    public void handOver() {
        require();
        thread = null;
    }
}
