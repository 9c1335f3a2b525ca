package org.posthouse.bench.allocation;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.statistics.Medians;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/** The runs of one job with one strategy. */
final class AllocationFigure {
    private final JobSpec job;
    private final Strategy strategy;
    private final int hosts;
    private final int sites;
    private final List<Double> seconds = new ArrayList<>();

    /**
     * @param hosts that have ranks
     * @param sites that have ranks
     */
    AllocationFigure(JobSpec job, Strategy strategy, int hosts, int sites) {
        this.job = job;
        this.strategy = strategy;
        this.hosts = hosts;
        this.sites = sites;
    }

    void add(double took) {
        seconds.add(took);
    }

    JobSpec job() {
        return job;
    }

    Strategy strategy() {
        return strategy;
    }

    int hosts() {
        return hosts;
    }

    int sites() {
        return sites;
    }

    /** Of each run, in order. */
    List<Double> seconds() {
        return List.copyOf(seconds);
    }

    double median() {
        return Medians.of(seconds);
    }
}
