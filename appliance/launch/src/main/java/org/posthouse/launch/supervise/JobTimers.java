package org.posthouse.launch.supervise;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The timed actions of a job's thread. It restarts a rank when that is due. It judges a rank whose end only its process
 * or only its relay has reported for too long. While a rank's relay is lost neither happens. It has no clock: times are
 * those of {@link System#nanoTime}, passed in. Confined to the job's thread.
 */
public final class JobTimers {
    /** Nothing is due until an event arrives. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    static final int NOBODY = -1;

    private final RankTable ranks;
    private final int[] homeOf;

    /** For each rank, when its next process is to be started, if {@code isDue}. */
    private final long[] dueNs;

    private final boolean[] isDue;
    private int due;

    /** By index, the relays that are lost, and since when. */
    private final Map<Integer, Long> lostNs = new HashMap<>();

    /** The first rank that is not settled, and since when it is the first. */
    private int unsettled = NOBODY;

    private long unsettledNs;

    /** @param homeOf for each rank, the index of its relay */
    JobTimers(RankTable ranks, int[] homeOf) {
        this.ranks = ranks;
        this.homeOf = homeOf.clone();
        this.dueNs = new long[homeOf.length];
        this.isDue = new boolean[homeOf.length];
    }

    /** The rank is to be started again then. */
    void restart(int rank, long atNs) {
        dueNs[rank] = atNs;
        isDue[rank] = true;
        due++;
    }

    /** The rank is not to be started again, if it was. */
    void cancelRestart(int rank) {
        due -= isDue[rank] ? 1 : 0;
        isDue[rank] = false;
    }

    /** Whether the rank is to be started again, some time. */
    boolean isRestarting(int rank) {
        return isDue[rank];
    }

    /** Whether any rank is. */
    boolean isRestarting() {
        return due > 0;
    }

    /** The first rank that is; {@link #NOBODY} if none is. */
    int firstRestarting() {
        return IntStream.range(0, isDue.length).filter(rank -> isDue[rank]).findFirst().orElse(NOBODY);
    }

    void relayLost(int relay, long nowNs) {
        lostNs.put(relay, nowNs);
    }

    /** @return for how long the relay was lost */
    long relayBack(int relay, long nowNs) {
        return nowNs - lostNs.remove(relay);
    }

    /** Whether the rank's relay is connected. */
    boolean hasRelay(int rank) {
        return !lostNs.containsKey(homeOf[rank]);
    }

    /** Nanoseconds for which nothing is due. */
    long quietNs(long nowNs) {
        long quietNs = FOR_EVER;
        for (int rank = 0; rank < dueNs.length; rank++) {
            if (isDue[rank] && hasRelay(rank)) {
                quietNs = Math.min(quietNs, Math.max(0, dueNs[rank] - nowNs));
            }
        }
        int first = ranks.firstUnsettled(this::hasRelay);
        if (first != unsettled) {
            unsettled = first;
            unsettledNs = nowNs;
        }
        return first == NOBODY ? quietNs : Math.min(quietNs, Math.max(0, settledByNs() - nowNs));
    }

    /** Takes a rank whose restart is due, or NOBODY. */
    int takeDue(long nowNs) {
        for (int rank = 0; rank < dueNs.length; rank++) {
            if (isDue[rank] && hasRelay(rank) && dueNs[rank] - nowNs <= 0) {
                isDue[rank] = false;
                due--;
                return rank;
            }
        }
        return NOBODY;
    }

    /** A rank about whose end too little was reported for too long, or NOBODY. */
    int overdue(long nowNs) {
        boolean same = unsettled != NOBODY && unsettled == ranks.firstUnsettled(this::hasRelay);
        return same && settledByNs() - nowNs <= 0 ? unsettled : NOBODY;
    }

    private long settledByNs() {
        return unsettledNs + TimeUnit.MILLISECONDS.toNanos(ranks.settleMs(unsettled));
    }
}
