package org.posthouse.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.posthouse.faults.KillTarget;
import org.posthouse.faults.PlannedKill;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.wire.Durability;
import org.posthouse.wire.Token;

/** Which processes a campaign kills, and when: its seed and the numbers of the kills decide. */
class CampaignPlanTest {
    private static final Baseline BASELINE = new Baseline(2_000, 500, 7);
    private static final int KILLS = 24;

    /** All kills, if each hits. */
    private static List<PlannedKill> strikes(int relayEvery, int launcherEvery, long seed) {
        return strikes(plan(KILLS, relayEvery, launcherEvery, seed), null);
    }

    /** There are no relays, whose number would be drawn. */
    private static CampaignPlan plan(int kills, int relayEvery, int launcherEvery, long seed) {
        JobSpec job = new JobSpec(
                "test", 4, List.of(), "Main", List.of(), List.of(), Map.of(), true, new RestartPolicy(CampaignPlan.KILLS_PER_RUN_MAX, 60_000));
        return new CampaignPlan(job, new PlacementRequest(List.of("h:1"), 1, 1, Token.NONE), List.of(), List.of(), kills, 0, relayEvery, 0, launcherEvery, seed,
                60);
    }

    /** All kills that hit, if all do but the first of such a process. */
    private static List<PlannedKill> strikes(CampaignPlan plan, KillTarget missed) {
        List<PlannedKill> hit = new ArrayList<>();
        boolean toMiss = missed != null;
        for (int run = 1; hit.size() < plan.kills(); run++) {
            for (PlannedKill plannedKill : plan.strikes(run, each(hit, PlannedKill::whose), BASELINE)) {
                boolean misses = toMiss && plannedKill.whose() == missed;
                toMiss &= !misses;
                if (!misses) {
                    hit.add(plannedKill);
                }
            }
        }
        return hit;
    }

    private static <T> List<T> each(List<PlannedKill> strikes, Function<PlannedKill, T> part) {
        return strikes.stream().map(part).toList();
    }

    @Test
    void theFirstKillAndEachNthBehindItIsOfALauncher() {
        List<KillTarget> whose = each(strikes(0, 3, 1), PlannedKill::whose);
        for (int kill = 1; kill <= KILLS; kill++) {
            assertThat(whose.get(kill - 1)).as("kill " + kill).isEqualTo(kill % 3 == 1 ? KillTarget.LAUNCHER : KillTarget.RANK);
        }
        assertThat(each(strikes(0, 0, 1), PlannedKill::whose)).containsOnly(KillTarget.RANK);
        assertThat(each(strikes(0, 1, 1), PlannedKill::whose)).containsOnly(KillTarget.LAUNCHER);
    }

    @Test
    void aKillThatMissesIsMadeUpForByOneOfItsKind() {
        for (long seed = 1; seed <= 100; seed++) {
            List<KillTarget> whose = each(strikes(plan(3, 0, 3, seed), KillTarget.LAUNCHER), PlannedKill::whose);
            assertThat(whose).as("seed " + seed).containsExactlyInAnyOrder(KillTarget.LAUNCHER, KillTarget.RANK, KillTarget.RANK);
        }
    }

    @Test
    void aSeedDecidesTheSameMomentsWhetherLaunchersAreKilledOrNot() {
        Function<PlannedKill, List<Long>> when = plannedKill -> List.of(plannedKill.fromInit() ? 1L : 0L, plannedKill.afterMs(), (long) plannedKill.number());
        assertThat(each(strikes(0, 5, 7), when)).isEqualTo(each(strikes(0, 0, 7), when)).isNotEqualTo(each(strikes(0, 5, 8), when));
        assertThat(strikes(0, 5, 7)).allSatisfy(plannedKill -> assertThat(plannedKill.afterMs()).isBetween(0L, plannedKill.fromInit() ? 1_500L : 2_000L));
    }

    /** A host of load 50 took 101 s for a run without kills, and 84 s to start a relay again. */
    @Test
    void runTimeoutGrowsWithSlownessOfHost() {
        CampaignPlan plan = plan(3, 0, 0, 1);
        assertThat(plan.runSecondsMax(new Baseline(2_000, 500, 7))).isEqualTo(60);
        assertThat(plan.runSecondsMax(new Baseline(101_690, 40_400, 7))).isEqualTo(813);
    }

    @Test
    void eachNthKillOfARankIsOfAFollowerWhateverElseIsKilled() {
        JobSpec job = new JobSpec(
                "test", 4, List.of(), "Main", List.of(), List.of(), Map.of(), Durability.PROCESS, new RestartPolicy(CampaignPlan.KILLS_PER_RUN_MAX, 60_000),
                RankStreams.DEFAULT, Replicas.of("2"));
        CampaignPlan plan = new CampaignPlan(
                job, new PlacementRequest(List.of("h:1"), 1, 1, Token.NONE), List.of(), List.of(), KILLS, 2, 0, 0, 3, 7, 60);
        List<KillTarget> whose = each(strikes(plan, null), PlannedKill::whose);
        assertThat(whose).filteredOn(one -> one == KillTarget.LAUNCHER).hasSize(8);
        assertThat(whose).filteredOn(one -> one != KillTarget.LAUNCHER).startsWith(KillTarget.RANK, KillTarget.FOLLOWER, KillTarget.RANK, KillTarget.FOLLOWER);
        assertThat(whose).filteredOn(one -> one == KillTarget.FOLLOWER).hasSize(8);
    }

    private static CampaignPlan planWithoutLog(Replicas replicas, int relayEvery) {
        JobSpec job = new JobSpec(
                "test", 4, List.of(), "Main", List.of(), List.of(), Map.of(), Durability.NONE, new RestartPolicy(CampaignPlan.KILLS_PER_RUN_MAX, 60_000),
                RankStreams.DEFAULT, replicas);
        return new CampaignPlan(
                job, new PlacementRequest(List.of("h:1"), 1, 1, Token.NONE), List.of(), List.of(), KILLS, replicas.areWanted() ? 2 : 0, relayEvery, 0, 0, 7,
                60);
    }

    @Test
    void aJobWithoutALogIsKilledIfItHasFollowersAndItsRelaysAreNot() {
        assertThat(each(strikes(planWithoutLog(Replicas.of("2"), 0), null), PlannedKill::whose)).containsOnly(KillTarget.RANK, KillTarget.FOLLOWER);
        assertThatThrownBy(() -> planWithoutLog(Replicas.of("2"), 4)).hasMessage("kills of relays, which a job without a log does not endure");
        assertThatThrownBy(() -> planWithoutLog(Replicas.NONE, 0)).hasMessageStartingWith("a job that does not endure 3 kills");
    }
}
