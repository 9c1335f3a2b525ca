package org.posthouse.ops;

/**
 * The result of a {@link NodeDrainOrder} on one relay. Immutable.
 *
 * @param relay  its id
 * @param node   the node's name
 * @param passed whether the relay has a node of this name, and has passed the order on to it
 */
public record NodeDrainReport(String relay, String node, boolean passed) {}
