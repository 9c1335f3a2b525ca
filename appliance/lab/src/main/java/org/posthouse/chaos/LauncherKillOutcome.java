package org.posthouse.chaos;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * A kill of a launcher and what came of it.
 *
 * @param run the run's number, from 1
 * @param kill what was done
 * @param isVerified whether that run's result is right
 */
record LauncherKillOutcome(int run, LauncherKill kill, @JsonProperty("verified") boolean isVerified) {
    boolean isWhole() {
        return kill.ranksNs() >= 0;
    }

    /** One line for people. */
    String words() {
        return String.format(
                Locale.ROOT, "run %d: launcher killed at %.2f s, %s: %s", run, kill.atNs() / 1e9, recovery(), isVerified ? "verified" : "FAILED");
    }

    private String recovery() {
        if (kill.startedNs() < 0) {
            return isVerified ? "and the next before it was up" : "and no other was up before the end";
        }
        String started = String.format(Locale.ROOT, "resumed by one that was up after %.3f", kill.startedNs() / 1e9);
        if (kill.jobNs() < 0) {
            return started + ", which ended before all relays had told that they have the job";
        }
        String job = started + String.format(Locale.ROOT, " and had the job %.3f later", kill.jobNs() / 1e9);
        return isWhole()
                ? job + String.format(Locale.ROOT, ", its %d ranks went on %.3f later", kill.ranks(), kill.ranksNs() / 1e9)
                : job + ", ended before its ranks had gone on";
    }
}
