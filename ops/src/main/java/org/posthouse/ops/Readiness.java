package org.posthouse.ops;

import java.util.List;

/**
 * Whether a relay takes work, and if not, why. Immutable.
 *
 * @param ready   whether the relay takes new ranks and messages
 * @param reasons one clear line each, saying what is missing and what to do; empty exactly when ready
 */
public record Readiness(boolean ready, List<String> reasons) {

    private static final Readiness READY = new Readiness(true, List.of());

    /** Copies the reasons; refuses a ready relay with reasons, or an unready one without. */
    public Readiness {
        reasons = List.copyOf(reasons);
        if (ready != reasons.isEmpty()) {
            throw new IllegalArgumentException(
                    "a ready relay has no reasons and an unready one has at least one; got ready=" + ready
                            + ", reasons=" + reasons);
        }
    }

    /** The answer of a relay that takes work. */
    public static Readiness ok() {
        return READY;
    }

    /**
     * The answer of a relay that takes no work now.
     *
     * @param reasons at least one line
     */
    public static Readiness notReady(String... reasons) {
        return new Readiness(false, List.of(reasons));
    }
}
