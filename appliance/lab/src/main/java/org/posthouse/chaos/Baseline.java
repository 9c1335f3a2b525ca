package org.posthouse.chaos;

/**
 * A run without kills. The first is slower than those after it, whose relays are warm.
 *
 * @param totalMs from its start to its end
 * @param connectedMs from its start until every rank's program had called Init
 * @param outLines number of lines that it printed
 */
record Baseline(long totalMs, long connectedMs, long outLines) {
    /** Milliseconds for which its ranks communicated. */
    long windowMs() {
        return totalMs - connectedMs;
    }

    /** Of two runs the one that kills planned for it are less likely to come too late for. */
    Baseline shorter(Baseline other) {
        return other.windowMs() < windowMs() ? other : this;
    }
}
