package org.posthouse.relay;

import java.lang.management.ManagementFactory;

/**
 * What one thread has used since it started. Immutable.
 *
 * @param thread its id
 * @param cpuNanos processor time
 * @param allocatedBytes bytes it allocated on the heap, whoever they were for
 */
public record ThreadLoad(long thread, long cpuNanos, long allocatedBytes) {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Of the platform thread with this id, which is alive; of any other, the virtual machine knows nothing. */
    public static ThreadLoad of(long id) {
        long cpuNanos = THREADS.getThreadCpuTime(id);
        if (cpuNanos < 0) {
            throw new IllegalStateException("thread " + id + " is not alive, or virtual: its load is not known");
        }
        return new ThreadLoad(id, cpuNanos, THREADS.getThreadAllocatedBytes(id));
    }
}
