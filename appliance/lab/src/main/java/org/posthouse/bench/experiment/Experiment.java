package org.posthouse.bench.experiment;

import java.io.IOException;
import org.posthouse.launch.job.JobFailure;

/** The plan of a bench, which knows how it is carried out. */
public interface Experiment<R extends Report> {
    /**
     * Measures; blocks until it is over.
     *
     * @throws JobFailure if a job or a relay fails before anything was measured, or if a rank receives wrong data
     */
    R run(BenchWatch watch) throws IOException, JobFailure, InterruptedException;
}
