package org.posthouse.bench.logflow;

import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.posthouse.bench.experiment.BackgroundJob;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;

/**
 * One logged job that sends more than its log may hold, over an embedded relay, and what its log takes on the disk
 * meanwhile. Confined to one thread, beside which the job runs.
 */
public final class LogFlow {
    private static final int SAMPLE_MS = 20;

    private final FlowPlan plan;
    private final BenchWatch watch;
    private final EmbeddedGrid grid;
    private final DiskSamples disk;

    private LogFlow(FlowPlan plan, BenchWatch watch, EmbeddedGrid grid) {
        this.plan = plan;
        this.watch = watch;
        this.grid = grid;
        this.disk = new DiskSamples(grid.logFolders().getFirst());
    }

    /** @throws JobFailure if the job fails, or a byte came wrong, with what it printed */
    public static FlowReport measure(FlowPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        LogLimits limits = new LogLimits(plan.limitBytes(), LogLimits.DEFAULT.highMarkPercent(), LogLimits.DEFAULT.onFull());
        Vertx vertx = EmbeddedGrid.vertx();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 1, 1, Optional.of(limits), ModeConfig.of(RelayConfig.Mode.MULTIPLEXED), 0)) {
            return new LogFlow(plan, watch, grid).measure();
        } finally {
            vertx.close().await();
        }
    }

    private FlowReport measure() throws IOException, JobFailure, InterruptedException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PlacementRequest placementRequest = new PlacementRequest(grid.addresses(), 1, 1, UserToken.find());
        JobRun job = JobRun.prepare(plan.spec(), placementRequest, RankOutput.tagged(FlowPlan.RANKS, out, out));
        try (BackgroundJob background = BackgroundJob.start(job, watch, () -> {})) {
            job.awaitConnected();
            long begin = System.nanoTime();
            FlowIntervals intervals = new FlowIntervals(plan.payloadBytes(), begin);
            JobOutcome end = sampleUntilEnd(background, intervals);
            double seconds = (System.nanoTime() - begin) / 1e9;
            if (job.isStopped() || !end.isSuccess()) {
                throw new JobFailure(job.isStopped() ? "interrupted" : "the job failed: status " + end.status() + ", " + end.cause() + "\n"
                        + printed.toString(StandardCharsets.UTF_8));
            }
            return new FlowReport(plan, disk, seconds, intervals.all());
        }
    }

    private JobOutcome sampleUntilEnd(BackgroundJob job, FlowIntervals intervals) throws IOException, JobFailure, InterruptedException {
        Optional<JobOutcome> end = Optional.empty();
        while (end.isEmpty()) {
            disk.take();
            note(intervals);
            end = job.await(SAMPLE_MS);
        }
        return end.get();
    }

    /** Notes, every second, the bytes delivered in it. */
    private void note(FlowIntervals intervals) throws IOException {
        long now = System.nanoTime();
        if (intervals.isOver(now)) {
            long delivered = grid.loads().stream().mapToLong(ResourceUsage::payloadBytes).sum();
            intervals.add(now, delivered, disk.bytes(), disk.dirty());
            watch.onPhase("logflow", (int) (delivered >> 20), (int) (plan.payloadBytes() >> 20));
        }
    }
}
