package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.output.OutputMarks;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;

/** A job of two ranks from its start to its success. */
class JobSupervisorTest extends SupervisedJob {
    @Test
    void imageCountsOnceEarlierOutputIsStored() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, new JobEvent(JOB, JobEvent.SAVES, 1, 2, 11, 12, ""));
        assertThat(told).containsExactly("process 2 of rank 1 saves at 11, 12");
        assertThat(kept).isEmpty();
        watch.on(new JobSignal.Kept(1, 2, 11, 12), nowNs);
        assertThat(kept).containsExactly(new JobKept(JOB, 1, 2, 11, 12));
        assertThat(told).as("a mark is of no use whose place nobody knows").endsWith("places are kept, and 0 answers given");
    }

    /** A launcher that does not know that would start another process, which needs its history. */
    @Test
    void rankIsReportedDoneOnlyAfterItIsRecorded() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(done).as("its process may still be killed").isEmpty();
        exited(watch, 1, 0);
        assertThat(done).containsExactly("1:true");
        assertThat(recordedDone).containsExactly(1);
        assertThat(kept).isEmpty();
        watch.on(new JobSignal.Kept(1, 0, 0, 0), nowNs);
        assertThat(kept).containsExactly(JobKept.done(JOB, 1));
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(done).as("a relay that came back may not know it").containsExactly("1:true", "1:true");
        told(watch, 0, JobEvent.FINALIZED);
        exited(watch, 0, KILLED);
        assertThat(done).as("it had finalized").endsWith("0/2");
    }

    @Test
    void aJobWhoseRanksLeaveIsASuccess() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 0);
        assertThat(watch.isOver()).isFalse();
        assertThat(done).containsExactly("0:true");
        // The process's end may be known before its goodbye, and the end of the connection before both.
        told(watch, 1, JobEvent.AWAY);
        exited(watch, 1, 0);
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        assertThat(watch.isOver()).isFalse();
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(end(watch)).isEqualTo(new JobOutcome(0, "", false, 1, List.of(), List.of(), List.of(), List.of()));
        assertThat(told).isEmpty();
    }

    /** What is shown of what a process prints again. */
    @Test
    void checkpointsAreMarksOfItsOutput() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, new JobEvent(JOB, JobEvent.CHECKPOINTED, 1, 2, 10, 20, ""));
        watch.on(new JobSignal.Placed(1, true, 20, new OutputMarks.Place(25, "")), nowNs);
        assertThat(told).containsExactly("rank 1 image 2 at 10, 20", "rank 1 mark 20 at 25");
    }
}
