package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.launch.job.Restart;

/**
 * The restarts of a job's ranks, from a process's end until the next one has caught up or ended as well. It has no
 * clock: times are those of {@link System#nanoTime}, passed in. Confined to the job's thread.
 */
final class RestartTimings {
    private static final long UNKNOWN = -1;

    /** Known state of a restart under way. */
    private static final class Recovery {
        private final int incarnation;
        private final String cause;
        private final long signNs;
        private final long knownNs;
        private long startedNs;
        private long heardNs;
        private boolean isStarted;
        private boolean isHeard;

        private Recovery(int incarnation, String cause, long signNs, long knownNs) {
            this.incarnation = incarnation;
            this.cause = cause;
            this.signNs = signNs;
            this.knownNs = knownNs;
        }
    }

    private final Recovery[] open;
    private final long[] awayNs;
    private final boolean[] isAway;
    private final List<Restart> ended = new ArrayList<>();

    RestartTimings(int ranks) {
        open = new Recovery[ranks];
        awayNs = new long[ranks];
        isAway = new boolean[ranks];
    }

    /** The relay has lost the rank's connection. */
    void away(int rank, long atNs) {
        isAway[rank] = true;
        awayNs[rank] = atNs;
    }

    /** The rank's process has ended and another is to follow. */
    void begin(int rank, int incarnation, String cause, long endedNs, long knownNs) {
        end(rank);
        long signNs = isAway[rank] && awayNs[rank] - endedNs < 0 ? awayNs[rank] : endedNs;
        open[rank] = new Recovery(incarnation, cause, signNs, knownNs);
    }

    /** It was started. */
    void started(int rank, long atNs) {
        open[rank].isStarted = true;
        open[rank].startedNs = atNs;
    }

    /** Whether the rank's process has ended and none has taken its place yet. */
    boolean isOpen(int rank) {
        return open[rank] != null;
    }

    /** The relay has heard of the rank again: of a new process, or of one that had only lost its connection. */
    void heard(int rank, long atNs) {
        isAway[rank] = false;
        Recovery recovery = open[rank];
        if (recovery != null && recovery.isStarted && !recovery.isHeard) {
            recovery.isHeard = true;
            recovery.heardNs = atNs;
        }
    }

    /** The rank is where it had been. @return the restart that this ends; null if it had only lost its connection */
    Restart caughtUp(int rank, long atNs, long deliveries) {
        Recovery recovery = open[rank];
        if (recovery == null || !recovery.isHeard) {
            return null;
        }
        return close(rank, atNs - recovery.heardNs, deliveries);
    }

    /** The rank's process has ended, at any stage of its restart. */
    void end(int rank) {
        if (open[rank] != null) {
            close(rank, UNKNOWN, 0);
        }
    }

    private Restart close(int rank, long replayedNs, long deliveries) {
        Restart restart = restart(rank, replayedNs, deliveries);
        open[rank] = null;
        ended.add(restart);
        return restart;
    }

    private Restart restart(int rank, long replayedNs, long deliveries) {
        Recovery recovery = open[rank];
        return new Restart(
                rank,
                recovery.incarnation,
                recovery.cause,
                recovery.knownNs - recovery.signNs,
                recovery.isStarted ? recovery.startedNs - recovery.knownNs : UNKNOWN,
                recovery.isHeard ? recovery.heardNs - recovery.startedNs : UNKNOWN,
                replayedNs,
                deliveries);
    }

    /** All restarts of the job until now, behind those that have ended those that have not. */
    List<Restart> soFar() {
        List<Restart> all = new ArrayList<>(ended);
        for (int rank = 0; rank < open.length; rank++) {
            if (open[rank] != null) {
                all.add(restart(rank, UNKNOWN, 0));
            }
        }
        return List.copyOf(all);
    }

    /** All restarts of the job, those included that its end has cut short. */
    List<Restart> all() {
        for (int rank = 0; rank < open.length; rank++) {
            end(rank);
        }
        return List.copyOf(ended);
    }
}
