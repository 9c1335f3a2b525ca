package org.posthouse.bench.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.posthouse.causes.Causes;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;

/** A job that runs on a thread of its own while the bench measures it. The rest is confined to the driver's thread. */
public final class BackgroundJob implements AutoCloseable {
    private static final int END_SECONDS_MAX = 60;

    /** From the end of one process to that of the job. The ranks have 1 s to leave, and the relays 5 s to confirm. */
    private static final int ENDING_SECONDS_MAX = 10;

    private final JobRun run;
    private final CompletableFuture<JobOutcome> outcome = new CompletableFuture<>();

    private BackgroundJob(JobRun run) {
        this.run = run;
    }

    /**
     * Starts the job.
     *
     * @param watch receives the job before it runs, so that an interrupt can end it
     * @param closedAtEnd closed behind the job's end, on its thread: a driver that still waits there for ranks learns that none will come
     */
    public static BackgroundJob start(JobRun run, BenchWatch watch, Closeable closedAtEnd) {
        BackgroundJob job = new BackgroundJob(run);
        watch.onJob(run);
        Thread.ofVirtual().name("posthouse-bench-job").start(() -> job.run(closedAtEnd));
        return job;
    }

    private void run(Closeable closedAtEnd) {
        try (closedAtEnd) {
            outcome.complete(run.run());
        } catch (Exception e) {
            outcome.completeExceptionally(e);
        }
    }

    /** Kills the process of a rank, or the one that leads. @return whether there was one */
    public boolean strike(int rank) {
        return run.strike(rank) > 0;
    }

    /** Whether the job has ended, however. */
    public boolean isOver() {
        return outcome.isDone();
    }

    /** Waits for the job's end. @throws JobFailure if the job could not be run, or does not end within a minute */
    public JobOutcome await() throws JobFailure, InterruptedException {
        return await(TimeUnit.SECONDS.toMillis(END_SECONDS_MAX))
                .orElseThrow(() -> new JobFailure("the bench's job does not end within " + END_SECONDS_MAX + " s"));
    }

    /** Waits so many milliseconds for the job's end; empty if it still runs then. */
    public Optional<JobOutcome> await(long ms) throws JobFailure, InterruptedException {
        try {
            return Optional.of(outcome.get(ms, TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new JobFailure("the bench's job: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /**
     * The failure behind the end of a connection to a process: the cause of the job's end; or, if the job does not end within some
     * seconds, that it goes on without the process, as without a follower that was dropped.
     *
     * @param when what was under way
     */
    public JobFailure ended(String when, IOException symptom) throws InterruptedException {
        try {
            return await(TimeUnit.SECONDS.toMillis(ENDING_SECONDS_MAX))
                    .map(end -> new JobFailure("the bench's job ended " + when + ": " + (end.cause().isEmpty() ? "its ranks left" : end.cause()), symptom))
                    .orElseGet(() -> new JobFailure(
                            "a process of the bench's job ended " + when + " (" + Causes.text(symptom) + "), and the job still ran " + ENDING_SECONDS_MAX
                                    + " s later",
                            symptom));
        } catch (JobFailure e) {
            return e;
        }
    }

    /** Ends the job, if it has not ended, and waits until nothing of it is left. How it ended is for {@link #await} to say. */
    @Override
    public void close() {
        if (!outcome.isDone()) {
            run.stop(1, "the bench ends");
            run.kill();
        }
        outcome.handle((end, failure) -> end).join();
    }
}
