package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.wire.JobEvent;

/** Lines for people that end nothing. */
class JobNoticesTest extends SupervisedJob {
    @Test
    void saysOnceThatALogHasNoRoomAlthoughEachPartOfItsRelayDoes() throws Exception {
        JobSupervisor watch = running(true, 3);
        told.clear();
        for (int i = 0; i < 2; i++) {
            told(watch, new JobEvent(JOB, JobEvent.LOG_STATE, -1, 1, "the disk is full"));
        }
        for (int i = 0; i < 2; i++) {
            told(watch, new JobEvent(JOB, JobEvent.LOG_STATE, -1, 0, "1 of 2 bytes of log are used"));
        }
        assertThat(told).containsExactly(
                "the job waits for room in a log: the disk is full", "the log has room again: 1 of 2 bytes of log are used");
    }

    @Test
    void divergencesAreReportedAndRecordedAndJobContinues() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.DIVERGED);
        watch.on(new JobSignal.PrintsDiffer(0, "printed something else"), nowNs);
        assertThat(told).containsExactly("DIVERGED: rank 1 so says the relay", "PRINTS DIFFER: rank 0 printed something else");
        leave(watch, 0);
        leave(watch, 1);
        JobOutcome outcome = end(watch);
        assertThat(outcome.isSuccess()).isTrue();
        assertThat(outcome.divergences()).containsExactly("rank 1 so says the relay");
        assertThat(outcome.printedOther()).containsExactly("rank 0 printed something else");
    }

    /** Nothing that the launcher waits for has to do with links: what it is told of them it tells people. */
    @Test
    void linkOutageOfTenMinutesIsReportedAndJobContinues() throws Exception {
        JobSupervisor watch = running(true, 3);
        for (int code = 1; code >= 0; code--) {
            told(watch, new JobEvent(JOB, JobEvent.LINK_STATE, -1, code, "the link is " + (code == 1 ? "down" : "up")));
            assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
            pass(TimeUnit.MINUTES.toMillis(10));
            watch.onTime(nowNs);
        }
        assertThat(told).containsExactly("the link is down", "the link is up");
        assertThat(watch.isOver()).isFalse();
        assertThat(done).isEmpty();
        assertThat(redialled).isEmpty();
    }

    /** Else nobody would know why the job stands still. */
    @Test
    void unreceivedSendIsReportedAndJobContinues() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.FINALIZED);
        told(watch, 1, JobEvent.UNRECEIVED);
        assertThat(told).containsExactly("rank 1 so says the relay");
        assertThat(watch.isOver()).as("it may end by itself").isFalse();
    }

    /** As the design wants it of THREAD_MULTIPLE: at the start, and not when it has happened. */
    @Test
    void reportsUnrestartableRanksOncePerReason() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        told(watch, 1, JobEvent.LIMITED);
        assertThat(told).containsExactly(
                "rank 0 is limited: so says the relay",
                "rank 0 cannot be started again from here on, and the job ends if it dies: so says the relay (of other ranks the same is not told)",
                "rank 1 is limited: so says the relay");
        told.clear();
        done.clear();
        told(running(false, 3), 0, JobEvent.LIMITED);
        done.clear();
        told(running(true, 0), 0, JobEvent.LIMITED);
        assertThat(told).as("it ends in any case").containsExactly("rank 0 is limited: so says the relay", "rank 0 is limited: so says the relay");
    }

    @Test
    void repeatedLimitedEventIsNotReportedAgain() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        told.clear();
        told(watch, new JobEvent(JOB, JobEvent.LIMITED, 0, 0, "it did so before"));
        assertThat(told).isEmpty();
        exited(watch, 0, KILLED);
        assertThat(end(watch).cause()).endsWith("cannot be started again: so says the relay");
    }
}
