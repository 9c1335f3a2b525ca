package org.posthouse.ops;

/**
 * The order that a node takes no new job, or takes jobs again.
 *
 * @param node  its name
 * @param drain whether it is to take no new job from now on
 */
public record NodeDrainOrder(String node, Boolean drain) {}
