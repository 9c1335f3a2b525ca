package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.job.Restart;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.OutputPoint;

/** Jobs that another launcher has left, and that this one continues. */
class ResumedJobTest extends SupervisedJob {
    /** What launchers before have written down. */
    private static RankNotes notes(String... lines) throws Exception {
        RankNotes notes = new RankNotes(2);
        notes.read(String.join("\n", lines));
        return notes;
    }

    private void back(JobSupervisor watch, int relay) throws JobFailure {
        watch.on(new JobSignal.RelayBack(relay, "r" + relay), nowNs);
        watch.onTime(nowNs);
    }

    @Test
    void aJobThatWasLeftGoesOnRankByRankAsItsRelaysAreBack() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "start 1 2"), nowNs);
        assertThat(redialled).containsExactly(0, 1);
        assertThat(watch.quietNs(nowNs)).as("the relays are awaited").isEqualTo(JobTimers.FOR_EVER);
        watch.onTime(nowNs);
        assertThat(done).isEmpty();
        back(watch, 1);
        assertThat(done).containsExactly("1/3");
        back(watch, 0);
        assertThat(done).containsExactly("1/3", "0/2");
        assertThat(told).containsExactly("relay r1 has the job", "relay r0 has the job");
        for (int rank = 0; rank < 2; rank++) {
            told(watch, rank, JobEvent.AWAY);
            told(watch, rank, JobEvent.REPLAYING);
            told(watch, rank, JobEvent.CAUGHT_UP);
            leave(watch, rank);
        }
        assertThat(watch.isLeft()).isFalse();
        assertThat(end(watch).isSuccess()).isTrue();
    }

    /** One rank lives on its node, and one has died with it. */
    @Test
    void processesThatOutliveTheirLauncherAreNotStartedAgain() throws Exception {
        outlives = true;
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 2", "limit 0 it asked for more", "start 1 4"), nowNs);
        assertThat(done).containsExactly("0/2 goes on", "1/4 goes on");
        back(watch, 0);
        back(watch, 1);
        told(watch, 0, JobEvent.CONNECTED);
        told(watch, 1, JobEvent.CONNECTED);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("0/2 goes on", "1/4 goes on", "1/5");
        assertThat(watch.isOver()).isFalse();
        told(watch, 1, JobEvent.CONNECTED);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    /** A launcher that dies in between finds all lines and marks that it cannot get again. */
    @Test
    void outputIsDurableBeforeTheNodeForgetsIt() throws Exception {
        JobSupervisor watch = running(true, 3);
        watch.on(new JobSignal.OutputKept(1, 1, false, new OutputPoint(7, 7, 0)), nowNs);
        assertThat(told).endsWith("output of rank 1 is durable");
        assertThat(done).endsWith("1 kept to 7");
    }

    /** Its restarts are counted from there: what the user has mended does not count. */
    @Test
    void aRankOfAJobThatWasLeftHasAllItsRestarts() throws Exception {
        JobSupervisor watch = watch(true, 1, true);
        watch.goOn(notes("start 0 4", "start 1 4"), nowNs);
        back(watch, 0);
        back(watch, 1);
        exited(watch, 1, KILLED);
        assertThat(done).containsExactly("0/5", "1/5", "1/6");
        exited(watch, 1, KILLED);
        assertThat(watch.isLeft()).as("what kills it may be mended, too").isTrue();
        assertThat(watch.outcome(1).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL), after 1 of 1 restarts");
    }

    @Test
    void aRankThatIsDoneIsNotStartedAgain() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0", "done 1"), nowNs);
        assertThat(watch.isOver()).as("its relays are to be told").isFalse();
        back(watch, 0);
        told(watch, 0, JobEvent.FINALIZED);
        back(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(done).doesNotContain("0/2", "1/2");
    }

    /** Its launcher died between the two: the relays were told that it is over, and the folder was not. */
    @Test
    void aRelayThatHasEndedTheJobIsNotAskedAgain() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0", "done 1"), nowNs);
        watch.on(new JobSignal.JobUnknown(1, "r1 does not have it"), nowNs);
        assertThat(watch.isOver()).as("the other may have it").isFalse();
        watch.on(new JobSignal.JobUnknown(0, "r0 does not have it"), nowNs);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(told).isEmpty();
    }

    /** What becomes of its ranks meanwhile is of no interest. */
    @Test
    void aJobWhoseEndIsDecidedIsOverWhenItsRelaysAreThereOrHaveEndedIt() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0", "ending 3 rank 1 exited with status 3"), nowNs);
        assertThat(redialled).containsExactly(0, 1);
        watch.on(new JobSignal.JobUnknown(0, "r0 does not have it"), nowNs);
        assertThat(watch.isOver()).as("the other may have it").isFalse();
        back(watch, 1);
        told(watch, 1, JobEvent.AWAY);
        told(watch, 1, JobEvent.LOST);
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        JobOutcome outcome = end(watch);
        assertThat(List.of(outcome.status(), outcome.cause())).containsExactly(3, "rank 1 exited with status 3");
        assertThat(done).as("nothing is started").containsExactly("0:false", "1:false");
    }

    @Test
    void endedJobIsLeftWhenRelayIsUnreachable() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "ending 3 rank 1 exited with status 3"), nowNs);
        back(watch, 1);
        watch.on(new JobSignal.RelayLost(0, "r0 is gone", true), nowNs);
        assertThat(watch.isOver()).isTrue();
        assertThat(watch.outcome(1)).extracting(JobOutcome::left, JobOutcome::cause).containsExactly(true,
                "it is over, and not all its relays know: r0 is gone");
    }

    @Test
    void aRelayThatDoesNotHaveAJobWithMoreToDoIsAwaited() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0"), nowNs);
        watch.on(new JobSignal.JobUnknown(0, "r0 does not have it"), nowNs);
        back(watch, 1);
        assertThat(done).containsExactly("1/2");
        assertThat(watch.isOver()).isFalse();
        assertThat(told).containsExactly(
                "r0 does not have it; the relay is asked again: if it was started with another --data than before, start it with that", "relay r1 has the job");
    }

    @Test
    void statusReportCountsRanksStillCatchingUp() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0"), nowNs);
        assertThat(watch.standing(List.of(), null)).isEqualTo(
                new JobStatusReport(List.of(), false, false, 1, List.of(new Restart(1, 2, "lost its launcher", 0, -1, -1, -1, 0)), List.of(), List.of(),
                        List.of(),
                        null));
        back(watch, 0);
        back(watch, 1);
        told(watch, 1, JobEvent.REPLAYING);
        assertThat(watch.standing(List.of(), null)).extracting(JobStatusReport::hasJob, JobStatusReport::behind).containsExactly(true, 1);
        told(watch, 1, JobEvent.CAUGHT_UP);
        JobStatusReport standing = watch.standing(List.of(new JobStatusReport.RankRun(1, 2, 77)), new JobStatusReport.End(1, "x", false));
        assertThat(standing.behind()).isZero();
        assertThat(standing.restarts()).singleElement().satisfies(restart -> {
            assertThat(restart.lostLauncher()).isTrue();
            assertThat(restart.isCaughtUp()).isTrue();
        });
        assertThat(JobStatusReport.isOne("posthouse: " + standing.words())).isTrue();
        assertThat(JobStatusReport.parse("posthouse: " + standing.words() + "\n")).isEqualTo(standing);
    }

    /** Its relays are told that it is over, so they have to be there. */
    @Test
    void aJobThatCannotBeReplayedEndsWhenItIsGoneOnWith() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "limit 0 it asked for more", "mark 0 1 0 0", "start 1 1", "limit 1 it asked for more"), nowNs);
        back(watch, 1);
        assertThat(watch.isOver()).isFalse();
        back(watch, 0);
        JobOutcome outcome = end(watch);
        assertThat(outcome.left()).isFalse();
        assertThat(outcome.cause()).isEqualTo("rank 1 lost its launcher, and cannot be started again: it asked for more");
    }

    /** The launcher before had died before it heard so. */
    @Test
    void oneOfWhichThatIsHeardFromARelayOnlyEndsToo() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1"), nowNs);
        back(watch, 1);
        told(watch, 1, JobEvent.LIMITED);
        assertThat(watch.isOver()).as("all are to be told").isFalse();
        back(watch, 0);
        assertThat(end(watch).cause()).isEqualTo("rank 1 lost its launcher, and cannot be started again: so says the relay");

        JobSupervisor later = watch(true, 3, true);
        later.goOn(notes("start 0 1", "start 1 1"), nowNs);
        back(later, 0);
        back(later, 1);
        told(later, 1, JobEvent.LIMITED);
        assertThat(end(later).cause()).isEqualTo("rank 1 lost its launcher, and cannot be started again: so says the relay");
    }

    /** What the rank does when it is where it was is what a rank does. */
    @Test
    void oneThatDoesThatWhereItWasGoesOn() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1"), nowNs);
        back(watch, 0);
        back(watch, 1);
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        told(watch, 1, JobEvent.LIMITED);
        assertThat(watch.isOver()).isFalse();
    }

    /** It was started on the wrong folder first, and the other one is away. */
    @Test
    void aRelayThatDidNotHaveAJobThatIsOverMayComeBackWithIt() throws Exception {
        JobSupervisor watch = watch(true, 3, true);
        watch.goOn(notes("start 0 1", "start 1 1", "done 0", "done 1"), nowNs);
        watch.on(new JobSignal.JobUnknown(0, "it does not have it"), nowNs);
        watch.on(new JobSignal.RelayBack(0, "r0"), nowNs);
        watch.on(new JobSignal.RelayLost(0, "cannot be reached", true), nowNs);
        assertThat(watch.isOver()).as("the other is waited for").isFalse();
        watch.on(new JobSignal.RelayBack(1, "r1"), nowNs);
        assertThat(end(watch).isSuccess()).isTrue();
    }
}
