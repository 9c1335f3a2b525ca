package org.posthouse.detector;

/**
 * Notices that this process stood still: stopped, swapped out, or in a long collection. Its silence about others then says
 * nothing about them (the lesson of Lifeguard). Confined to its owner.
 */
final class LocalHealth {
    private final long standstillNanos;
    private long dueNanos;
    private boolean isFirst = true;

    /** @param standstillNanos lateness from which on the process counts as having stood still */
    LocalHealth(long standstillNanos) {
        this.standstillNanos = standstillNanos;
    }

    /** @param dueNanos when the owner is to be called next */
    void expect(long dueNanos) {
        this.dueNanos = dueNanos;
        isFirst = false;
    }

    boolean stoodStill(long nowNanos) {
        return !isFirst && nowNanos - dueNanos > standstillNanos;
    }
}
