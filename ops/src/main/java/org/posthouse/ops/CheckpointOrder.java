package org.posthouse.ops;

/**
 * The order that a job's ranks take checkpoints.
 *
 * @param job its id, 1 to 32 lower-case hexadecimal digits
 */
public record CheckpointOrder(String job) {}
