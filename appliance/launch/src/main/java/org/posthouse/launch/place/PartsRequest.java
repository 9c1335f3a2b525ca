package org.posthouse.launch.place;

/**
 * A job whose slots are brought by the sites' own batch jobs ({@code posthouse join}). The slots of each site are those of
 * the request's {@link SiteRestriction}.
 *
 * @param job name by which agents join it
 * @param waitMs how long the parts are waited for
 * @param options further words of the command {@code posthouse join}, for people
 */
public record PartsRequest(String job, long waitMs, String options) {}
