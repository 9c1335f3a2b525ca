package org.posthouse.bench.experiment;

import org.posthouse.launch.JobRun;

/** Observer of a bench's progress. Called on the bench's thread. */
public interface BenchWatch {
    /** A job is about to run: an interrupt can end it. */
    void onJob(JobRun job);

    /** Processes were started: an interrupt ends them by {@code end}, from any thread. */
    void onStart(Runnable end);

    /**
     * Another phase begins.
     *
     * @param what for people: test, size, and what carries it
     * @param done phases done
     * @param total phases there will be
     */
    void onPhase(String what, int done, int total);

    /** Something went wrong that no figure is wrong for. */
    void onRemark(String what);
}
