package org.posthouse.chaos;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.posthouse.faults.RelayKill;
import org.posthouse.launch.job.RelayLoss;

/**
 * A kill of a relay and what came of it.
 *
 * @param run the run's number, from 1
 * @param kill what was done
 * @param loss what the launcher saw of it; null if the job had no use for the relay any more, or the launcher was killed
 * @param isVerified whether that run's result is right
 */
record RelayKillOutcome(int run, RelayKill kill, @JsonIgnore RelayLoss loss, @JsonProperty("verified") boolean isVerified) {
    @JsonProperty("parts")
    Object parts() {
        return loss;
    }

    boolean isWhole() {
        return loss != null && loss.isOver();
    }

    /** One line for people. */
    String words() {
        return String.format(
                Locale.ROOT,
                "run %d: relay %s killed at %.2f s, serves again after %.3f, %s: %s",
                run,
                kill.relay(),
                kill.atNs() / 1e9,
                kill.servesNs() / 1e9,
                recovery(),
                isVerified ? "verified" : "FAILED");
    }

    private String recovery() {
        if (loss == null) {
            return isVerified ? "its launcher was killed before it could tell more" : "not missed";
        }
        String down = String.format(Locale.ROOT, "its job was without it for %.3f", loss.downNs() / 1e9);
        if (loss.ranks() == 0) {
            return down + ", when its ranks had ended";
        }
        return loss.isOver()
                ? down + String.format(Locale.ROOT, ", its %d ranks went on %.3f later", loss.ranks(), loss.ranksNs() / 1e9)
                : down + ", ended before its ranks had gone on";
    }
}
