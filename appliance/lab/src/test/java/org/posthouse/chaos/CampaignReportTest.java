package org.posthouse.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.faults.RankKill;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.wire.Durability;
import org.posthouse.wire.Token;

/** What a campaign tells of the kills of its launchers, and what it does not count as a restart of a rank. */
class CampaignReportTest {
    private static final long MS = 1_000_000;

    private static Restart restart(int rank, String cause) {
        return new Restart(rank, 2, cause, 0, 10 * MS, 100 * MS, 50 * MS, 7);
    }

    private static CampaignReport report() {
        JobSpec job = new JobSpec("test", 4, List.of(), "Main", List.of(), List.of(), Map.of(), true, new RestartPolicy(3, 60_000));
        CampaignPlan plan = new CampaignPlan(job, new PlacementRequest(List.of("h:1"), 1, 1, Token.NONE), List.of(), List.of(), 5, 0, 0, 0, 2, 1, 60);
        List<KillOutcome> ranks = List.of(
                new KillOutcome(1, new RankKill(1, 1, 300 * MS), restart(1, "was killed"), null, true),
                new KillOutcome(1, new RankKill(2, 1, 900 * MS), restart(2, "lost its launcher"), null, true));
        List<LauncherKillOutcome> launchers = List.of(
                new LauncherKillOutcome(1, new LauncherKill(1_000 * MS, 500 * MS, 20 * MS, 4, 700 * MS), true),
                new LauncherKillOutcome(1, new LauncherKill(1_100 * MS, 400 * MS, 30 * MS, 3, -1), true),
                new LauncherKillOutcome(2, new LauncherKill(1_000 * MS, -1, -1, 0, -1), false));
        return new CampaignReport(plan, new Baseline(2_000, 500, 7), 2, 1, ranks, List.of(), List.of(), List.of(), launchers, ReplicaTotals.NONE, "", "");
    }

    @Test
    void theTableHasAPartForLaunchersWhoseRanksWentOn() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report().print(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("launchers       p50      p90      max  (seconds)\n"
                        + "started       0.500    0.500    0.500\n"
                        + "job back      0.020    0.020    0.020\n"
                        + "ranks back    0.700    0.700    0.700\n")
                .contains("together      0.160    0.160    0.160\n")
                .endsWith("4 of 5 verify; 1 of 2 runs failed\n");
    }

    @Test
    void failingJobGetsNoAdviceToDoMore() {
        assertThat(Campaign.unhit(0, 70)).isEqualTo("10 runs in a row were over before a kill: give the job more to do, it takes 70 ms");
        assertThat(Campaign.unhit(10, 70)).isEqualTo("10 runs in a row were over before a kill, 10 of them as they failed");
    }

    @Test
    void everyKillIsReportedWithItsOutcome() {
        assertThat(report().launcherFates()).extracting(LauncherKillOutcome::words).containsExactly(
                "run 1: launcher killed at 1.00 s, resumed by one that was up after 0.500 and had the job 0.020 later, its 4 ranks went on 0.700 later: verified",
                "run 1: launcher killed at 1.10 s, resumed by one that was up after 0.400 and had the job 0.030 later, ended before its ranks had gone on: verified",
                "run 2: launcher killed at 1.00 s, and no other was up before the end: FAILED");
        assertThat(report().fates().getLast().words()).isEqualTo("run 1: rank 2 killed at 0.90 s, its launcher was killed before it had noticed: verified");
    }

    @Test
    void campaignWithReplicasTellsPromotionsBesideRestarts() throws Exception {
        JobSpec job = new JobSpec(
                "test", 4, List.of(), "Main", List.of(), List.of(), Map.of(), Durability.PROCESS, new RestartPolicy(3, 60_000), RankStreams.DEFAULT,
                Replicas.of("2"));
        CampaignPlan plan = new CampaignPlan(job, new PlacementRequest(List.of("h:1"), 1, 1, Token.NONE), List.of(), List.of(), 3, 2, 0, 0, 0, 1, 60);
        List<KillOutcome> ranks = List.of(
                new KillOutcome(1, new RankKill(1, 1, 300 * MS), null, new PromotionAfterKill(2, 12, 20 * MS), true),
                new KillOutcome(1, new RankKill(2, 1, 900 * MS), restart(2, "was killed"), null, true));
        List<FollowerKillOutcome> followers = List.of(new FollowerKillOutcome(1, new RankKill(0, 2, 400 * MS), true, true));
        CampaignReport report = new CampaignReport(
                plan, new Baseline(2_000, 500, 7), 1, 0, ranks, followers, List.of(), List.of(), List.of(), new ReplicaTotals(1, 1, 1, 0), "", "");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("led           0.020    0.020    0.020\n")
                .endsWith("1 promotions, 1 restarts, 1 followers lost, 0 diverged\n3 of 3 verify\n");
        assertThat(ranks.getFirst().words()).isEqualTo("run 1: rank 1 killed at 0.30 s, follower 2 led after 0.020, 12 observations behind: verified");
        assertThat(followers.getFirst().words()).isEqualTo("run 1: follower 2 of rank 0 killed at 0.40 s, lost: verified");
        JsonNode json = new ObjectMapper().readTree(report.json());
        assertThat(json.path("replicaTotals").path("promotions").asInt()).isEqualTo(1);
        assertThat(json.path("killed").path(0).path("leads").path("behind").asInt()).isEqualTo(12);
        assertThat(json.path("followersKilled").path(0).path("lost").asBoolean()).isTrue();
    }
}
