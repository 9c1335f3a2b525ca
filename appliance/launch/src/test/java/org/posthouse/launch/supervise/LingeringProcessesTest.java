package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.JobEvent;

/** Reports of processes that go on behind Finalize. */
class LingeringProcessesTest extends SupervisedJob {
    @Test
    void tellsOnceOfProcessesThatGoOnBehindFinalize() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.FINALIZED);
        assertThat(watch.quietNs(nowNs)).as("rank 1 is at work").isEqualTo(JobTimers.FOR_EVER);
        told(watch, 1, JobEvent.FINALIZED);
        exited(watch, 0, 0);
        told.clear();
        assertThat(quiet(watch)).isEqualTo(LingeringProcesses.SILENT_MS);
        assertThat(told).containsExactly("all ranks have called Finalize 30 s ago, and the job goes on until these processes end: rank 1 (process 101);"
                + " kill -3 has one list its threads here");
        assertThat(watch.quietNs(nowNs)).as("it may go on for long").isEqualTo(JobTimers.FOR_EVER);
        exited(watch, 1, 0);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    /** What it did behind Finalize is to be done again. */
    @Test
    void aRankThatDiesBehindFinalizeIsWaitedForAnew() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.FINALIZED);
        told(watch, 1, JobEvent.FINALIZED);
        watch.quietNs(nowNs);
        pass(LingeringProcesses.SILENT_MS - 1);
        exited(watch, 1, KILLED);
        told.clear();
        pass(LingeringProcesses.SILENT_MS);
        watch.onTime(nowNs);
        assertThat(told).isEmpty();
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(quiet(watch)).isEqualTo(LingeringProcesses.SILENT_MS);
        assertThat(told).singleElement().asString().contains("rank 0 (process 100), rank 1 (process 101)");
    }
}
