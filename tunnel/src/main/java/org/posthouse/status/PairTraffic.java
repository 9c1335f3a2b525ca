package org.posthouse.status;

/**
 * The messages from one rank to another that were delivered, since the start of the destination's home relay. Immutable.
 *
 * @param source      rank that has sent them
 * @param destination rank that has received them
 * @param messages    their number
 * @param bytes       their payload bytes
 */
public record PairTraffic(int source, int destination, long messages, long bytes) {}
