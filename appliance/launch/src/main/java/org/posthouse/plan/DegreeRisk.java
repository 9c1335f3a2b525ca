package org.posthouse.plan;

import java.util.OptionalDouble;

/**
 * A job whose ranks run in some copies each.
 *
 * @param degree copies of each rank
 * @param hosts that it takes
 * @param seconds that it takes
 * @param failure probability that all hosts of a rank fail
 * @param withSites the same, with sites that fail as a whole; empty if these are not asked for
 * @param withRestart probability that all copies of a rank are away at once, if lost ones are started again
 */
public record DegreeRisk(int degree, long hosts, double seconds, double failure, OptionalDouble withSites, double withRestart) {
    /** With sites, if these are asked for. */
    public double worst() {
        return withSites.orElse(failure);
    }
}
