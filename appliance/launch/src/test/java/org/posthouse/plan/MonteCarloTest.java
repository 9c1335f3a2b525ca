package org.posthouse.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The model against lifetimes that are drawn: what is computed is within three standard deviations of what was seen. */
class MonteCarloTest {
    private static final int DRAWS = Boolean.getBoolean("posthouse.long") ? 1_000_000 : 60_000;
    private static final double SIGMAS = 3;
    private static final double HOUR = 3_600;

    /** With enough hosts of some ages for the degree. */
    private static FailurePlan.Job job(SplittableRandom random, int degree) {
        int ranks = random.nextInt(1, 9);
        List<HostPool.Age> ages = new ArrayList<>();
        for (int host = 0; host < ranks * degree; host++) {
            ages.add(new HostPool.Age(random.nextBoolean() ? 0 : random.nextDouble(50 * HOUR), 1));
        }
        Weibull host = new Weibull(random.nextDouble(0.02, 0.2) / HOUR, random.nextDouble(0.4, 1.6));
        SiteRisk sites = new SiteRisk(random.nextInt(1, 5), new Weibull(random.nextDouble(0.005, 0.1) / HOUR, random.nextDouble(0.5, 1.5)), 0);
        return new FailurePlan.Job(
                ranks, 1, random.nextDouble(2, 12) * HOUR, random.nextDouble(0.5), host, new HostPool(ages), Optional.of(sites), HOUR, degree);
    }

    /** Whether what has this age fails within some time. */
    private static boolean fails(SplittableRandom random, Weibull model, double uptime, double seconds) {
        double hazard = Math.pow(uptime * model.lambda(), model.delta()) - Math.log1p(-random.nextDouble());
        return Math.pow(hazard, 1 / model.delta()) / model.lambda() <= uptime + seconds;
    }

    /** One run. @return whether the hosts alone have ended it, and whether hosts and sites have */
    private static boolean[] run(SplittableRandom random, FailurePlan.Job job, int degree, double[][] uptimes) {
        double seconds = job.seconds(degree);
        SiteRisk risk = job.sites().orElseThrow();
        boolean[] siteFails = new boolean[risk.sites()];
        for (int site = 0; site < siteFails.length; site++) {
            siteFails[site] = fails(random, risk.model(), risk.uptime(), seconds);
        }
        boolean[] ended = new boolean[2];
        for (int rank = 0; rank < uptimes.length; rank++) {
            boolean hosts = true;
            boolean all = true;
            for (int copy = 0; copy < degree; copy++) {
                boolean host = fails(random, job.host(), uptimes[rank][copy], seconds);
                hosts &= host;
                all &= host || siteFails[(rank + copy) % siteFails.length];
            }
            ended[0] |= hosts;
            ended[1] |= all;
        }
        return ended;
    }

    /** Ages of each rank's hosts, where the plan places them: told apart by their hazards. */
    private static double[][] uptimes(FailurePlan.Job job, int degree) {
        double seconds = job.seconds(degree);
        int ranks = (int) job.ranks();
        double[][] uptimes = new double[ranks][];
        int[] next = {0};
        // As many sites as ranks, so that no two groups are one object.
        for (CopyGroup group : CopyGroup.spread(job.pool().best(job.host(), ranks * degree, seconds), ranks, degree, ranks)) {
            for (long one = 0; one < group.count(); one++) {
                uptimes[next[0]++] = group.hazards().stream().mapToDouble(hazard -> uptime(job, hazard, seconds)).toArray();
            }
        }
        return uptimes;
    }

    private static double uptime(FailurePlan.Job job, double hazard, double seconds) {
        return job.pool().ages().stream().map(HostPool.Age::uptime).filter(uptime -> job.host().hazard(uptime, seconds) == hazard).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whatIsComputedIsWhatHappens(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int degree = random.nextInt(1, 4);
        FailurePlan.Job job = job(random, degree);
        DegreeRisk computed = FailurePlan.of(job).degrees().get(degree - 1);
        double[][] uptimes = uptimes(job, degree);
        int[] ended = new int[2];
        for (int draw = 0; draw < DRAWS; draw++) {
            boolean[] run = run(random, job, degree, uptimes);
            ended[0] += run[0] ? 1 : 0;
            ended[1] += run[1] ? 1 : 0;
        }
        assertClose(job + ", hosts alone", ended[0], computed.failure());
        assertClose(job + ", with sites", ended[1], computed.withSites().orElseThrow());
    }

    private static void assertClose(String what, int seen, double probability) {
        double sigma = Math.sqrt(DRAWS * probability * (1 - probability));
        assertThat(seen - DRAWS * probability).as("%s: %d of %d, computed %s", what, seen, DRAWS, probability).isBetween(-SIGMAS * sigma, SIGMAS * sigma);
    }

    /** Copies that live and come back at random, at exponential times. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void lostCopiesThatAreStartedAgainAreAwayTogetherAsOftenAsIsComputed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int degree = random.nextInt(1, 4);
        double hazard = random.nextDouble(0.3, 3);
        double restart = random.nextDouble(0.05, 0.4);
        int lost = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            lost += areAwayTogether(random, degree, hazard, restart) ? 1 : 0;
        }
        assertClose(degree + " copies, hazard " + hazard + ", restart " + restart, lost, RestartModel.lost(degree, hazard, 1, restart));
    }

    private static boolean areAwayTogether(SplittableRandom random, int degree, double hazard, double restart) {
        double now = 0;
        int away = 0;
        while (away < degree) {
            double loss = (degree - away) * hazard;
            double change = loss + away / restart;
            now -= Math.log1p(-random.nextDouble()) / change;
            if (now > 1) {
                return false;
            }
            away += random.nextDouble() < loss / change ? 1 : -1;
        }
        return true;
    }
}
