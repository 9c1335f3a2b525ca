package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;

/** A job of two ranks whose dead get new processes ({@code --on-failure rebuild}), two for each. Relays number them 2 and 4, 3 and 5. */
class ReplacedDeathsTest extends SupervisedJob {
    private JobSupervisor running() throws Exception {
        return connected(watchRebuilding(2));
    }

    @Test
    void rankThatDiesGetsANewProcessWithAnotherNumberAtItsRelay() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        assertThat(done).as("what it has sent may not have been read").isEmpty();
        told(watch, 1, JobEvent.LOST);
        assertThat(done).containsExactly("1/2");
        told(watch, 3, JobEvent.CONNECTED);
        exited(watch, 1, KILLED);
        told(watch, 3, JobEvent.LOST);
        pass(250);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("1/2", "1/3");
        assertThat(failed).containsExactly(new RankFailed(JOB, 1, 1), new RankFailed(JOB, 3, 2));
        told(watch, 5, JobEvent.CONNECTED);
        leave(watch, 0);
        told(watch, 5, JobEvent.FINALIZED);
        exited(watch, 1, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(0, "");
    }

    @Test
    void processThatEndsBeforeItConnectsIsReplacedAtOnceAndLateEventsOfItAreNotTheNextOnes() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        exited(watch, 1, KILLED);
        assertThat(failed).endsWith(new RankFailed(JOB, 3, 2));
        pass(250);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("1/2", "1/3");
        told(watch, 3, JobEvent.CONNECTED);
        told(watch, 3, JobEvent.LOST);
        assertThat(watch.hasFailed()).isFalse();
        told(watch, 5, JobEvent.CONNECTED);
        leave(watch, 0);
        told(watch, 5, JobEvent.FINALIZED);
        exited(watch, 1, 0);
        assertThat(end(watch).status()).isZero();
    }

    @Test
    void deathBehindTheLastNewProcessEndsTheJob() throws Exception {
        JobSupervisor watch = running();
        for (int process = 1; process <= 5; process += 2) {
            told(watch, process, JobEvent.CONNECTED);
            exited(watch, 1, KILLED);
            told(watch, process, JobEvent.LOST);
            pass(1_000);
            watch.onTime(nowNs);
        }
        assertThat(watch.hasFailed()).isTrue();
        assertThat(watch.close().text()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL), after 2 of 2 restarts");
        assertThat(done).containsExactly("1/2", "1/3");
    }

    @Test
    void errorOfTheProgramGivesTheJobItsStatusThoughTheRankIsReplaced() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, 3);
        told(watch, 1, JobEvent.LOST);
        assertThat(done).containsExactly("1/2");
        told(watch, 3, JobEvent.CONNECTED);
        leave(watch, 0);
        told(watch, 3, JobEvent.FINALIZED);
        exited(watch, 1, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause)
                .containsExactly(3, "rank 1 exited with status 3, though another process took its place");
    }

    @Test
    void rankThatDiesWhenAnotherHasFinalizedIsNotReplaced() throws Exception {
        JobSupervisor watch = running();
        leave(watch, 0);
        done.clear();
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        assertThat(done).isEmpty();
        assertThat(end(watch).status()).isZero();
    }

    /** The job's second process of rank 1 has died, and the third one is planned. */
    private JobSupervisor planned(int status) throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        told(watch, 3, JobEvent.CONNECTED);
        exited(watch, 1, status);
        told(watch, 3, JobEvent.LOST);
        leave(watch, 0);
        done.clear();
        pass(250);
        watch.onTime(nowNs);
        return watch;
    }

    @Test
    void newProcessThatIsPlannedIsNotStartedWhenAnotherRankHasFinalized() throws Exception {
        JobSupervisor watch = planned(KILLED);
        assertThat(done).isEmpty();
        assertThat(told).last().asString()
                .contains("rank 1 was killed by signal 9 (SIGKILL), and gets no new process, as another rank has called MPI.Finalize");
        assertThat(end(watch).status()).isZero();
    }

    @Test
    void errorOfAProcessWhoseReplacementIsGivenUpIsNotSaidToBeReplaced() throws Exception {
        assertThat(end(planned(3))).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(3, "rank 1 exited with status 3");
    }

    @Test
    void processThatCouldNotStartIsNoErrorOfTheProgram() throws Exception {
        JobSupervisor watch = running();
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        exited(watch, 1, 1);
        pass(4_000);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("1/2", "1/3");
        told(watch, 5, JobEvent.CONNECTED);
        leave(watch, 0);
        told(watch, 5, JobEvent.FINALIZED);
        exited(watch, 1, 0);
        assertThat(end(watch)).extracting(JobOutcome::status, JobOutcome::cause).containsExactly(0, "");
    }
}
