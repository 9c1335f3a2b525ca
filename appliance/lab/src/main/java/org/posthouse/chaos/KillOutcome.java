package org.posthouse.chaos;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.posthouse.faults.RankKill;
import org.posthouse.launch.job.Restart;

/**
 * A kill and what came of it.
 *
 * @param run the run's number, from 1
 * @param kill what was done
 * @param restart the launcher's reaction; null if the job ended before it, or a follower leads
 * @param leads the follower that leads since; null if none does
 * @param isVerified whether that run's result is right
 */
record KillOutcome(int run, RankKill kill, @JsonIgnore Restart restart, PromotionAfterKill leads, @JsonProperty("verified") boolean isVerified) {
    @JsonProperty("parts")
    Object parts() {
        return restart;
    }

    /** One line for people. */
    String words() {
        return String.format(
                Locale.ROOT,
                "run %d: rank %d killed at %.2f s, %s: %s",
                run,
                kill.rank(),
                kill.atNs() / 1e9,
                recovery(),
                isVerified ? "verified" : "FAILED");
    }

    private String recovery() {
        if (leads != null) {
            return String.format(Locale.ROOT, "follower %d led after %.3f, %,d observations behind", leads.process(), leads.ledNs() / 1e9, leads.behind());
        }
        if (restart == null) {
            return "not restarted";
        }
        if (restart.lostLauncher()) {
            return "its launcher was killed before it had noticed";
        }
        if (!restart.isCaughtUp()) {
            return String.format(Locale.ROOT, "detected %.3f, ended before it had caught up", restart.detectedNs() / 1e9);
        }
        return String.format(
                Locale.ROOT,
                "detected %.3f, restarted %.3f, JVM %.3f, replayed %,d deliveries in %.3f",
                restart.detectedNs() / 1e9,
                restart.waitedNs() / 1e9,
                restart.startedNs() / 1e9,
                restart.deliveries(),
                restart.replayedNs() / 1e9);
    }
}
