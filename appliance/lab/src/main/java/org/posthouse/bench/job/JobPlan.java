package org.posthouse.bench.job;

import java.io.IOException;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.relay.config.ModeConfig;

/**
 * The plan of {@code bench job}.
 *
 * @param job the job; whether it is logged is left to {@code logged}
 * @param sites over which its ranks are spread
 * @param relaysPerSite of each of them
 * @param mode of the relays
 * @param logged the series, in their order: whether the job is logged
 * @param repetitions of each series; they alternate
 */
public record JobPlan(JobSpec job, int sites, int relaysPerSite, ModeConfig mode, List<Boolean> logged, int repetitions) implements Experiment<JobReport> {
    /** Checks the counts. */
    public JobPlan {
        logged = List.copyOf(logged);
        if (job.ranks() < 1 || sites < 1 || relaysPerSite < 1 || repetitions < 1) {
            throw new IllegalArgumentException("-n, --sites, --relays-per-site and --repetitions are counts from 1");
        }
    }

    /** The job as a series runs it. */
    JobSpec spec(boolean isLogged) {
        return new JobSpec(
                job.name(), job.ranks(), job.classPath(), job.mainClass(), job.arguments(), job.jvmFlags(), job.environment(),
                isLogged, job.patience());
    }

    /** Name of a series. */
    static String word(boolean isLogged) {
        return isLogged ? "process" : "none";
    }

    @Override
    public JobReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return JobBench.measure(this, watch);
    }
}
