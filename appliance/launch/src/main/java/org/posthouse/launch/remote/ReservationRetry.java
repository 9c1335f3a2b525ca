package org.posthouse.launch.remote;

import java.util.concurrent.TimeUnit;

/**
 * How long slots are asked for again that could not be reserved although all parts are there. Confined to the launching
 * thread. Times are those of a monotonic clock in nanoseconds.
 *
 * <p>A node that has lost its power, or that dials its relay again, is still offered for a while: a relay notices after 30
 * s. The parts that are there are not to end for it.
 */
public final class ReservationRetry {
    /** How long all parts may be there without granting their slots, in nanoseconds. */
    static final long REFUSED_NS_MAX = TimeUnit.SECONDS.toNanos(60);

    private boolean isRefused;

    /** Since when all parts are there and do not grant their slots. */
    private long sinceNs;

    private String said = "";

    /**
     * Slots could not be reserved.
     *
     * @param isIncomplete whether parts are missing: their slots may come
     * @return whether to ask no more
     */
    public boolean isOver(boolean isIncomplete, long nowNs) {
        if (isIncomplete) {
            isRefused = false;
        } else if (!isRefused) {
            isRefused = true;
            sinceNs = nowNs;
        }
        return isRefused && nowNs - sinceNs > REFUSED_NS_MAX;
    }

    /** Whether this reason differs from the last one. */
    public boolean isNews(String why) {
        boolean isNews = !why.equals(said);
        said = why;
        return isNews;
    }
}
