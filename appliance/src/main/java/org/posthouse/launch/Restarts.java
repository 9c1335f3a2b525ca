package org.posthouse.launch;

import java.util.concurrent.TimeUnit;

/**
 * How often each rank of a logged job was started again, and when it may be next. It has no clock: times are those of
 * {@link System#nanoTime}, passed in. Confined to the job's thread.
 *
 * <p>The first restart of a rank is due at once, and each further one later than the one before, so that what fails
 * again and again does not keep the machine busy; a process that stayed alive for {@link #SOUND_MS} begins anew. The
 * count of restarts never does.
 */
final class Restarts {
    /** A job's ranks together are started again at most so often for each rank: 40 times for 4 ranks. */
    static final int JOB_MAX_PER_RANK = 10;

    /** A process that lived as long did not fail for the reason that its predecessor failed for. */
    static final long SOUND_MS = 60_000;

    /** How long the launcher waits for its own signal where a terminal signals all processes. */
    static final long TERMINAL_MS = 250;

    private static final long[] BACK_OFF_MS = {0, 250, 1_000, 4_000, 16_000, 30_000};

    private final int maxPerRank;
    private final int[] used;
    /** For each rank, how many restarts have followed each other without a process that stayed alive. */
    private final int[] inARow;
    private int usedByAll;

    /** @param maxPerRank how often each rank may be started again; 0 is never */
    Restarts(int ranks, int maxPerRank) {
        this.maxPerRank = maxPerRank;
        this.used = new int[ranks];
        this.inARow = new int[ranks];
    }

    /** Why the rank may not be started again, as the rest of a sentence; empty if there are to be no restarts at all. */
    String refusal(int rank) {
        if (maxPerRank == 0) {
            return "";
        }
        return used[rank] >= maxPerRank
                ? ", after " + used[rank] + " of " + maxPerRank + " restarts"
                : ", after " + usedByAll + " restarts of all ranks, which is the most for a job of " + used.length;
    }

    boolean isAllowed(int rank) {
        return used[rank] < maxPerRank && usedByAll < (long) JOB_MAX_PER_RANK * used.length;
    }

    /**
     * Counts a restart of a rank whose process was started and ended at these times with this status.
     *
     * @return when the next process is to be started
     */
    long next(int rank, int status, long startedNs, long endedNs) {
        if (!isAllowed(rank)) {
            throw new IllegalStateException("rank " + rank + " may not be started again" + refusal(rank));
        }
        if (endedNs - startedNs >= TimeUnit.MILLISECONDS.toNanos(SOUND_MS)) {
            inARow[rank] = 0;
        }
        long backOffMs = BACK_OFF_MS[Math.min(inARow[rank], BACK_OFF_MS.length - 1)];
        long waitMs = ExitStatus.isFromTerminal(status) ? Math.max(TERMINAL_MS, backOffMs) : backOffMs;
        inARow[rank]++;
        used[rank]++;
        usedByAll++;
        return endedNs + TimeUnit.MILLISECONDS.toNanos(waitMs);
    }

    /** How often the rank was started again. */
    int used(int rank) {
        return used[rank];
    }

    /** How often each rank may be started again. */
    int maxPerRank() {
        return maxPerRank;
    }
}
