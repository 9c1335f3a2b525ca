package org.posthouse.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Probabilities of failure that are known from elsewhere. */
class FailurePlanTest {
    private static final double DAY = 86_400;

    private static FailurePlan.Job job(int ranks, double seconds, double overhead, Weibull host, HostPool pool, SiteRisk sites) {
        return new FailurePlan.Job(ranks, 1, seconds, overhead, host, pool, Optional.ofNullable(sites), 30, 16);
    }

    private static FailurePlan plan(int ranks, double seconds, double overhead, Weibull host) {
        return FailurePlan.of(job(ranks, seconds, overhead, host, HostPool.unlimited(0), null));
    }

    /** P2P-MPI chapter, figure 10: ten processes, lambda 0.1, and a time of r seconds with r copies. */
    @Test
    void figureTenHasItsMinimumAtSevenCopies() {
        FailurePlan plan = plan(10, 1, 1, new Weibull(0.1, 1));
        assertThat(plan.lowest().degree()).isEqualTo(7);
        assertThat(plan.lowest().failure()).isCloseTo(0.079, within(0.0005));
        assertThat(plan.degrees().get(0).failure()).isCloseTo(0.632, within(0.0005));
        assertThat(plan.degrees().get(1).failure()).isCloseTo(0.284, within(0.0005));
        assertThat(plan.lowest().hosts()).isEqualTo(70);
        assertThat(plan.lowest().seconds()).isEqualTo(7);
    }

    @Test
    void withALittleOverheadMoreCopiesAreAlwaysBetter() {
        FailurePlan plan = plan(10, 1, 0.1, new Weibull(0.1, 1));
        assertThat(plan.lowest().degree()).isEqualTo(16);
        assertThat(plan.smallest(1e-3)).hasValueSatisfying(found -> {
            assertThat(found.failure()).isLessThanOrEqualTo(1e-3);
            assertThat(plan.degrees().get(found.degree() - 2).failure()).isGreaterThan(1e-3);
        });
        assertThat(plan.smallest(1e-30)).isEmpty();
    }

    /** Of two hosts for each of 1,000 ranks: 1,000 f^2, of which f is 1e-150. A difference from 1 would be 0. */
    @Test
    void smallProbabilitiesKeepTheirDigits() {
        assertThat(plan(1_000, 1, 0, new Weibull(1e-150, 1)).degrees().get(1).failure()).isCloseTo(1e-297, within(1e-309));
        assertThat(plan(1_000, 1, 0, new Weibull(1e-60, 1)).degrees().get(4).failure()).isCloseTo(1e-297, within(1e-309));
    }

    @Test
    void ranksOfOneHostFailTogether() {
        Weibull host = new Weibull(0.1, 1);
        FailurePlan.Job packed = new FailurePlan.Job(40, 4, 1, 1, host, HostPool.unlimited(0), Optional.empty(), 30, 16);
        assertThat(FailurePlan.of(packed).degrees()).isEqualTo(plan(10, 1, 1, host).degrees());
    }

    @Test
    void oldHostsAreBetterWhereTheRateFalls() {
        Weibull falling = new Weibull(1 / DAY, 0.6);
        assertThat(falling.failure(30 * DAY, 3_600)).isLessThan(falling.failure(0, 3_600) / 3);
        Weibull rising = new Weibull(1 / DAY, 2);
        assertThat(rising.failure(30 * DAY, 3_600)).isGreaterThan(rising.failure(0, 3_600));
        Weibull constant = new Weibull(1 / DAY, 1);
        assertThat(constant.failure(30 * DAY, 3_600)).isCloseTo(constant.failure(0, 3_600), within(1e-12));
    }

    /** The difference of (u + t)^delta and u^delta is below the last digit of both. */
    @Test
    void theHazardOfAMomentInALongLifeKeepsItsDigits() {
        assertThat(new Weibull(1e-6, 0.5).hazard(1e9, 1e-9)).isCloseTo(0.5 * Math.sqrt(1e-6) / Math.sqrt(1e9) * 1e-9, within(1e-26));
    }

