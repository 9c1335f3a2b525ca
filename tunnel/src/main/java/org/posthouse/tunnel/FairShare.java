package org.posthouse.tunnel;

import java.util.HashMap;
import java.util.Map;

/**
 * How much one site may have of what all sites share: links, accepted connections, streams, memory for what waits. Confined to whoever shares it out.
 *
 * <p>A site may have one more as long as it has less than three times what nobody has. So a site that is alone gets three quarters, of two greedy ones each
 * three sevenths, and something is left for the first of every other.
 */
final class FairShare {
    /** What a site is told that has its share, behind how much that is. */
    static final String RULE = "a site may have three times what is free";

    private static final int TIMES_FREE = 3;

    private final long all;
    private final Map<String, Long> bySite = new HashMap<>();
    private long taken;

    /** Of {@code all} that there are, nobody has any yet. */
    FairShare(long all) {
        this.all = all;
    }

    /** Whether who {@code has} so many may have one more, of {@code all} of which so many are {@code taken}. */
    static boolean allows(long has, long taken, long all) {
        return has < TIMES_FREE * (all - taken);
    }

    /** Takes one more for {@code site}; false if it may have no more. */
    boolean tryTake(String site) {
        return tryTake(site, 1);
    }

    /** The same of {@code more} that are one thing, small beside all: it may have them if it may have the first. */
    boolean tryTake(String site, long more) {
        if (!allows(of(site), taken, all)) {
            return false;
        }
        taken += more;
        bySite.merge(site, more, Long::sum);
        return true;
    }

    /** {@code site} has one less. */
    void giveBack(String site) {
        giveBack(site, 1);
    }

    /** {@code site} has so many less. */
    void giveBack(String site, long less) {
        taken -= less;
        bySite.computeIfPresent(site, (same, had) -> had == less ? null : had - less);
    }

    /** What {@code site} has. */
    long of(String site) {
        return bySite.getOrDefault(site, 0L);
    }

    /** What all sites have. */
    long taken() {
        return taken;
    }
}
