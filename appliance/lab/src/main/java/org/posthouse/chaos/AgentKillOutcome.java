package org.posthouse.chaos;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.posthouse.faults.AgentKill;

/**
 * A kill of an agent and what came of it.
 *
 * @param run the run's number, from 1
 * @param kill what was done
 * @param restarts number of processes of ranks that were started again in that run
 * @param isVerified whether that run's result is right
 */
record AgentKillOutcome(int run, AgentKill kill, int restarts, @JsonProperty("verified") boolean isVerified) {
    /** One line for people. */
    String words() {
        return String.format(
                Locale.ROOT,
                "run %d: agent %s killed at %.2f s with %d ranks, back after %.3f, %d restarts in that run: %s",
                run,
                kill.agent(),
                kill.atNs() / 1e9,
                kill.ranks(),
                kill.servesNs() / 1e9,
                restarts,
                isVerified ? "verified" : "FAILED");
    }
}
