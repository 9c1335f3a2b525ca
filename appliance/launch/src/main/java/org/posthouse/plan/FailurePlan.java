package org.posthouse.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How probably a job fails, for each degree of replication that its hosts allow.
 *
 * @param degrees from 1 on, without gaps; at least one
 */
public record FailurePlan(List<DegreeRisk> degrees) {
    /**
     * A job.
     *
     * @param ranks of the program
     * @param ranksPerHost that share a host, and fail with it
     * @param seconds that it takes with one copy of each rank
     * @param overhead part of {@code seconds} that each further copy adds
     * @param host when a host fails
     * @param pool the hosts
     * @param sites sites that fail as a whole
     * @param restartSeconds until a lost copy is there again
     * @param degreeMax most copies
     */
    public record Job(long ranks, int ranksPerHost, double seconds, double overhead, Weibull host, HostPool pool, Optional<SiteRisk> sites,
            double restartSeconds, int degreeMax) {
        /** Hosts for one copy of each rank. */
        public long groups() {
            return (ranks + ranksPerHost - 1) / ranksPerHost;
        }

        /** The time with some copies of each rank. */
        double seconds(int degree) {
            return seconds * (1 + overhead * (degree - 1));
        }
    }

    public FailurePlan {
        degrees = List.copyOf(degrees);
    }

    /** @throws IllegalArgumentException if there are not enough hosts for one copy of each rank */
    public static FailurePlan of(Job job) {
        if (job.pool().size() < job.groups()) {
            throw new IllegalArgumentException(job.ranks() + " ranks, " + job.ranksPerHost() + " on a host, need " + job.groups() + " hosts, and there are "
                    + job.pool().size());
        }
        List<DegreeRisk> degrees = new ArrayList<>();
        for (int degree = 1; degree <= job.degreeMax() && job.groups() * degree <= job.pool().size(); degree++) {
            degrees.add(risk(job, degree));
        }
        return new FailurePlan(degrees);
    }

    private static DegreeRisk risk(Job job, int degree) {
        double seconds = job.seconds(degree);
        List<CopyGroup> groups = groups(job, degree, seconds);
        groups.stream().mapToDouble(CopyGroup::meanHazard).filter(hazard -> !Double.isFinite(hazard)).findAny().ifPresent(hazard -> {
            throw new IllegalArgumentException(
                    "with these lambda and delta every host fails at once: (lambda " + seconds + " s)^delta is more than numbers hold");
        });
        double restart = groups.stream()
                .mapToDouble(group -> group.count() * Math.log1p(-RestartModel.lost(degree, group.meanHazard(), seconds, job.restartSeconds())))
                .sum();
        OptionalDouble withSites = job.sites().isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(withSites(groups, job.sites().get(), seconds));
        return new DegreeRisk(degree, job.groups() * degree, seconds, failure(groups, 0), withSites, -Math.expm1(restart));
    }

    private static List<CopyGroup> groups(Job job, int degree, double seconds) {
        int sites = job.sites().map(SiteRisk::sites).orElse(1);
        HostPool pool = job.pool();
        if (pool.isUnlimited()) {
            return CopyGroup.alike(job.host().hazard(pool.ages().getFirst().uptime(), seconds), job.groups(), degree, sites);
        }
        int groups = (int) job.groups();
        return CopyGroup.spread(pool.best(job.host(), groups * degree, seconds), groups, degree, sites);
    }

    private static double failure(List<CopyGroup> groups, int failedSites) {
        return -Math.expm1(groups.stream().mapToDouble(group -> group.logSurvival(failedSites)).sum());
    }

    /** Sums over all sets of sites that may fail. */
    private static double withSites(List<CopyGroup> groups, SiteRisk risk, double seconds) {
        double fails = risk.model().failure(risk.uptime(), seconds);
        double lives = Math.exp(-risk.model().hazard(risk.uptime(), seconds));
        double sum = 0;
        for (int failed = 0; failed < 1 << risk.sites(); failed++) {
            int count = Integer.bitCount(failed);
            sum += Math.pow(fails, count) * Math.pow(lives, risk.sites() - count) * failure(groups, failed);
        }
        return sum;
    }

    /** The smallest degree whose probability of failure, with that of sites if these are asked for, is no larger. */
    public Optional<DegreeRisk> smallest(double target) {
        return degrees.stream().filter(degree -> degree.worst() <= target).findFirst();
    }

    /** The degree that fails least; the smallest of equal ones. */
    public DegreeRisk lowest() {
        return degrees.stream().min(Comparator.comparingDouble(DegreeRisk::worst)).orElseThrow();
    }

    /** What a logged job does instead: one copy of each rank, which is started again from its last checkpoint. */
    public static CheckpointPlan checkpoints(Job job, double costSeconds) {
        List<CopyGroup> groups = groups(job, 1, job.seconds());
        double worst = groups.stream().mapToDouble(CopyGroup::meanHazard).max().orElseThrow();
        double all = groups.stream().mapToDouble(group -> group.count() * group.meanHazard()).sum();
        return CheckpointPlan.best(costSeconds, job.restartSeconds(), worst, job.seconds(), all);
    }
}
