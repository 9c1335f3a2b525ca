package org.posthouse.plan;

/**
 * How long a host has lived.
 *
 * @param seconds from its start to its failure, or as long as it was seen
 * @param failed whether it has failed; otherwise it lives, or has left unharmed (right-censored)
 */
public record Lifetime(double seconds, boolean failed) {}
