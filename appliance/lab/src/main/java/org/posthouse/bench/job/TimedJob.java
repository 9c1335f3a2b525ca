package org.posthouse.bench.job;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;

/**
 * One run of a whole job.
 *
 * @param communicatingSeconds from the moment when every rank had called Init to the end of the last process
 * @param toldSeconds the time that the program itself printed; NaN if it printed none
 */
public record TimedJob(double communicatingSeconds, double toldSeconds) {
    /**
     * The time line of programs in the manner of the NAS benchmarks. A number as 1,234 does not match, as it may or may
     * not be more than a thousand.
     */
    private static final Pattern TOLD = Pattern.compile("(?i)time in seconds\\s*[:=]\\s*([0-9]++(?:\\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)(?!,[0-9])");

    /** Runs the job to its end. @throws JobFailure if it fails, with what it printed */
    public static TimedJob run(JobSpec spec, PlacementRequest placementRequest, BenchWatch watch) throws JobFailure, InterruptedException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        JobRun job = JobRun.prepare(spec, placementRequest, RankOutput.tagged(spec.ranks(), out, out));
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
        return new TimedJob(seconds, told(text));
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
