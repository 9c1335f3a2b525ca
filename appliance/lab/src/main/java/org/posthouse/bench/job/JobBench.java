package org.posthouse.bench.job;

import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;

/** Whole jobs, one after the other over the same embedded relays, their series in turns. Confined to one thread. */
public final class JobBench {
    /**
     * The time line of programs in the manner of the NAS benchmarks. A number as 1,234 does not match, as it may or may
     * not be more than a thousand.
     */
    private static final Pattern TOLD = Pattern.compile("(?i)time in seconds\\s*[:=]\\s*([0-9]++(?:\\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)(?!,[0-9])");

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
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        JobRun job = JobRun.prepare(plan.spec(times.logged()), placementRequest, RankOutput.tagged(plan.job().ranks(), out, out));
        watch.onJob(job);
        Connected connected = Connected.await(job);
        JobOutcome outcome = job.run();
        double seconds = (System.nanoTime() - connected.nanos()) / 1e9;
        String text = printed.toString(StandardCharsets.UTF_8);
        if (job.isStopped() || !outcome.isSuccess()) {
            throw new JobFailure(
                    job.isStopped() ? "interrupted" : "a run failed: status " + outcome.status() + ", " + outcome.cause() + "\n" + text);
        }
        if (!job.haveAllConnected()) {
            throw new JobFailure("there is nothing to measure: not every rank has called Init\n" + text);
        }
        times.add(seconds, told(text));
    }

    /** The seconds that a program says it took, in what it printed; NaN if it says nothing. */
    static double told(String text) {
        Matcher told = TOLD.matcher(text);
        return told.find() ? Double.parseDouble(told.group(1)) : Double.NaN;
    }

    /** The moment when every rank had called Init. */
    private static final class Connected {
        private final Thread thread;

        /** Written by the thread, read behind its end. */
        private long nanos;

        private Connected(JobRun job) {
            thread = Thread.ofVirtual().start(() -> {
                try {
                    job.awaitConnected();
                    nanos = System.nanoTime();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("nobody interrupts this thread", e);
                }
            });
        }

        /** Begins to wait; the job's end ends that too. */
        static Connected await(JobRun job) {
            return new Connected(job);
        }

        long nanos() throws InterruptedException {
            thread.join();
            return nanos;
        }
    }
}
