package org.posthouse.relay.threads;

import java.lang.management.ManagementFactory;

/**
 * The resources that one thread has used since it started. Immutable.
 *
 * @param thread its id
 * @param cpuNanos processor time
 * @param allocatedBytes bytes that it allocated on the heap, for whatever purpose
 */
public record ThreadUsage(long thread, long cpuNanos, long allocatedBytes) {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The load of the live platform thread with this id; the JVM has no data of other threads. */
    public static ThreadUsage of(long id) {
        long cpuNanos = THREADS.getThreadCpuTime(id);
        if (cpuNanos < 0) {
            throw new IllegalStateException("thread " + id + " is not alive, or virtual: its load is not known");
        }
        return new ThreadUsage(id, cpuNanos, THREADS.getThreadAllocatedBytes(id));
    }
}
