package org.posthouse.detector;

/**
 * What a host's detector is told at its start.
 *
 * @param self the host's number in the job
 * @param periodNanos length of a round
 * @param delayNanos of a message between two hosts, as measured; 0 if unknown
 * @param commonClock whether all hosts count rounds from one moment
 */
public record DetectorSettings(DetectorProtocol protocol, int self, long periodNanos, long delayNanos, boolean commonClock) {
    private static final long CHECK_NANOS_MIN = 1_000_000_000;
    private static final long VERDICT_NANOS_MIN = 3_000_000_000L;

    /** How long one stage of the check of a suspicion waits for an answer. */
    public static long checkNanos(long periodNanos) {
        return Math.max(3 * periodNanos, CHECK_NANOS_MIN);
    }

    /**
     * How long a relay waits for a frame of a suspect before it says that it is dead. Longer than a process stands still now and then, 2 s in a collection or
     * behind a busy disk: a check that began in such a pause would have no answer.
     */
    public static long verdictNanos(long periodNanos) {
        return Math.max(6 * periodNanos, VERDICT_NANOS_MIN);
    }

    long checkNanos() {
        return Math.max(checkNanos(periodNanos), 4 * delayNanos);
    }
}
