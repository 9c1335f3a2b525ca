package org.posthouse.relay;

/** What whoever deletes waits for: that the log is on its disk, with what makes superfluous what goes. Thread-safe. */
@FunctionalInterface
interface LogSafety {
    /** Blocks until the log is on the disk up to there, or returns false if it will not be. */
    boolean await(long position);

    /** Whether nothing more comes to the disk, as it has failed: the jobs that are to outlive the host were told. */
    default boolean hasFailed() {
        return false;
    }
}
