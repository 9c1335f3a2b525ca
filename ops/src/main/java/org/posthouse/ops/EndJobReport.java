package org.posthouse.ops;

/**
 * The result of an order to end a job, at one relay. Immutable.
 *
 * @param relay its id
 * @param job   the job's id
 * @param ended whether the order ended it; false if it was not open there, or not any more
 */
public record EndJobReport(String relay, String job, boolean ended) {}
