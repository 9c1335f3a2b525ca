package org.posthouse.detector;

/** Lifeguard's local health: how much longer than usual we wait for others, 1 to 9 times. Confined to its detector. */
final class HealthMultiplier {
    /** Lifeguard's S. */
    static final int WORST = 8;

    private int score;

    /** An answer was missed, or others have suspected us. */
    void worse() {
        score = Math.min(WORST, score + 1);
    }

    /** A probe was answered. */
    void better() {
        score = Math.max(0, score - 1);
    }

    int factor() {
        return 1 + score;
    }
}
