package org.posthouse.detector;

import java.util.HashSet;
import java.util.Set;

/**
 * A member that is suspected: how long it has to refute that. The time shrinks from {@code max} to {@code min} with the
 * logarithm of the number of further hosts that say the same. The numbers are memberlist's. Confined to its detector.
 */
final class SwimSuspicion {
    /** Memberlist's SuspicionMult. */
    private static final int MULTIPLE = 4;

    /** Memberlist's SuspicionMaxTimeoutMult. */
    private static final int MAX_MULTIPLE = 6;

    private final Set<Integer> accusers = new HashSet<>();
    private final long periodNanos;
    private long sinceNanos;
    private boolean isAsked;

    SwimSuspicion(int accuser, long periodNanos, long nowNanos) {
        this.accusers.add(accuser);
        this.periodNanos = periodNanos;
        this.sinceNanos = nowNanos;
    }

    /** Confirmations that shorten the time: memberlist's k, or 0 if there are too few members for it. */
    private static int confirmationsMax(int members) {
        int wanted = MULTIPLE - 2;
        return members - 2 < wanted ? 0 : wanted;
    }

    /** @return whether this accuser is new, and shortens the time */
    boolean confirm(int accuser, int members) {
        return accusers.size() <= confirmationsMax(members) && accusers.add(accuser);
    }

    /** Time to refute, in nanoseconds. */
    static long timeoutNanos(int members, int confirmations, long periodNanos) {
        double min = MULTIPLE * Math.max(1, Math.log10(members)) * periodNanos;
        int wanted = confirmationsMax(members);
        if (wanted == 0) {
            return (long) min;
        }
        double max = MAX_MULTIPLE * min;
        return (long) Math.max(min, max - (max - min) * Math.log(confirmations + 1.0) / Math.log(wanted + 1.0));
    }

    long deadlineNanos(int members) {
        return sinceNanos + timeoutNanos(members, accusers.size() - 1, periodNanos);
    }

    /** Whether the time is over; said once. */
    boolean isOver(int members, long nowNanos) {
        if (isAsked || nowNanos - deadlineNanos(members) < 0) {
            return false;
        }
        isAsked = true;
        return true;
    }

    boolean isAsked() {
        return isAsked;
    }

    void restart(long nowNanos) {
        sinceNanos = nowNanos;
        isAsked = false;
    }
}
