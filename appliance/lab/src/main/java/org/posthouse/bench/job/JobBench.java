package org.posthouse.bench.job;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;

/** Whole jobs, one after the other over the same embedded relays, their series in turns. Confined to one thread. */
public final class JobBench {
    private final JobPlan plan;
    private final PlacementRequest placementRequest;
    private final BenchWatch watch;

    private JobBench(JobPlan plan, PlacementRequest placementRequest, BenchWatch watch) {
        this.plan = plan;
        this.placementRequest = placementRequest;
        this.watch = watch;
    }

    /** Runs each series once unmeasured, and then all repetitions. @throws JobFailure if a run fails, with what it printed */
    public static JobReport measure(JobPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        Vertx vertx = EmbeddedGrid.vertx();
        try (EmbeddedGrid grid =
                EmbeddedGrid.start(vertx, plan.sites(), plan.relaysPerSite(), plan.logged().contains(true), plan.mode())) {
            return measure(plan, grid, watch);
        } finally {
            vertx.close().await();
        }
    }

    /** The same over relays that are there. */
    public static JobReport measure(JobPlan plan, EmbeddedGrid grid, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        PlacementRequest placementRequest = new PlacementRequest(grid.addresses(), plan.sites(), plan.relaysPerSite(), UserToken.find());
        return new JobReport(plan, new JobBench(plan, placementRequest, watch).measure());
    }

    private List<JobTimes> measure() throws JobFailure, InterruptedException {
        List<JobTimes> series = plan.logged().stream().map(JobTimes::new).toList();
        int total = (plan.repetitions() + 1) * series.size();
        int done = 0;
        for (int repetition = 0; repetition <= plan.repetitions(); repetition++) {
            for (JobTimes times : series) {
                watch.onPhase(plan.job().name() + " " + JobPlan.word(times.logged()), done++, total);
                run(repetition == 0 ? new JobTimes(times.logged()) : times);
            }
        }
        return series;
    }

    private void run(JobTimes times) throws JobFailure, InterruptedException {
        TimedJob timed = TimedJob.run(plan.spec(times.logged()), placementRequest, watch);
        times.add(timed.communicatingSeconds(), timed.toldSeconds());
    }
}
