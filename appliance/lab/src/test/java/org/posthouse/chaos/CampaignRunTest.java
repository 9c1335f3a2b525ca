package org.posthouse.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.faults.AgentKill;
import org.posthouse.faults.RankKill;
import org.posthouse.faults.RelayKill;
import org.posthouse.faults.ResultCheck;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;

/** Which runs a campaign takes for good: those whose restarts all come of its own kills. */
class CampaignRunTest {
    private static final RelayKill OF_RELAY = new RelayKill("site-a", 1, 1);
    private static final RelayLoss LOSS = new RelayLoss("site-a", 2, 1_250_000_000, 1);

    private static Restart restart(int rank, int incarnation, String cause) {
        return new Restart(rank, incarnation, cause, 0, 0, 0, 0, 7);
    }

    private static String wrong(List<Restart> restarts, List<RelayLoss> losses, List<RankKill> kills, List<RelayKill> relayKills) {
        return wrong(restarts, losses, kills, relayKills, List.of());
    }

    private static String wrong(
            List<Restart> restarts, List<RelayLoss> losses, List<RankKill> kills, List<RelayKill> relayKills, List<AgentKill> agentKills) {
        Transcript transcript = new Transcript();
        transcript.onLine("[0] Verification: SUCCESSFUL\n", true);
        JobOutcome outcome = new JobOutcome(0, "", false, 1, restarts, losses, List.of(), List.of());
        return new CampaignRun(outcome, transcript, "", "", kills, relayKills, agentKills, List.of(), 0).wrong(1);
    }

    @Test
    void aRestartThatFollowsAKillIsRight() {
        List<Restart> restarts = List.of(
                restart(1, 2, "was killed by signal 9 (SIGKILL)"), restart(1, 3, "was killed by signal 9 (SIGKILL)"), restart(0, 2, "lost its launcher"));
        assertThat(wrong(restarts, List.of(), List.of(new RankKill(1, 1, 1), new RankKill(1, 2, 2), new RankKill(0, 5, 3)), List.of())).isEmpty();
    }

    @Test
    void aRankThatDiesByItselfFailsTheRunThatVerifies() {
        List<Restart> restarts = List.of(restart(1, 2, "was killed by signal 9 (SIGKILL)"), restart(1, 3, "exited with status 72"));
        assertThat(wrong(restarts, List.of(), List.of(new RankKill(1, 1, 1)), List.of(OF_RELAY)))
                .isEqualTo("rank 1 was restarted and nobody killed it: exited with status 72");
        assertThat(wrong(restarts.subList(0, 1), List.of(), List.of(new RankKill(0, 1, 1)), List.of())).contains("rank 1 was restarted and nobody killed it");
    }

    @Test
    void aRankMayGiveItsRelayUpIfThatWasKilled() {
        String gaveUp = "exited with status 70, as one does whose relay is gone or refuses it";
        List<Restart> restarts = List.of(restart(1, 2, gaveUp + " before its relay heard of it"), restart(0, 2, gaveUp));
        assertThat(wrong(restarts, List.of(), List.of(), List.of(OF_RELAY))).isEmpty();
        assertThat(wrong(restarts, List.of(), List.of(), List.of())).startsWith("rank 1 was restarted and nobody killed it: exited with status 70");
    }

    @Test
    void aKilledAgentExplainsAsManyRestartsAsItHadRanks() {
        List<Restart> restarts = List.of(restart(1, 2, "its node is gone"), restart(2, 2, "its node is gone"));
        assertThat(wrong(restarts, List.of(), List.of(), List.of(), List.of(new AgentKill("n1", 1, 2, 1)))).isEmpty();
        assertThat(wrong(restarts, List.of(), List.of(), List.of(), List.of(new AgentKill("n1", 1, 1, 1))))
                .isEqualTo("rank 2 was restarted and nobody killed it: its node is gone");
        assertThat(wrong(restarts, List.of(), List.of(new RankKill(1, 1, 1)), List.of(), List.of(new AgentKill("n1", 1, 1, 1)))).isEmpty();
    }

    @Test
    void eachLossOfARelayHasAKillOfItsOwn() {
        assertThat(wrong(List.of(), List.of(LOSS), List.of(), List.of(OF_RELAY))).isEmpty();
        assertThat(wrong(List.of(), List.of(LOSS, LOSS), List.of(), List.of(OF_RELAY)))
                .isEqualTo("relay site-a was lost for 1.25 s and nobody killed it then");
        assertThat(wrong(List.of(), List.of(LOSS), List.of(), List.of(new RelayKill("site-b", 1, 1)))).startsWith("relay site-a was lost");
    }
}
