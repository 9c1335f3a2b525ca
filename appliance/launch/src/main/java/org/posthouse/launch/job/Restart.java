package org.posthouse.launch.job;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.ExitStatuses;

/**
 * One restart of one rank, in parts. Times are nanoseconds; -1 stands for what did not come to pass.
 *
 * @param rank which
 * @param incarnation of the new process, from 2
 * @param cause the end of the old process, for people
 * @param detectedNs from the first sign of the old one's end, the relay's or the system's, until the launcher knew
 * @param waitedNs from there to the start of the new process: back-off, and what the old one had left
 * @param startedNs from there until the relay heard of it: the JVM's start, and the program's until Init
 * @param replayedNs from there until it was where its predecessor had been
 * @param deliveries number of deliveries replayed to it
 */
public record Restart(
        int rank,
        int incarnation,
        String cause,
        long detectedNs,
        long waitedNs,
        long startedNs,
        long replayedNs,
        long deliveries) {
    /** The cause, if the launcher ended with the old process. */
    public static final String LAUNCHER_LOST = "lost its launcher";

    /** Whether another launcher had started the old process: when that ended is not known. */
    public boolean lostLauncher() {
        return cause.equals(LAUNCHER_LOST);
    }

    /** Whether the old process had lost its relay and given up. */
    public boolean lostRelay() {
        return cause.startsWith(ExitStatus.words(ExitStatuses.CONNECTION));
    }

    /** Whether the new process got to where the old one had been. */
    public boolean isCaughtUp() {
        return replayedNs >= 0;
    }

    /** All parts together. */
    public long totalNs() {
        return detectedNs + waitedNs + startedNs + replayedNs;
    }

    /** Text for people about a process that has caught up. */
    public String words() {
        return String.format(
                Locale.ROOT, "rank %d caught up after %s, replayed %,d deliveries in %.2f", rank, parts(), deliveries, replayedNs / 1e9);
    }

    /** Text for people about a process that has come in the place of a dead one, and has nothing to catch up with. */
    public String newProcessWords() {
        return "rank " + rank + " has a new process after " + parts();
    }

    private String parts() {
        String waited = waitedNs < TimeUnit.MILLISECONDS.toNanos(100) ? "" : String.format(Locale.ROOT, ", waited %.2f", waitedNs / 1e9);
        return String.format(Locale.ROOT, "%.2f s: detected %.2f%s, JVM %.2f", totalNs() / 1e9, detectedNs / 1e9, waited, startedNs / 1e9);
    }
}
