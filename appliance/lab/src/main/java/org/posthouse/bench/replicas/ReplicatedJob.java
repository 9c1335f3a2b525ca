package org.posthouse.bench.replicas;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.posthouse.bench.experiment.BackgroundJob;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.RelayGrid;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.host.UserToken;
import org.posthouse.wire.Durability;

/**
 * A job of two ranks, all of whose processes are on this host, over a relay in a process of its own, and what it prints. Confined to the
 * driver's thread.
 */
final class ReplicatedJob implements AutoCloseable {
    private final BackgroundJob job;
    private final ByteArrayOutputStream printed;

    private ReplicatedJob(BackgroundJob job, ByteArrayOutputStream printed) {
        this.job = job;
        this.printed = printed;
    }

    /** Starts a relay for such jobs, and waits until it serves. An interrupt ends one that does not serve yet. */
    static RelayGrid startRelay(BenchWatch watch) throws IOException, JobFailure {
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        watch.onStart(() -> cancelled.complete(null));
        return RelayGrid.start(1, 1, List.of(), ready -> {}, cancelled);
    }

    /**
     * Starts it.
     *
     * @param program of all ranks
     * @param relay the only one
     * @param closedAtEnd closed when the job has ended: a driver that still waits there learns that none of its processes will come
     */
    static ReplicatedJob start(
            Class<?> program, List<String> arguments, int degree, Durability durability, RelayGrid relay, BenchWatch watch, Closeable closedAtEnd)
            throws IOException, JobFailure {
        JobSpec spec = new JobSpec(
                "bench:replicas-" + degree, ReplicasPlan.RANKS, List.of(Installation.jarOf(program)), program.getName(), arguments, List.of(), Map.of(),
                durability, RestartPolicy.DEFAULT, RankStreams.DEFAULT, new Replicas(degree, ""));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream lines = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PlacementRequest placementRequest = new PlacementRequest(relay.addresses(), 1, 1, UserToken.find());
        JobRun run = JobRun.prepare(spec, placementRequest, RankOutput.tagged(ReplicasPlan.RANKS, lines, lines));
        return new ReplicatedJob(BackgroundJob.start(run, watch, closedAtEnd), printed);
    }

    /** Kills the leader of a rank. @return whether it lived */
    boolean strike(int rank) {
        return job.strike(rank);
    }

    /** Whether the job has ended, however. */
    boolean isOver() {
        return job.isOver();
    }

    /** Waits for the job's end. */
    JobOutcome await() throws JobFailure, InterruptedException {
        return job.await();
    }

    /** The error behind the end of a connection to a process, with all that the job has printed. @param when what was under way */
    JobFailure ended(String when, IOException symptom) throws InterruptedException {
        JobFailure end = job.ended(when, symptom);
        return failure(end.getMessage(), end);
    }

    /** An error with all that the job has printed, its launcher's lines included. */
    JobFailure failure(String what, Exception cause) {
        return new JobFailure(what + "\n" + printed.toString(StandardCharsets.UTF_8), cause);
    }

    /** Ends the job before its time. @return what became of it */
    JobOutcome stop() throws JobFailure, InterruptedException {
        job.close();
        return job.await();
    }

    @Override
    public void close() {
        job.close();
    }
}
