package org.posthouse.demo;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.posthouse.faults.AgentKill;
import org.posthouse.faults.RankKill;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;

/**
 * The result of one of the demo's jobs.
 *
 * @param name the example's name
 * @param ranks how many ranks it had
 * @param outcome how it ended
 * @param kills the ranks that were killed
 * @param agentKills the nodes that were killed
 * @param byItself a restart, or a loss of a relay, that comes of no kill; empty if there is none
 * @param verified whether it ended well, nothing of it died by itself, and it said that its result is right
 * @param stopped whether the user ended it
 * @param traffic what it moved
 */
record DemoReport(
        String name,
        int ranks,
        JobOutcome outcome,
        List<RankKill> kills,
        List<AgentKill> agentKills,
        String byItself,
        boolean verified,
        boolean stopped,
        DemoTraffic traffic) {
    /** In a word, or why not. */
    String result() {
        return verified ? "verified" : "FAILED " + (byItself.isEmpty() ? outcome.cause() : byItself);
    }

    /** The recovery of the rank, or the node, that was killed, and of the relay if one was killed. */
    String recovery() {
        return (agentKills.isEmpty() ? ofRank() : ofNode(agentKills.getFirst()))
                + outcome.relayLosses().stream().map(DemoReport::ofRelay).collect(Collectors.joining());
    }

    private String ofNode(AgentKill kill) {
        List<Restart> restarts = outcome.restarts();
        String node = "node " + kill.agent() + " killed, ";
        if (restarts.isEmpty()) {
            return node + "when its ranks had ended";
        }
        String ranks = restarts.size() == 1 ? "its rank" : "its " + restarts.size() + " ranks";
        return restarts.stream().allMatch(Restart::isCaughtUp)
                ? String.format(Locale.ROOT, "%s%s back in %.2f s", node, ranks, restarts.stream().mapToLong(Restart::totalNs).max().orElseThrow() / 1e9)
                : node + ranks + " not back before the end";
    }

    private String ofRank() {
        Optional<Restart> followed =
                outcome.restarts().stream().filter(restart -> kills.stream().anyMatch(kill -> kill.isOf(restart.rank(), restart.incarnation() - 1)))
                        .findFirst();
        if (followed.isEmpty()) {
            return "over before its rank was killed";
        }
        Restart restart = followed.get();
        return restart.isCaughtUp()
                ? String.format(Locale.ROOT, "rank %d killed, back in %.2f s", restart.rank(), restart.totalNs() / 1e9)
                : "rank " + restart.rank() + " killed, not back before the end";
    }

    private static String ofRelay(RelayLoss loss) {
        return String.format(
                Locale.ROOT,
                "; relay %s killed, back in %.2f s%s",
                loss.relay(),
                loss.downNs() / 1e9,
                loss.isOver() && loss.ranks() > 0 ? String.format(Locale.ROOT, ", its ranks %.2f s later", loss.ranksNs() / 1e9) : "");
    }
}
