package org.posthouse.chaos;

import java.util.List;
import org.posthouse.faults.AgentKill;
import org.posthouse.faults.FaultInjector;
import org.posthouse.faults.RankKill;
import org.posthouse.faults.RelayKill;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Restart;

/**
 * One job of a campaign, what it did, and what was done to it.
 *
 * @param shownWrong the fault in the output that its launchers have shown together; empty if there is none
 * @param lostRelay why a relay that was killed in it does not come back; empty if all are there
 * @param connectedNs how long after its start every rank's program had called Init
 */
record CampaignRun(
        JobOutcome outcome,
        Transcript transcript,
        String shownWrong,
        String lostRelay,
        List<RankKill> kills,
        List<RelayKill> relayKills,
        List<AgentKill> agentKills,
        List<LauncherKill> launcherKills,
        long connectedNs) {
    /**
     * Whether a launcher that could have reported its view of this was killed before its report, or was down at the
     * kill.
     */
    boolean isUntold(RelayKill kill) {
        return launcherKills.stream().anyMatch(launcher -> launcher.jobNs() < 0 || launcher.backNs() >= kill.atNs());
    }

    /** The restart that followed a kill; null if none did, as the process had done its work or the job had ended. */
    Restart restart(RankKill kill) {
        return outcome.restarts().stream().filter(kill::ledTo).findFirst().orElse(null);
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
        String byItself = FaultInjector.byItself(outcome, kills, relayKills, agentKills);
        if (!byItself.isEmpty()) {
            return byItself;
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
