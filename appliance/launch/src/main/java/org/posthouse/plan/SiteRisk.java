package org.posthouse.plan;

/**
 * Sites that fail as a whole, each with all of its hosts, whatever the others do.
 *
 * @param sites how many the copies are spread over, at most {@link #SITES_MAX}
 * @param model when a site fails
 * @param uptime seconds for which all sites have been up
 */
public record SiteRisk(int sites, Weibull model, double uptime) {
    /** Most sites: the model sums over all sets of them. */
    public static final int SITES_MAX = 10;
}
