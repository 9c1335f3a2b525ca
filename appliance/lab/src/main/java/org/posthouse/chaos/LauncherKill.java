package org.posthouse.chaos;

/**
 * A launcher kill that was carried out, and its consequence: the job was resumed at once. Times are nanoseconds; -1
 * stands for an event that did not occur.
 *
 * @param atNs time since the job's start
 * @param startedNs from the kill until the next launcher had the job's folder: the JVM's start
 * @param jobNs from there until all relays had reported to it that they have the job
 * @param ranks number of ranks that were restarted for it
 * @param ranksNs from there until the last of those was where it had been
 */
public record LauncherKill(long atNs, long startedNs, long jobNs, int ranks, long ranksNs) {
    /** Nanoseconds from the job's start until it had a launcher again; valid only if it had one. */
    long backNs() {
        return atNs + startedNs + jobNs;
    }
}
