package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.launch.JobOutcome;
import org.posthouse.launch.RelayLoss;
import org.posthouse.launch.Restart;

/**
 * One job of a campaign, what it did, and what was done to it.
 *
 * @param shownWrong what is wrong with what its launchers have shown together; empty if nothing is
 * @param lostRelay why a relay that was killed in it does not come back; empty if all are there
 * @param connectedNs how long after its start every rank's program had called Init
 */
record Run(
        JobOutcome outcome,
        Transcript transcript,
        String shownWrong,
        String lostRelay,
        List<Kill> kills,
        List<RelayKill> relayKills,
        List<LauncherKill> launcherKills,
        long connectedNs) {
    /** Whether a launcher that could have told what it saw of this was killed before it had, or had been. */
    boolean isUntold(RelayKill kill) {
        return launcherKills.stream().anyMatch(launcher -> launcher.jobNs() < 0 || launcher.backNs() >= kill.atNs());
    }

    /** What followed a kill; null if nothing did, as the process had done its work or the job had ended. */
    Restart restart(Kill kill) {
        return outcome.restarts().stream().filter(kill::ledTo).findFirst().orElse(null);
    }

    /** What is wrong, in one line; empty if nothing is. @param outLines how many it is to have printed */
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
        String byItself = byItself(outcome, kills, relayKills);
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

    /** A restart, or a loss of a relay, that comes of no kill, in one line; empty if there is none. */
    static String byItself(JobOutcome outcome, List<Kill> kills, List<RelayKill> relayKills) {
        for (Restart restart : outcome.restarts()) {
            boolean ofRelay = restart.lostRelay() && !relayKills.isEmpty();
            if (!restart.lostLauncher() && !ofRelay && kills.stream().noneMatch(kill -> kill.ledTo(restart))) {
                return "rank " + restart.rank() + " was restarted and nobody killed it: " + restart.cause();
            }
        }
        List<String> killed = new ArrayList<>(relayKills.stream().map(RelayKill::relay).toList());
        for (RelayLoss loss : outcome.relayLosses()) {
            if (!killed.remove(loss.relay())) {
                return String.format(Locale.ROOT, "relay %s was lost for %.2f s and nobody killed it then", loss.relay(), loss.downNs() / 1e9);
            }
        }
        return "";
    }
}
