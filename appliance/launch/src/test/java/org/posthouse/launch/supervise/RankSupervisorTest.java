package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.wire.JobEvent;

/** The meaning of exits and of relays' events about ranks. */
class RankSupervisorTest extends SupervisedJob {
    @Test
    void theRelayMayNoticeBehindTheSystem() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("1/2");
        told(watch, 1, JobEvent.AWAY);
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(done).startsWith("1/2", "0:true", "1:true");
    }

    @Test
    void aRankThatWasGivenUpIsNotAwaited() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        assertThat(end(watch).cause())
                .isEqualTo("rank 1 was killed by signal 9 (SIGKILL), and its relay does not wait for another: so says the relay");
    }

    @Test
    void aRankThatCannotBeReplayedEndsTheJobUnlessACheckpointLiesBehind() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        told(watch, 1, JobEvent.LIMITED);
        watch.on(new JobSignal.Event(new JobEvent(JOB, JobEvent.CHECKPOINTED, 0, 1, 10, 20, ""), nowNs), nowNs);
        exited(watch, 0, KILLED);
        assertThat(done).containsExactly("0/2");
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause())
                .isEqualTo("rank 1 was killed by signal 9 (SIGKILL), and cannot be started again: so says the relay");
    }

    /** Its relay died with the word, and is back with its log. */
    @Test
    void aRankOfWhichThatIsHeardWhenItIsBeingStartedAgainEndsTheJobToo() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 0, KILLED);
        told(watch, 0, JobEvent.LIMITED);
        assertThat(end(watch).cause())
                .isEqualTo("rank 0 was killed by signal 9 (SIGKILL), and cannot be started again: so says the relay");
    }

    /** It lies before what cannot be replayed. */
    @Test
    void repeatedCheckpointEventLiftsNoLimit() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        knowsMarks = true;
        told(watch, new JobEvent(JOB, JobEvent.CHECKPOINTED, 0, 1, 10, 20, ""));
        exited(watch, 0, KILLED);
        assertThat(end(watch).cause())
                .isEqualTo("rank 0 was killed by signal 9 (SIGKILL), and cannot be started again: so says the relay");
    }

    @Test
    void rankDeathWithoutStoredOutputEndsJobDespiteCheckpoint() throws Exception {
        JobSupervisor watch = running(true, 3);
        watch.on(new JobSignal.Unkept(1, "the disk is full"), nowNs);
        told(watch, 1, JobEvent.CHECKPOINTED);
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause()).endsWith(", and cannot be started again: the disk is full");
    }

    @Test
    void exitStatusOfProgramCausesNoRestart() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, 42);
        assertThat(watch.isOver()).as("the relay may know a better cause").isFalse();
        told(watch, 1, JobEvent.AWAY);
        assertThat(end(watch).cause()).isEqualTo("rank 1 exited with status 42");
    }

    @Test
    void aRankThatLeavesWithoutGoodbyeEndsTheJob() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.AWAY);
        pass(10_000);
        assertThat(watch.quietNs(nowNs)).as("it runs, and may come again").isEqualTo(JobTimers.FOR_EVER);
        exited(watch, 1, 0);
        assertThat(quiet(watch)).isEqualTo(1_000);
        assertThat(end(watch).cause()).isEqualTo("rank 1 exited without calling MPI.Finalize");
    }

    @Test
    void aRankWithoutInitEndsTheJobThatOthersAreIn() throws Exception {
        JobSupervisor watch = start(true, 3);
        exited(watch, 1, 0);
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        told(watch, 0, JobEvent.CONNECTED);
        assertThat(quiet(watch)).isEqualTo(5_000);
        assertThat(end(watch).cause()).isEqualTo("rank 1 exited without calling MPI.Init, which other ranks did");
    }

    @Test
    void aRankThatDiesBeforeInitIsStartedAgainToo() throws Exception {
        JobSupervisor watch = start(true, 3);
        told(watch, 0, JobEvent.CONNECTED);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("1/2");
        pass(300);
        told(watch, 1, JobEvent.CONNECTED);
        assertThat(told).last().isEqualTo("rank 1 caught up after 0.30 s: detected 0.00, JVM 0.30, replayed 0 deliveries in 0.00");
    }

    @Test
    void otherEventsDoNotExtendDeadline() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, 0);
        for (int second = 0; second < 5; second++) {
            assertThat(watch.quietNs(nowNs)).isEqualTo(TimeUnit.SECONDS.toNanos(5 - second));
            pass(1_000);
            told(watch, 0, JobEvent.CHECKPOINTED);
        }
        assertThat(end(watch).cause()).isEqualTo("rank 1 exited with status 0, and its relay does not notice");
    }

    @Test
    void withoutALogOrWithoutRestartsADeathEndsTheJob() throws Exception {
        for (boolean logged : new boolean[] {false, true}) {
            JobSupervisor watch = running(logged, logged ? 0 : 3);
            exited(watch, 1, KILLED);
            assertThat(watch.isOver()).as("a rank may have ended the job before it died").isFalse();
            told(watch, 1, logged ? JobEvent.AWAY : JobEvent.LOST);
            assertThat(end(watch).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL)");
            assertThat(done).containsExactly("0:false", "1:false");
            assertThat(told).isEmpty();
            done.clear();
        }
    }

    @Test
    void aRankThatGoesOnWithoutItsRelayEndsTheJob() throws Exception {
        JobSupervisor watch = running(false, 3);
        told(watch, 1, JobEvent.LOST);
        assertThat(quiet(watch)).isEqualTo(5_000);
        assertThat(end(watch).cause())
                .isEqualTo("rank 1 lost its connection to the relay and goes on without it: so says the relay");
    }
}
