package org.posthouse.relay.log;

/**
 * Lets callers that delete data wait until the log is synced, including the records that make the data superfluous.
 * Thread-safe.
 */
@FunctionalInterface
public interface LogSyncWaiter {
    /**
     * Blocks until the log is synced up to this position.
     *
     * @return false if it will not be
     */
    boolean await(long position);

    /**
     * Whether the disk has failed, so that the log is no longer synced. Jobs with durability {@code host} were
     * notified.
     */
    default boolean hasFailed() {
        return false;
    }
}
