package org.posthouse.keys;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The keys of a relay's links, for display and metrics. Immutable.
 *
 * @param certificate the site's own
 * @param authorityNotAfter until when its authority, and so every certificate of the grid, can be valid
 * @param listNumber of the newest list of revoked certificates; 0 if there is none
 * @param revoked number of certificates in that list
 * @param warnings problems that need an action, one line each
 */
public record KeysStatus(
        SiteCertificate certificate, Instant authorityNotAfter, long listNumber, int revoked, List<String> warnings) {
    private static final Duration WARNING_MAX = Duration.ofDays(30);

    public KeysStatus {
        warnings = List.copyOf(warnings);
    }

    /** Whether the end of validity is near enough for a warning: 30 days, or the last third of a shorter validity. */
    static boolean isNear(Instant notBefore, Instant notAfter, Instant now) {
        Duration third = Duration.between(notBefore, notAfter).dividedBy(3);
        Duration warning = third.compareTo(WARNING_MAX) < 0 ? third : WARNING_MAX;
        return now.isAfter(notAfter.minus(warning));
    }
}
