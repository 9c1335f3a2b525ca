package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;

/** A job of two ranks whose program survives deaths ({@code --on-failure blank}). */
class SurvivedDeathsTest extends SupervisedJob {
    private JobSupervisor running() throws Exception {
        return connected(watchTellingProgram());
    }

    @Test
    void jobThatLosesARankByAccidentIsASuccess() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        assertThat(failed).as("its connection may not end").containsExactly(new RankFailed(JOB, 1, 1));
        told(watch, 1, JobEvent.LOST);
        assertThat(watch.isOver()).isFalse();
        assertThat(told).containsExactly("rank 1 was killed by signal 9 (SIGKILL): the program is told, and goes on without it");
        leave(watch, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(0, "");
        assertThat(done).as("no other process").doesNotContain("1/2");
    }

    @Test
    void relayMayNoticeFirst() throws Exception {
        JobSupervisor watch = running();
        told(watch, 1, JobEvent.LOST);
        assertThat(told).isEmpty();
        exited(watch, 1, KILLED);
        assertThat(told).hasSize(1);
        leave(watch, 0);
        assertThat(end(watch).status()).isZero();
    }

    @Test
    void rankThatFailsByItselfGivesTheJobItsStatusAtTheEnd() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, 3);
        told(watch, 1, JobEvent.LOST);
        assertThat(watch.hasFailed()).as("the other goes on").isFalse();
        leave(watch, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(3, "rank 1 exited with status 3");
    }

    @Test
    void jobOfWhichNoRankFinishesFails() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        told(watch, 0, JobEvent.LOST);
        exited(watch, 0, KILLED);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause)
                .containsExactly(KILLED, "no rank has finished: rank 0 was killed by signal 9 (SIGKILL)");
    }

    @Test
    void processThatItsRelayHasGivenUpIsKilled() throws Exception {
        JobSupervisor watch = running();
        told(watch, 1, JobEvent.LOST);
        assertThat(watch.quietNs(nowNs)).isPositive();
        pass(RankTable.SETTLE_MS + 1);
        watch.onTime(nowNs);
        assertThat(done).contains("strike 1");
        assertThat(watch.hasFailed()).isFalse();
    }

    @Test
    void processThatDoesNotEndIsKilledOnceAndHoldsUpNoOther() throws Exception {
        JobSupervisor watch = running();
        told(watch, 0, JobEvent.LOST);
        told(watch, 1, JobEvent.LOST);
        watch.quietNs(nowNs);
        pass(RankTable.SETTLE_MS + 1);
        watch.onTime(nowNs);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("strike 0");
        watch.quietNs(nowNs);
        pass(RankTable.SETTLE_MS + 1);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("strike 0", "strike 1");
        assertThat(watch.quietNs(nowNs)).as("nothing is due until they have exited").isEqualTo(JobTimers.FOR_EVER);
    }

    /** Its relay gives it up because it is told so, not because it does not wait. */
    @Test
    void rankThatDiesForGoodBeforeItsLastProcessHasCaughtUpEndsNoJob() throws Exception {
        JobSupervisor watch = connected(watchTellingProgram(1));
        told(watch, 1, JobEvent.AWAY);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("1/2");
        exited(watch, 1, KILLED);
        assertThat(failed).containsExactly(new RankFailed(JOB, 1, 2));
        told(watch, 1, JobEvent.LOST);
        assertThat(watch.hasFailed()).isFalse();
        leave(watch, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(0, "");
    }

    @Test
    void rankThatIsKilledAfterFinalizeHasFinished() throws Exception {
        JobSupervisor watch = running();
        told(watch, 1, JobEvent.FINALIZED);
        exited(watch, 1, KILLED);
        assertThat(failed).as("nobody waits for it").isEmpty();
        told(watch, 0, JobEvent.LOST);
        exited(watch, 0, KILLED);
        assertThat(told).containsExactly(
                "rank 1 was killed by signal 9 (SIGKILL) after MPI.Finalize: the program is not told",
                "rank 0 was killed by signal 9 (SIGKILL): the program is told, and goes on without it");
        assertThat(end(watch).status()).isZero();
    }
}
