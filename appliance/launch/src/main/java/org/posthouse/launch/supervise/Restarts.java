package org.posthouse.launch.supervise;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.job.ExitStatus;

/**
 * Counts the restarts of each rank of a logged job, and says when the next one may be. It has no clock: times are those
 * of {@link System#nanoTime}, passed in. Confined to the job's thread.
 *
 * <p>The first restart of a rank is due at once. Each further one is due later than the one before, so that repeated
 * failures do not keep the machine busy. A process that stayed alive for {@link #SOUND_MS} begins anew. A process that
 * could not even start is tried again after seconds at least: another process has to give back what it lacks, memory
 * for instance. The limited count of restarts begins anew, too, but only behind a process that progressed beyond its
 * predecessors for {@link #FORGIVEN_MS} (ADR 53).
 */
final class Restarts {
    /** A process that lived as long did not fail for the reason that its predecessor failed for. */
    static final long SOUND_MS = 60_000;

    /**
     * Milliseconds, an hour, that a process must progress beyond its predecessor's state. Restarts before such a
     * process do not count any more.
     */
    static final long FORGIVEN_MS = 3_600_000;

    /** Milliseconds that the launcher waits for its own signal where a terminal signals all processes. */
    static final long TERMINAL_MS = 250;

    private static final long[] BACK_OFF_MS = {0, 250, 1_000, 4_000, 16_000, 30_000};

    /** Where in it those begin that could not start. */
    private static final int UNSTARTED = 3;

    private final int maxPerRank;
    /** For each rank, the number of restarts that count. */
    private final int[] used;
    /** For each rank, the number of its present or next process, from 1. */
    private final int[] incarnation;
    /** For each rank, the highest number of any of its processes. */
    private final int[] highest;
    /** For each rank, whether any process has followed it. */
    private final boolean[] isFollowed;
    /** For each rank, how many followers have led it since one went on for {@link #SOUND_MS}. */
    private final int[] promotions;
    /** For each rank, since when its process does what none did before it; good only if {@link #isThere}. */
    private final long[] thereSinceNs;

    private final boolean[] isThere;
    /** For each rank, how many restarts have followed each other without a process that stayed alive. */
    private final int[] inARow;

    /** @param maxPerRank how often each rank may be started again; 0 is never */
    Restarts(int ranks, int maxPerRank) {
        this.maxPerRank = maxPerRank;
        this.used = new int[ranks];
        this.incarnation = new int[ranks];
        Arrays.fill(incarnation, 1);
        this.highest = incarnation.clone();
        this.isFollowed = new boolean[ranks];
        this.promotions = new int[ranks];
        this.thereSinceNs = new long[ranks];
        this.isThere = new boolean[ranks];
        this.inARow = new int[ranks];
    }

    /** Other launchers have started processes of the rank: the next one has this number. */
    void goOn(int rank, int next) {
        incarnation[rank] = next;
        highest[rank] = next;
    }

    /** The number of another process of the rank, which follows it. It is even, as the numbers that relays give are odd. */
    int nextNumber(int rank) {
        isFollowed[rank] = true;
        highest[rank] = (highest[rank] + 2) & ~1;
        return highest[rank];
    }

    /** The rank's process has this number from now on, which its relay gave it. The one before it has ended, or was fenced. */
    void promoted(int rank, int number, long atNs) {
        if (isThere[rank] && atNs - thereSinceNs[rank] >= TimeUnit.MILLISECONDS.toNanos(SOUND_MS)) {
            promotions[rank] = 0;
        }
        promotions[rank]++;
        ended(rank, atNs);
        renumbered(rank, number);
    }

    /** The rank's process has this number from now on. */
    void renumbered(int rank, int number) {
        incarnation[rank] = number;
        highest[rank] = Math.max(highest[rank], number);
    }

    /** How many followers have led the rank since one of its processes went on for {@link #SOUND_MS} from where its predecessor ended. */
    int promotions(int rank) {
        return promotions[rank];
    }

    /**
     * The rank's process has reached the state of the one before it. A repeated report, after a lost connection,
     * changes nothing.
     */
    void there(int rank, long atNs) {
        if (!isThere[rank]) {
            isThere[rank] = true;
            thereSinceNs[rank] = atNs;
        }
    }

    /** The rank's process has ended. */
    void ended(int rank, long endedNs) {
        if (isThere[rank] && endedNs - thereSinceNs[rank] >= TimeUnit.MILLISECONDS.toNanos(FORGIVEN_MS)) {
            used[rank] = 0;
        }
        isThere[rank] = false;
    }

    /** Why the rank may not be started again, as the rest of a sentence; empty if there are to be no restarts at all. */
    String refusal(int rank) {
        return maxPerRank == 0 ? "" : ", after " + used[rank] + " of " + maxPerRank + " restarts";
    }

    boolean isAllowed(int rank) {
        return used[rank] < maxPerRank;
    }

    /** The rank's last process was not started, or ended before its relay had heard of it. */
    void unstarted(int rank) {
        inARow[rank] = Math.max(UNSTARTED, inARow[rank]);
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
        incarnation[rank] = isFollowed[rank] ? nextNumber(rank) : ++highest[rank];
        return endedNs + TimeUnit.MILLISECONDS.toNanos(waitMs);
    }

    /** Number of the rank's restarts that count. */
    int used(int rank) {
        return used[rank];
    }

    /** The number of the rank's present process, or of the next if its restart was counted: without followers, 1 + how often it was started again. */
    int incarnation(int rank) {
        return incarnation[rank];
    }

    /** Most restarts of each rank. */
    int maxPerRank() {
        return maxPerRank;
    }
}
