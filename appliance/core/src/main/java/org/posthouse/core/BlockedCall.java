package org.posthouse.core;

/**
 * What a rank is blocked in.
 *
 * @param in the call, in the program's terms
 * @param sinceNanos when it was first heard of, by the core's clock
 * @param still whether it counts for a standstill of its job, and {@code stillSinceNanos} since when it does
 */
public record BlockedCall(String in, long sinceNanos, boolean still, long stillSinceNanos) {
    /** After so long it is told. */
    public static final long LONG_S = 60;
}
