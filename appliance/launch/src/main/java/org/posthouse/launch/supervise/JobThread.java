package org.posthouse.launch.supervise;

/** The one thread that something of a job is confined to: the first that asks. For assertions. */
public final class JobThread {
    /** Written by the first thread that asks, read by any. */
    private volatile Thread thread;

    /** Whether it is the calling one. */
    public boolean isCurrent() {
        if (thread == null) {
            thread = Thread.currentThread();
        }
        return thread == Thread.currentThread();
    }
}
