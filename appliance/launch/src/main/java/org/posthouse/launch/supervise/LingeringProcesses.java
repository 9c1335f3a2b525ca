package org.posthouse.launch.supervise;

import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;

/**
 * Detects processes that run on though all ranks have called Finalize, which is reported once. A program may rightly
 * compute there, but one that has left a thread behind does not end by itself. It has no clock. Confined to the job's
 * thread.
 */
final class LingeringProcesses {
    /** Milliseconds that they may run on without a notice. */
    static final long SILENT_MS = 30_000;

    /** Ranks that are named at most. */
    private static final int NAMED_MAX = 8;

    private final RankTable ranks;
    private final IntToLongFunction pid;
    private boolean begun;
    private long begunNs;
    private boolean told;

    /** @param pid of a rank's process */
    LingeringProcesses(RankTable ranks, IntToLongFunction pid) {
        this.ranks = ranks;
        this.pid = pid;
    }

    /** Nanoseconds for which no notice is due. */
    long quietNs(long nowNs) {
        boolean goesOn = !told && ranks.haveAllFinalized() && !ranks.allExited();
        if (goesOn && !begun) {
            begunNs = nowNs;
        }
        begun = goesOn;
        return begun ? Math.max(0, begunNs + TimeUnit.MILLISECONDS.toNanos(SILENT_MS) - nowNs) : JobTimers.FOR_EVER;
    }

    /** Text for people that is due now; null if none. */
    String news(long nowNs) {
        if (quietNs(nowNs) > 0) {
            return null;
        }
        told = true;
        String who = ranks.running().limit(NAMED_MAX).mapToObj(rank -> "rank " + rank + " (process " + pid.applyAsLong(rank) + ")")
                .collect(Collectors.joining(", "));
        long more = ranks.running().count() - NAMED_MAX;
        return "all ranks have called Finalize " + TimeUnit.MILLISECONDS.toSeconds(SILENT_MS) + " s ago, and the job goes on until these processes end: " + who
                + (more > 0 ? ", and " + more + " more" : "") + "; kill -3 has one list its threads here";
    }
}
