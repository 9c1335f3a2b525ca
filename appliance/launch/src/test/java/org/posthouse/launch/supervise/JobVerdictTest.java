package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.JobEvent;

/** Ends of a job: its cause and status, and the jobs that are left for another launcher. */
class JobVerdictTest extends SupervisedJob {
    @Test
    void aStatusOfZeroDoesNotHideAFailure() throws Exception {
        JobSupervisor watch = running(false, 3);
        told(watch, 1, JobEvent.ABORTED);
        assertThat(watch.close()).isEqualTo(new CloseNotice(JOB, 1, -1, "rank 1 so says the relay"));
        assertThat(watch.outcome(1).isSuccess()).isFalse();
    }

    /** As with mpirun. Who failed first is named first. */
    @Test
    void theLowestRankThatFailedGivesTheStatus() throws Exception {
        JobSupervisor watch = running(false, 3);
        where = " on node n1 of site a";
        told(watch, 1, JobEvent.AWAY);
        exited(watch, 1, 5);
        exited(watch, 0, 7);
        assertThat(watch.close()).isEqualTo(new CloseNotice(JOB, 7, -1, "rank 1 exited with status 5 on node n1 of site a"
                + "; rank 0 exited with status 7 on node n1 of site a, the lowest that failed"));
        assertThat(watch.outcome(1).status()).isEqualTo(7);
    }

    /** The job has failed before it could be started again. */
    @Test
    void aRankThatWouldHaveBeenStartedAgainDoesNotGiveTheStatus() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.AWAY);
        exited(watch, 1, 5);
        exited(watch, 0, KILLED);
        assertThat(watch.close()).isEqualTo(new CloseNotice(JOB, 5, -1, "rank 1 exited with status 5"));
    }

    /** What the program asked for counts. */
    @Test
    void theStatusOfAnAbortIsKept() throws Exception {
        JobSupervisor watch = running(false, 3);
        told(watch, new JobEvent(JOB, JobEvent.ABORTED, 1, 9, "has called Abort"));
        exited(watch, 0, 7);
        assertThat(watch.close().code()).isEqualTo(9);
    }

    /** Another build of the relay might go on with it. */
    @Test
    void aJobThatStandsStillAtARelayIsLeft() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, new JobEvent(JOB, JobEvent.ABORTED, -1, JobEvent.STANDS, "its log is damaged"));
        assertThat(watch.isLeft()).isTrue();
        assertThat(watch.outcome(1).cause()).isEqualTo("its log is damaged");
        JobSupervisor other = running(true, 3);
        told(other, new JobEvent(JOB, JobEvent.ABORTED, 1, JobEvent.STANDS, "has called Abort"));
        assertThat(other.isLeft()).as("its own status").isFalse();
    }

    @Test
    void aJobThatMayBeLeftIsWhereARelayWouldEndItAndBySomebodysWish() throws Exception {
        for (JobSignal why : List.of(new JobSignal.RelayLost(0, "r0 is gone", true), new JobSignal.Leave("r0 is gone"))) {
            JobSupervisor watch = watch(true, 3, true);
            watch.start(0, nowNs);
            watch.start(1, nowNs);
            done.clear();
            watch.on(why, nowNs);
            assertThat(watch.isOver()).isTrue();
            exited(watch, 1, KILLED);
            exited(watch, 0, KILLED);
            assertThat(watch.isLeft()).isTrue();
            JobOutcome outcome = watch.outcome(1);
            assertThat(List.of(outcome.left(), outcome.status(), outcome.cause())).containsExactly(true, 75, "r0 is gone");
            assertThat(done).as("nobody is started, and half a line is for who goes on").isEmpty();
        }
        assertThat(told).isEmpty();
    }

    @Test
    void aJobThatFailsStartsNobodyAgain() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, KILLED);
        exited(watch, 1, KILLED);
        watch.on(new JobSignal.Stop(130, "interrupted"), nowNs);
        pass(250);
        watch.onTime(nowNs);
        exited(watch, 0, KILLED);
        assertThat(done).containsExactly("1/2");
        assertThat(told).hasSize(2).noneMatch(line -> line.contains("rank 0"));
        JobOutcome outcome = end(watch);
        assertThat(outcome.status()).isEqualTo(130);
        assertThat(outcome.cause()).isEqualTo("interrupted");
        assertThat(done).containsExactly("1/2", "0:false", "1:false");
    }

    @Test
    void whenAllAreToBeKilledTheFirstDeathIsTheCause() throws Exception {
        JobSupervisor watch = running(true, 3);
        refuses = true;
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL)");
    }

    @Test
    void rankDeathWithoutStoredOutputLeavesJobForResume() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        for (int rank = 0; rank < 2; rank++) {
            watch.start(rank, nowNs);
            told(watch, rank, JobEvent.CONNECTED);
        }
        told.clear();
        watch.on(new JobSignal.Unkept(0, "No space left on device"), nowNs);
        watch.on(new JobSignal.Unkept(1, "No space left on device"), nowNs);
        assertThat(told)
                .containsExactly("rank 0 cannot be started again from here on, and the job stands still if it dies, for another launcher:"
                        + " No space left on device (of other ranks the same is not told)");
        exited(watch, 0, KILLED);
        assertThat(watch.isLeft()).isTrue();
        assertThat(watch.outcome(1).cause()).endsWith(", and this launcher cannot start it again: No space left on device");
    }

    @Test
    void theFirstEndCounts() {
        JobVerdict failed = new JobVerdict(JOB, true);
        assertThat(failed.isOpen()).isTrue();
        failed.fail(3, "first");
        failed.fail(4, "second");
        failed.leave("third");
        assertThat(failed.isLeft()).isFalse();
        assertThat(failed.endHere()).isEqualTo(new JobStatusReport.End(3, "first", false));

        JobVerdict left = new JobVerdict(JOB, true);
        left.leaveOrFail(1, "first");
        left.fail(4, "second");
        assertThat(left.hasFailed()).isFalse();
        assertThat(left.endHere()).isEqualTo(new JobStatusReport.End(75, "first", true));
        assertThat(left.end()).as("the job itself has not ended").isEqualTo(new JobStatusReport.End(0, "", false));
    }

    @Test
    void aJobThatNobodyCouldContinueFails() {
        JobVerdict verdict = new JobVerdict(JOB, false);
        verdict.leaveOrFail(1, "the relay is gone");
        assertThat(verdict.close()).isEqualTo(new CloseNotice(JOB, 1, -1, "the relay is gone"));
        assertThat(verdict.isRunning()).isFalse();
    }
}