    /** Eight old hosts and many new ones for four ranks: with one or two copies only the old ones are used. */
    @Test
    void theBestHostsAreUsedFirst() {
        Weibull falling = new Weibull(1 / DAY, 0.6);
        HostPool pool = new HostPool(List.of(new HostPool.Age(60, 8), new HostPool.Age(30 * DAY, 8)));
        FailurePlan plan = FailurePlan.of(job(4, 3_600, 0, falling, pool, null));
        assertThat(plan.degrees()).as("16 hosts, 4 for each copy").hasSize(4);
        double old = falling.failure(30 * DAY, 3_600);
        double young = falling.failure(60, 3_600);
        assertThat(plan.degrees().get(1).failure()).isCloseTo(1 - Math.pow(1 - old * old, 4), within(1e-12));
        assertThat(plan.degrees().get(2).failure()).isCloseTo(1 - Math.pow(1 - old * old * young, 4), within(1e-12));
    }

    /** Hosts 1, 2, 3, 4, 5, 6 in the order of their risk, two for each of three ranks: 1 beside 6, 2 beside 5, 3 beside 4. */
    @Test
    void theRiskiestHostIsPairedWithTheBest() {
        double[] hazards = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
        assertThat(CopyGroup.spread(hazards, 3, 2, 1)).extracting(CopyGroup::hazards)
                .containsExactlyInAnyOrder(List.of(0.1, 0.6), List.of(0.2, 0.5), List.of(0.3, 0.4));
    }

    @Test
    void aSiteTakesAllOfItsHostsWithIt() {
        Weibull never = new Weibull(1e-30, 1);
        SiteRisk risk = new SiteRisk(3, new Weibull(0.1, 1), 0);
        double fails = -Math.expm1(-0.1);
        FailurePlan plan = FailurePlan.of(job(9, 1, 0, never, HostPool.unlimited(0), risk));
        assertThat(plan.degrees().get(0).worst()).as("any of three sites").isCloseTo(1 - Math.pow(1 - fails, 3), within(1e-12));
        assertThat(plan.degrees().get(1).worst()).as("any two of three sites")
                .isCloseTo(3 * fails * fails * (1 - fails) + Math.pow(fails, 3), within(1e-12));
        assertThat(plan.degrees().get(2).worst()).as("all of three sites").isCloseTo(Math.pow(fails, 3), within(1e-12));
        assertThat(plan.degrees().get(5).worst()).as("more copies than sites").isCloseTo(Math.pow(fails, 3), within(1e-12));
        assertThat(plan.degrees().get(2).failure()).as("hosts alone").isLessThan(1e-80);
    }

    /** One rank at two sites: the other site, and its copy's host there, do not count. */
    @Test
    void sitesWithoutCopiesDoNotCount() {
        FailurePlan plan = FailurePlan.of(job(1, 1, 0, new Weibull(1e-30, 1), HostPool.unlimited(0), new SiteRisk(5, new Weibull(0.1, 1), 0)));
        assertThat(plan.degrees().getFirst().worst()).isCloseTo(-Math.expm1(-0.1), within(1e-12));
    }

    @Test
    void aJobWithoutEnoughHostsIsRefusedWithBothNumbers() {
        HostPool few = new HostPool(List.of(new HostPool.Age(0, 3)));
        assertThatIllegalArgumentException().isThrownBy(() -> FailurePlan.of(job(4, 1, 0, new Weibull(1, 1), few, null)))
                .withMessage("4 ranks, 1 on a host, need 4 hosts, and there are 3");
    }

    /** Young's interval with the failures of one host, which 256 hosts with coordinated checkpoints would have 256 times as often. */
    @Test
    void aRankSavesItsStateForItsOwnHostOnly() {
        double month = 30 * DAY;
        FailurePlan.Job job = new FailurePlan.Job(256, 1, DAY, 0, new Weibull(1 / month, 1), HostPool.unlimited(0), Optional.empty(), 30, 1);
        CheckpointPlan plan = FailurePlan.checkpoints(job, 20);
        assertThat(plan.intervalSeconds()).isCloseTo(Math.sqrt(2 * 20 * month), within(1e-6));
        assertThat(plan.slowdown()).isCloseTo(Math.sqrt(2 * 20 / month) + 30 / month, within(1e-12));
        assertThat(plan.restarts()).isCloseTo(256 / 30.0, within(1e-9));
    }
}
