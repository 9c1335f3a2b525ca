package org.posthouse.ops;

/**
 * The order that a job ends.
 *
 * @param job its id, 1 to 32 lower-case hexadecimal digits
 */
public record EndJobOrder(String job) {}
