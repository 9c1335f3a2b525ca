package org.posthouse.chaos;

/**
 * A kill of a launcher that was carried out, and what was done at once: its job was resumed. Times are nanoseconds; -1 stands for what did not come to pass.
 *
 * @param atNs how long after the job's start
 * @param startedNs from the kill until the next launcher had the job's folder: the JVM's start
 * @param jobNs from there until all relays had told it that they have the job
 * @param ranks how many ranks were started again for it
 * @param ranksNs from there until the last of those was where it had been
 */
public record LauncherKill(long atNs, long startedNs, long jobNs, int ranks, long ranksNs) {
    /** Nanoseconds from the job's start until it had a launcher again; valid only if it had one. */
    long backNs() {
        return atNs + startedNs + jobNs;
    }
}
