package org.posthouse.detector;

import java.util.concurrent.TimeUnit;

/**
 * What a host's detector is told at its start.
 *
 * @param self the host's number in the job
 * @param periodNanos length of a round
 * @param delayNanos of a message between two hosts, as measured; 0 if unknown
 * @param commonClock whether all hosts count rounds from one moment
 */
public record DetectorSettings(DetectorProtocol protocol, int self, long periodNanos, long delayNanos, boolean commonClock) {
    /** How long one stage of the check of a suspicion waits for an answer. */
    public static long checkNanos(long periodNanos) {
        return Math.max(3 * periodNanos, TimeUnit.SECONDS.toNanos(1));
    }

    long checkNanos() {
        return Math.max(checkNanos(periodNanos), 4 * delayNanos);
    }
}
