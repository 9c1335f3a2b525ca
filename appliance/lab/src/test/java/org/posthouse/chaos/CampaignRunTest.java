package org.posthouse.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.faults.AgentKill;
import org.posthouse.faults.InjectedFaults;
import org.posthouse.faults.RankKill;
import org.posthouse.faults.RelayKill;
import org.posthouse.faults.ResultCheck;
import org.posthouse.launch.job.FollowerLoss;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Promotion;
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
        return new CampaignRun(outcome, transcript, "", "", new InjectedFaults(kills, List.of(), relayKills, agentKills), List.of(), 0, 0).wrong(1);
    }

    /** Of a replicated job without kills of relays and agents. */
    private static CampaignRun replicated(
            List<Restart> restarts, List<Promotion> promotions, List<FollowerLoss> lost, List<RankKill> kills, List<RankKill> followerKills) {
        Transcript transcript = new Transcript();
        transcript.onLine("[0] Verification: SUCCESSFUL\n", true);
        JobOutcome outcome = new JobOutcome(0, "", false, 1, restarts, List.of(), List.of(), List.of(), promotions, lost);
        return new CampaignRun(
                outcome, transcript, "", "", new InjectedFaults(kills, followerKills, List.of(), List.of()), List.of(), 1_000, 0);
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

    @Test
    void aFollowerThatLeadsFollowsAKillOfItsLeader() {
        List<Promotion> promotions = List.of(new Promotion(1, 2, 3, 1, 7, 6_000), new Promotion(1, 4, 5, 2, 0, 9_000));
        RankKill first = new RankKill(1, 1, 1_500);
        CampaignRun run = replicated(List.of(), promotions, List.of(), List.of(first, new RankKill(1, 2, 7_000)), List.of());
        assertThat(run.wrong(1)).isEmpty();
        assertThat(run.promotion(first)).as("the kill was at 2,500").isEqualTo(new PromotionAfterKill(2, 7, 3_500));
        assertThat(run.restart(first)).isNull();
        assertThat(replicated(List.of(), promotions, List.of(), List.of(first), List.of()).wrong(1))
                .isEqualTo("follower 4 of rank 1 leads and nobody killed process 2, which led before");
    }

    @Test
    void theKillOfAFollowerDoesNotMakeAnotherLead() {
        List<Promotion> promotions = List.of(new Promotion(1, 4, 5, 1, 0, 6_000));
        List<FollowerLoss> lost = List.of(new FollowerLoss(1, 2, "was killed by signal 9 (SIGKILL)"));
        RankKill follower = new RankKill(1, 2, 1_500);
        assertThat(replicated(List.of(), promotions, lost, List.of(), List.of(follower)).wrong(1))
                .isEqualTo("follower 4 of rank 1 leads and nobody killed process 1, which led before");
        assertThat(replicated(List.of(), promotions, lost, List.of(new RankKill(1, 1, 1_600)), List.of(follower)).wrong(1)).isEmpty();
    }

    /** 2 was promoted, and had ended when the launcher heard of it: then it knows of no leader before 4. Else 4 was started again, and 2 has fenced it. */
    @Test
    void aProcessBeforeTheOneThatLedMayBeTheKilledOne() {
        RankKill leader = new RankKill(1, 1, 1_500);
        assertThat(replicated(List.of(), List.of(new Promotion(1, 4, 5, 0, 0, 6_000)), List.of(), List.of(leader), List.of()).wrong(1)).isEmpty();
        assertThat(replicated(List.of(), List.of(new Promotion(1, 2, 5, 4, 0, 6_000)), List.of(), List.of(leader), List.of()).wrong(1)).isEmpty();
    }

    /** Numbers do not tell the order in which processes have led. */
    @Test
    void eachChangeOfTheLeaderHasAKillOfItsOwn() {
        List<Promotion> promotions = List.of(new Promotion(1, 4, 5, 1, 0, 1), new Promotion(1, 2, 7, 4, 0, 2), new Promotion(1, 6, 9, 2, 0, 3));
        List<RankKill> kills = List.of(new RankKill(1, 1, 1), new RankKill(1, 2, 3));
        assertThat(replicated(List.of(), promotions, List.of(), kills, List.of(new RankKill(1, 4, 2))).wrong(1)).isEmpty();
        assertThat(replicated(List.of(), promotions, List.of(), kills, List.of()).wrong(1)).contains("nobody killed process");
    }

    @Test
    void aLostFollowerHasAKillOfItsOwn() {
        List<FollowerLoss> lost = List.of(new FollowerLoss(1, 4, "exited with status 72"));
        RankKill kill = new RankKill(1, 4, 1);
        assertThat(replicated(List.of(), List.of(), lost, List.of(), List.of(kill)).wrong(1)).isEmpty();
        assertThat(replicated(List.of(), List.of(), lost, List.of(), List.of(kill)).isNoticed(kill)).isTrue();
        assertThat(replicated(List.of(), List.of(), List.of(), List.of(), List.of(kill)).isNoticed(kill)).as("its rank had ended").isFalse();
        assertThat(replicated(List.of(), List.of(), lost, List.of(), List.of(new RankKill(1, 2, 1))).wrong(1))
                .isEqualTo("follower 4 of rank 1 was lost and nobody killed it: exited with status 72");
    }

    /** Its number is the next even one, as its relay gives odd ones. */
    @Test
    void aRankWhoseFollowerHadNotConnectedIsRestarted() {
        Restart restart = restart(1, 6, "was killed by signal 9 (SIGKILL)");
        RankKill kill = new RankKill(1, 2, 1);
        CampaignRun run = replicated(List.of(restart), List.of(new Promotion(1, 2, 3, 1, 0, 1)), List.of(), List.of(new RankKill(1, 1, 0), kill), List.of());
        assertThat(run.wrong(1)).isEmpty();
        assertThat(run.restart(kill)).isEqualTo(restart);
        assertThat(run.restart(new RankKill(1, 1, 0))).as("a follower has led in its place").isNull();
    }
}
