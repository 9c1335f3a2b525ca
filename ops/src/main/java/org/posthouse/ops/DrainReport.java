package org.posthouse.ops;

/**
 * The result of a {@link DrainOrder} on one relay, so far. Immutable.
 *
 * @param relay   the relay's id
 * @param drained whether other relays' lanes keep away from it
 * @param carried those that still go through it; they leave within seconds if they have another way
 */
public record DrainReport(String relay, boolean drained, int carried) {}
