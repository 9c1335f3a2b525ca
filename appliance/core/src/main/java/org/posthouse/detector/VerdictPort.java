package org.posthouse.detector;

/** The effects of a relay's {@link VerdictChecks}. */
public interface VerdictPort {
    /** Pings an agent over its own connection. */
    void ping(long agent);

    /** The relay has decided about an agent. */
    void onVerdict(long agent, boolean isDead);
}
