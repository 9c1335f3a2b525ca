package org.posthouse.tunnel;

/**
 * How much one site may have of what all sites share: links, accepted connections, streams. Stateless.
 *
 * <p>A site may have one more as long as it has less than three times what nobody has. So a site that is alone gets three quarters, of two greedy ones each
 * three sevenths, and something is left for the first of every other.
 */
final class FairShare {
    private static final int TIMES_FREE = 3;

    private FairShare() {}

    /** Whether who {@code has} so many may have one more, of {@code all} of which so many are {@code taken}. */
    static boolean allows(long has, long taken, long all) {
        return has < TIMES_FREE * (all - taken);
    }
}
