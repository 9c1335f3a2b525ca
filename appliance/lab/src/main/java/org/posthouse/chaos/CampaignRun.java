package org.posthouse.chaos;

import java.util.List;
import org.posthouse.faults.InjectedFaults;
import org.posthouse.faults.RankKill;
import org.posthouse.faults.RelayKill;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Restart;

/**
 * One job of a campaign, what it did, and what was done to it.
 *
 * @param shownWrong the fault in the output that its launchers have shown together; empty if there is none
 * @param lostRelay why a relay that was killed in it does not come back; empty if all are there
 * @param startNs when it began, by {@link System#nanoTime}
 * @param connectedNs how long after its start every rank's program had called Init
 */
record CampaignRun(
        JobOutcome outcome,
        Transcript transcript,
        String shownWrong,
        String lostRelay,
        InjectedFaults faults,
        List<LauncherKill> launcherKills,
        long startNs,
        long connectedNs) {
    /** Whether no kill has had a consequence. That of a rank that had ended has none. */
    boolean isUndisturbed() {
        return outcome.restarts().isEmpty() && outcome.promotions().isEmpty() && launcherKills.isEmpty() && faults.followers().isEmpty()
                && faults.relays().isEmpty() && faults.agents().isEmpty();
    }

    /**
     * Whether a launcher that could have reported its view of this was killed before its report, or was down at the
     * kill.
     */
    boolean isUntold(RelayKill kill) {
        return launcherKills.stream().anyMatch(launcher -> launcher.jobNs() < 0 || launcher.backNs() >= kill.atNs());
    }

    /** The restart that followed a kill; null if none did: the process had done its work, a follower leads, or the job had ended. */
    Restart restart(RankKill kill) {
        return faults.restart(kill, outcome);
    }

    /** The follower that leads in place of a killed process; null if none does. */
    PromotionAfterKill promotion(RankKill kill) {
        return outcome.promotions().stream()
                .filter(promotion -> kill.isOf(promotion.rank(), promotion.before()))
                .findFirst()
                .map(promotion -> new PromotionAfterKill(promotion.process(), promotion.behind(), promotion.atNs() - startNs - kill.atNs()))
                .orElse(null);
    }

    /** Whether the launcher has noticed the end of a process that followed when it was killed. */
    boolean isNoticed(RankKill kill) {
        return isLost(kill) || outcome.promotions().stream().anyMatch(promotion -> kill.isOf(promotion.rank(), promotion.process()));
    }

    /** Whether a process that followed when it was killed has ended as a follower. */
    boolean isLost(RankKill kill) {
        return outcome.followersLost().stream().anyMatch(loss -> kill.isOf(loss.rank(), loss.process()));
    }

    /** The fault in one line; empty if there is none. @param outLines number of lines that it should have printed */
    String wrong(long outLines) {
        if (!lostRelay.isEmpty()) {
            return lostRelay;
        }
        if (!outcome.isSuccess()) {
            return "status " + outcome.status() + ", " + outcome.cause();
        }
        if (!outcome.divergences().isEmpty()) {
            return "diverged: " + outcome.divergences().get(0);
        }
        if (!outcome.printedOther().isEmpty()) {
            return "prints differ: " + outcome.printedOther().get(0);
        }
        String unexplained = faults.unexplained(outcome);
        if (!unexplained.isEmpty()) {
            return unexplained;
        }
        if (!shownWrong.isEmpty()) {
            return shownWrong;
        }
        if (!transcript.verification().isSuccessful()) {
            return "it said " + transcript.verification() + ", expected SUCCESSFUL once";
        }
        if (transcript.outLines() != outLines) {
            return "it printed " + transcript.outLines() + " lines, expected " + outLines + " as without kills";
        }
        return "";
    }
}
