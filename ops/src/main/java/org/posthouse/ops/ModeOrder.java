package org.posthouse.ops;

/**
 * The order to place a relay's work on threads in another way. What is null stays as usual for the mode.
 *
 * @param mode     multiplexed, pooled, pipeline or threaded
 * @param loops    pooled: its event loops
 * @param pipeline pipeline: loops that read, match and write, as in {@code 2,1,2}
 */
public record ModeOrder(String mode, Integer loops, String pipeline) {}
