package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.Restart;
import org.posthouse.wire.JobEvent;

/** Restarts: their delays, their number, and processes that cannot be started. */
class RankStarterTest extends SupervisedJob {
    @Test
    void eachFurtherRestartWaitsLongerUntilThereAreNoMore() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, KILLED);
        pass(100);
        exited(watch, 1, 70);
        assertThat(told).last().isEqualTo("rank 1 exited with status 70, as one does whose relay is gone or refuses it: restarted after 0.25 s (2 of 3)");
        assertThat(quiet(watch)).isEqualTo(250);
        exited(watch, 1, KILLED);
        assertThat(quiet(watch)).isEqualTo(1_000);
        assertThat(done).containsExactly("1/2", "1/3", "1/4");
        exited(watch, 1, KILLED);
        JobOutcome outcome = end(watch);
        assertThat(outcome.status()).isEqualTo(KILLED);
        assertThat(outcome.cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL), after 3 of 3 restarts");
        assertThat(outcome.restarts()).extracting(Restart::incarnation).containsExactly(2, 3, 4);
        assertThat(outcome.restarts()).noneMatch(Restart::isCaughtUp);
    }

    @Test
    void aRankThatWentOnForAnHourHasAllItsRestartsAgain() throws Exception {
        JobSupervisor watch = running(true, 1);
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        pass(3_600_000);
        exited(watch, 1, KILLED);
        assertThat(told).last().isEqualTo("rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 1)");
        assertThat(done).containsExactly("1/2", "1/3");
        told(watch, 1, JobEvent.REPLAYING);
        pass(3_600_000);
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL), after 1 of 1 restarts");
    }

    /** What the last process has said is the job's end, and not what one before it had. */
    @Test
    void aRankThatCannotSaveItsStateIsStartedAgainAndItsLastWordsAreTheCause() throws Exception {
        JobSupervisor watch = running(true, 1);
        watch.on(new JobSignal.LastWords(1, "Checkpoint.point cannot save \"grid\": one"), nowNs);
        exited(watch, 1, 73);
        assertThat(told).containsExactly("rank 1 could not save or restore its state (status 73): restarted (1 of 1)");
        assertThat(done).containsExactly("1/2");
        watch.on(new JobSignal.LastWords(1, "Checkpoint.point cannot save \"grid\": two"), nowNs);
        exited(watch, 1, 73);
        JobOutcome outcome = end(watch);
        assertThat(outcome.status()).isEqualTo(73);
        assertThat(outcome.cause())
                .isEqualTo("rank 1 could not save or restore its state (status 73): Checkpoint.point cannot save \"grid\": two, after 1 of 1"
                        + " restarts");
    }

    @Test
    void lastWordsBelongToTheProcessThatSentThem() throws Exception {
        JobSupervisor watch = running(true, 1);
        watch.on(new JobSignal.LastWords(1, "the relay at h:1 closed the connection"), nowNs);
        exited(watch, 1, 70);
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL), after 1 of 1 restarts");
    }

    /** Its JVM found no memory, say, which whatever took it may give back. */
    @Test
    void aProcessThatCouldNotStartWhereOneHasRunIsFollowedByAnother() throws Exception {
        JobSupervisor watch = running(true, 3);
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.AWAY);
        watch.on(new JobSignal.LastWords(1, "no space"), nowNs);
        exited(watch, 1, 1);
        assertThat(told).last().isEqualTo("rank 1 exited with status 1 before its relay heard of it: restarted after 4.00 s (2 of 3)");
        assertThat(quiet(watch)).isEqualTo(4_000);
        exited(watch, 1, 1);
        assertThat(quiet(watch)).isEqualTo(16_000);
        told(watch, 1, JobEvent.REPLAYING);
        exited(watch, 1, 1);
        told(watch, 1, JobEvent.AWAY);
        assertThat(end(watch).cause()).as("the program itself").isEqualTo("rank 1 exited with status 1");
        assertThat(done).startsWith("1/2", "1/3", "1/4");
    }

    @Test
    void aJobWhoseRankCannotStartAnyMoreEndsOrIsLeft() throws Exception {
        for (boolean mayBeLeft : new boolean[] {false, true}) {
            JobSupervisor watch = watch(true, 1, mayBeLeft);
            watch.start(0, nowNs);
            watch.start(1, nowNs);
            told(watch, 1, JobEvent.CONNECTED);
            exited(watch, 1, KILLED);
            watch.on(new JobSignal.LastWords(1, "no space"), nowNs);
            exited(watch, 1, 1);
            assertThat(watch.isOver()).isTrue();
            assertThat(watch.isLeft()).isEqualTo(mayBeLeft);
            assertThat(watch.outcome(1).cause()).isEqualTo("rank 1 exited with status 1 before its relay heard of it: no space, after 1 of 1 restarts");
        }
    }

    /** The first process of all shows whether it can be: what it lacks it has lacked from the start. */
    @Test
    void aFirstProcessThatExitsBeforeItsRelayHeardOfItEndsTheJob() throws Exception {
        JobSupervisor watch = start(true, 3);
        exited(watch, 1, 1);
        assertThat(end(watch).cause()).isEqualTo("rank 1 exited with status 1");
    }

    @Test
    void aProcessThatTheSystemDoesNotStartIsTriedAgainAsOftenAsOneThatDies() throws Exception {
        JobSupervisor watch = running(true, 3);
        unable = "error=11";
        exited(watch, 1, KILLED);
        assertThat(told).last().isEqualTo("rank 1 cannot be started: error=11: restarted after 4.00 s (2 of 3)");
        exited(watch, 0, KILLED);
        assertThat(quiet(watch)).isEqualTo(4_000);
        unable = null;
        assertThat(quiet(watch)).isEqualTo(16_000);
        assertThat(done).containsExactlyInAnyOrder("1/4", "0/4");
    }

    @Test
    void aProcessThatTheSystemDoesNotStartIsNotTriedForEver() throws Exception {
        JobSupervisor watch = running(true, 1);
        unable = "error=11";
        assertThatThrownBy(() -> exited(watch, 1, KILLED)).isInstanceOf(JobFailure.class).hasMessage("rank 1 cannot be started: error=11");
    }

    @Test
    void killedRankIsRestartedAndPhasesOfRestartAreReported() throws Exception {
        JobSupervisor watch = running(true, 3);
        pass(60_000);
        told(watch, 1, JobEvent.AWAY);
        pass(10);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("1/2");
        assertThat(told).containsExactly("rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 3)");
        assertThat(watch.isOver()).isFalse();
        assertThat(watch.isAwaited(1)).isTrue();
        assertThat(watch.haveAllExited()).isFalse();
        pass(410);
        told(watch, 1, JobEvent.REPLAYING);
        assertThat(watch.isAwaited(1)).isFalse();
        pass(80);
        told(watch, new JobEvent(JOB, JobEvent.CAUGHT_UP, 1, 0, 1_204, 80_000, ""));
        assertThat(told).last().isEqualTo("rank 1 caught up after 0.50 s: detected 0.01, JVM 0.41, replayed 1,204 deliveries in 0.08");
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(end(watch).restarts())
                .containsExactly(new Restart(
                        1, 2, "was killed by signal 9 (SIGKILL)", 10_000_000, 0, 410_000_000, 80_000_000, 1_204));
    }
}
