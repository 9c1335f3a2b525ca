package org.posthouse.chaos;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.posthouse.faults.RankKill;

/**
 * A kill of a process that followed and what came of it.
 *
 * @param run the run's number, from 1
 * @param kill what was done
 * @param isLost whether the launcher has seen it as the loss of a follower; else it had been promoted by then, or the job ended before
 * @param isVerified whether that run's result is right
 */
record FollowerKillOutcome(int run, RankKill kill, @JsonProperty("lost") boolean isLost, @JsonProperty("verified") boolean isVerified) {
    /** One line for people. */
    String words() {
        return String.format(
                Locale.ROOT,
                "run %d: follower %d of rank %d killed at %.2f s, %s: %s",
                run,
                kill.incarnation(),
                kill.rank(),
                kill.atNs() / 1e9,
                isLost ? "lost" : "not lost as a follower",
                isVerified ? "verified" : "FAILED");
    }
}
