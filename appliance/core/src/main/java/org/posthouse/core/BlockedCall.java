package org.posthouse.core;

/**
 * The call in which a rank is blocked.
 *
 * @param in the call, in the program's terms
 * @param sinceNanos when it was first reported, by the core's clock
 * @param peer the rank that it waits for; -1 if that is not one, or not known
 * @param still whether it counts for a standstill of its job; {@code stillSinceNanos} gives since when it does
 */
public record BlockedCall(String in, long sinceNanos, int peer, boolean still, long stillSinceNanos) {
    /** Seconds after which a blocked call is reported to the launcher. */
    public static final long LONG_S = 60;
}
