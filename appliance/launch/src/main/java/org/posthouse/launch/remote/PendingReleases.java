package org.posthouse.launch.remote;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Agents that have not yet answered that a job's slots are free. A launcher waits for them before it ends, so that the
 * next one finds these slots. Thread-safe.
 */
final class PendingReleases {
    private final Set<Long> agents = new HashSet<>();

    synchronized void add(long agent) {
        agents.add(agent);
    }

    /** The agent has answered, or is gone. */
    synchronized void remove(long agent) {
        agents.remove(agent);
        notifyAll();
    }

    /**
     * Waits until none is left. Returns early if the thread is interrupted; the interruption stays.
     *
     * @param ms longest wait: the others free the slots later, and nobody waits for them
     * @return whether none is left
     */
    synchronized boolean await(long ms) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        try {
            for (long leftNs = endNs - System.nanoTime(); !agents.isEmpty() && leftNs > 0; leftNs = endNs - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return agents.isEmpty();
    }
}
