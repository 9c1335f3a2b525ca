package org.posthouse.tunnel.window;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits each site's part of a shared resource: links, accepted connections, streams, memory for waiting frames.
 * Confined to its user.
 *
 * <p>A site may take one more while it has less than three times what is free. So a single site gets three quarters,
 * two greedy ones get three sevenths each, and something is left for every other site.
 */
public final class FairShare {
    /** The end of the message for a site that has used up its share. */
    public static final String RULE = "a site may have three times what is free";

    private static final int TIMES_FREE = 3;

    private final long all;
    private final Map<String, Long> bySite = new HashMap<>();
    private long taken;

    /** Creates a resource of {@code all} units, all of them free. */
    public FairShare(long all) {
        this.all = all;
    }

    /** Whether a user with {@code has} units may take one more, if {@code taken} of {@code all} are in use. */
    public static boolean allows(long has, long taken, long all) {
        return has < TIMES_FREE * (all - taken);
    }

    /** Takes one unit for {@code site}; false if it may have no more. */
    public boolean tryTake(String site) {
        return tryTake(site, 1);
    }

    /**
     * Takes {@code more} units that belong together, few compared with all. The site gets them if it may have the
     * first.
     */
    public boolean tryTake(String site, long more) {
        if (!allows(of(site), taken, all)) {
            return false;
        }
        taken += more;
        bySite.merge(site, more, Long::sum);
        return true;
    }

    /** Returns one unit of {@code site}. */
    public void giveBack(String site) {
        giveBack(site, 1);
    }

    /** Returns {@code less} units of {@code site}. */
    public void giveBack(String site, long less) {
        taken -= less;
        bySite.computeIfPresent(site, (same, had) -> had == less ? null : had - less);
    }

    /** Units that {@code site} has. */
    public long of(String site) {
        return bySite.getOrDefault(site, 0L);
    }

    /** Units that all sites have. */
    public long taken() {
        return taken;
    }
}
