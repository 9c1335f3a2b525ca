package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.OutputMarks;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;

/** What a job's thread makes of what it is told of ranks and processes, on fake time: two ranks, no process. */
class JobSupervisorTest {
    private static final int KILLED = 137;
    private static final long JOB = 7;

    /** Each process that was started, as rank/incarnation, and each rank whose output was finished, as rank:well. */
    private final List<String> done = new ArrayList<>();

    private final List<String> told = new ArrayList<>();

    /** Each relay that was dialled again; rank 0 is at home at relay 0, rank 1 at relay 1. */
    private final List<Integer> redialled = new ArrayList<>();

    private final List<JobKept> kept = new ArrayList<>();
    private boolean refuses;

    /** Why no process can be started; null if one can. */
    private String unable;

    private long nowNs = Long.MAX_VALUE - 1_000_000;

    private boolean knowsMarks;

    private final JobSupervisor.Processes processes = new JobSupervisor.Processes() {
        @Override
        public boolean start(int rank, int incarnation) throws JobFailure {
            if (unable != null) {
                throw new JobFailure("rank " + rank + " cannot be started: " + unable);
            }
            done.add(rank + "/" + incarnation);
            return !refuses;
        }

        @Override
        public long pid(int rank) {
            return 100L + rank;
        }

        @Override
        public void finishOutput(int rank, boolean well) {
            done.add(rank + ":" + well);
        }

        @Override
        public boolean checkpointed(int rank, int image, long outBytes, long errBytes) {
            told.add("rank " + rank + " image " + image + " at " + outBytes + ", " + errBytes);
            return !knowsMarks;
        }

        @Override
        public void saves(int rank, int incarnation, long outBytes, long errBytes) {
            told.add("process " + incarnation + " of rank " + rank + " saves at " + outBytes + ", " + errBytes);
        }

        @Override
        public void limited(int rank, String why) {
            told.add("rank " + rank + " is limited: " + why);
        }

        @Override
        public void placed(JobSignal.Placed place) {
            told.add("rank " + place.rank() + " mark " + place.mark() + " at " + place.place().line());
        }

        @Override
        public void keepPlaces() {
            told.add("places are kept, and " + kept.size() + " answers given");
        }
    };

    private JobSupervisor watch(boolean logged, int maxRestarts, boolean mayBeLeft) {
        JobSpec spec = new JobSpec("test", 2, List.of(), "Main", List.of(), List.of(), Map.of(), logged,
                new RestartPolicy(maxRestarts, 60_000));
        return new JobSupervisor(spec, JOB, mayBeLeft, new int[] {0, 1}, processes, redialled::add, kept::add, told::add);
    }

    private JobSupervisor start(boolean logged, int maxRestarts) throws JobFailure {
        JobSupervisor watch = watch(logged, maxRestarts, false);
        watch.start(0, nowNs);
        watch.start(1, nowNs);
        assertThat(done).containsExactly("0/1", "1/1");
        done.clear();
        return watch;
    }

    private JobSupervisor running(boolean logged, int maxRestarts) throws JobFailure {
        JobSupervisor watch = start(logged, maxRestarts);
        told(watch, 0, JobEvent.CONNECTED);
        told(watch, 1, JobEvent.CONNECTED);
        return watch;
    }

    private void told(JobSupervisor watch, int rank, int kind) throws JobFailure {
        told(watch, new JobEvent(JOB, kind, rank, 0, "so says the relay"));
    }

    private void told(JobSupervisor watch, JobEvent event) throws JobFailure {
        watch.on(new JobSignal.Event(event, nowNs), nowNs);
        watch.onTime(nowNs);
    }

    private void exited(JobSupervisor watch, int rank, int status) throws JobFailure {
        watch.on(new JobSignal.Exited(rank, status, nowNs), nowNs);
        watch.onTime(nowNs);
    }

    private void pass(long ms) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Lets the time pass that the watch waits for, and no more. @return how long that was */
    private long quiet(JobSupervisor watch) throws JobFailure {
        long quietNs = watch.quietNs(nowNs);
        assertThat(quietNs).as("something is to be done").isNotEqualTo(JobTimers.FOR_EVER);
        nowNs += quietNs - 1;
        watch.onTime(nowNs);
        assertThat(watch.hasFailed()).isFalse();
        assertThat(watch.quietNs(nowNs)).isEqualTo(1);
        nowNs++;
        watch.onTime(nowNs);
        return TimeUnit.NANOSECONDS.toMillis(quietNs);
    }

    @Test
    void anImageCountsWhenWhatWasPrintedBeforeItIsKept() throws Exception {
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
    void aRelayIsToldThatARankIsDoneOnceTheNextLauncherKnows() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(done).as("its process may still be killed").isEmpty();
        exited(watch, 1, 0);
        assertThat(done).containsExactly("1:true");
        assertThat(kept).isEmpty();
        watch.on(new JobSignal.Kept(1, 0, 0, 0), nowNs);
        assertThat(kept).containsExactly(JobKept.done(JOB, 1));
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(done).as("a relay that came back may not know it").containsExactly("1:true", "1:true");
        told(watch, 0, JobEvent.FINALIZED);
        exited(watch, 0, KILLED);
        assertThat(done).as("it had finalized").endsWith("0/2");
    }

    /** Nothing that the launcher waits for has to do with links: what it is told of them it tells people. */
    @Test
    void aLinkThatIsDownForTenMinutesIsToldAndEndsNothing() throws Exception {
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

    /** The job's end, which has come. */
    private JobOutcome end(JobSupervisor watch) {
        assertThat(watch.isOver()).isTrue();
        CloseNotice why = watch.close();
        JobOutcome outcome = watch.outcome(1);
        assertThat(why).isEqualTo(new CloseNotice(JOB, outcome.status(), -1, outcome.isSuccess() ? "finished" : outcome.cause()));
        return outcome;
    }

    private void leave(JobSupervisor watch, int rank) throws JobFailure {
        told(watch, rank, JobEvent.FINALIZED);
        exited(watch, rank, 0);
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

    @Test
    void aKilledRankIsStartedAgainAndItsPartsAreTold() throws Exception {
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
    void lastWordsAreThoseOfTheProcessThatSaidThem() throws Exception {
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

    @Test
    void whatIsToldAgainIsNotSaidAgain() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        told.clear();
        told(watch, new JobEvent(JOB, JobEvent.LIMITED, 0, 0, "it did so before"));
        assertThat(told).isEmpty();
        exited(watch, 0, KILLED);
        assertThat(end(watch).cause()).endsWith("cannot be started again: so says the relay");
    }

    /** It lies before what cannot be replayed. */
    @Test
    void aCheckpointThatIsToldAgainLiftsNoLimit() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 0, JobEvent.LIMITED);
        knowsMarks = true;
        told(watch, new JobEvent(JOB, JobEvent.CHECKPOINTED, 0, 1, 10, 20, ""));
        exited(watch, 0, KILLED);
        assertThat(end(watch).cause())
                .isEqualTo("rank 0 was killed by signal 9 (SIGKILL), and cannot be started again: so says the relay");
    }

    /** As the design wants it of THREAD_MULTIPLE: at the start, and not when it has happened. */
    @Test
    void whatADeathWouldEndIsToldBeforeOnceForEachReason() throws Exception {
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

    /** What is shown of what a process prints again. */
    @Test
    void checkpointsAreMarksOfItsOutput() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, new JobEvent(JOB, JobEvent.CHECKPOINTED, 1, 2, 10, 20, ""));
        watch.on(new JobSignal.Placed(1, true, 20, new OutputMarks.Place(25, "")), nowNs);
        assertThat(told).containsExactly("rank 1 image 2 at 10, 20", "rank 1 mark 20 at 25");
    }

    /** Else nobody would know why the job stands still. */
    @Test
    void aSendThatNobodyWillReceiveIsTold() throws Exception {
        JobSupervisor watch = running(true, 3);
        told(watch, 1, JobEvent.FINALIZED);
        told(watch, 1, JobEvent.UNRECEIVED);
        assertThat(told).containsExactly("rank 1 so says the relay");
        assertThat(watch.isOver()).as("it may end by itself").isFalse();
    }

    @Test
    void aRankWhoseOutputIsNotKeptEndsTheJobCheckpointOrNot() throws Exception {
        JobSupervisor watch = running(true, 3);
        watch.on(new JobSignal.Unkept(1, "the disk is full"), nowNs);
        told(watch, 1, JobEvent.CHECKPOINTED);
        exited(watch, 1, KILLED);
        assertThat(end(watch).cause()).endsWith(", and cannot be started again: the disk is full");
    }

    @Test
    void whatTheProgramDoesItselfIsNotMended() throws Exception {
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
    void aDeadlineHoldsWhateverElseIsTold() throws Exception {
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
    void divergencesAreToldAndKeptAndTheJobGoesOn() throws Exception {
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

    private void lost(JobSupervisor watch, int relay, boolean isFinal) throws JobFailure {
        watch.on(new JobSignal.RelayLost(relay, "relay site-b broke", isFinal), nowNs);
        watch.onTime(nowNs);
    }

    @Test
    void aLostRelayIsDialledAgainAndItsRanksWaitForIt() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 0);
        lost(watch, 1, false);
        exited(watch, 1, 70);
        assertThat(redialled).containsExactly(1);
        assertThat(told).first().isEqualTo("relay site-b broke: dialled again for 60 s");
        assertThat(done).as("nowhere to connect to").containsExactly("0:true");
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        pass(20_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        watch.onTime(nowNs);
        assertThat(told).last().isEqualTo("relay site-b is back after 20.00 s");
        assertThat(done).containsExactly("0:true", "1/2");
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(watch.outcome(1).relayLosses()).as("its rank has come to its end").containsExactly(new RelayLoss("site-b", 1, 20_000_000_000L, 0));
    }

    @Test
    void itIsToldWhenTheRanksOfALostRelayGoOn() throws Exception {
        JobSupervisor watch = running(true, 3);
        lost(watch, 1, false);
        pass(2_000);
        told(watch, 1, JobEvent.AWAY);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        pass(300);
        told(watch, 1, JobEvent.REPLAYING);
        lost(watch, 1, false);
        pass(1_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        pass(200);
        told(watch, 1, JobEvent.CAUGHT_UP);
        assertThat(told).last().isEqualTo("relay site-b: its rank goes on, 0.20 s after it came back");
        told(watch, 1, JobEvent.CAUGHT_UP);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(watch.outcome(1).relayLosses())
                .containsExactly(new RelayLoss("site-b", 1, 2_000_000_000L, -1), new RelayLoss("site-b", 1, 1_000_000_000L, 200_000_000L));
        assertThat(told).filteredOn(line -> line.contains("goes on")).hasSize(1);
    }

    /** There is nobody to wait for. */
    @Test
    void aLossOfARelayWhoseRanksHaveAllEndedIsOverWhenItIsBack() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 1);
        lost(watch, 1, false);
        pass(2_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        leave(watch, 0);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(watch.outcome(1).relayLosses()).containsExactly(new RelayLoss("site-b", 0, 2_000_000_000L, 0));
    }

    @Test
    void aRankThatLeftWhileItsRelayWasLostIsJudgedWhenThatIsBack() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 0);
        lost(watch, 1, false);
        exited(watch, 1, 0);
        pass(20_000);
        watch.onTime(nowNs);
        assertThat(watch.isOver()).as("whether it said goodbye only the relay knows").isFalse();
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    @Test
    void aRelayThatDoesNotComeBackEndsTheJob() throws Exception {
        JobSupervisor watch = running(true, 3);
        lost(watch, 1, false);
        assertThat(watch.isOver()).isFalse();
        lost(watch, 1, true);
        assertThat(end(watch).cause()).isEqualTo("relay site-b broke");
    }

    @Test
    void withoutALogOrWithoutRestartsALostRelayEndsTheJob() throws Exception {
        for (boolean logged : new boolean[] {false, true}) {
            JobSupervisor watch = running(logged, logged ? 0 : 3);
            lost(watch, 1, false);
            assertThat(end(watch).cause()).isEqualTo("relay site-b broke");
            assertThat(redialled).isEmpty();
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
    void aStatusOfZeroDoesNotHideAFailure() throws Exception {
        JobSupervisor watch = running(false, 3);
        told(watch, 1, JobEvent.ABORTED);
        assertThat(watch.close()).isEqualTo(new CloseNotice(JOB, 1, -1, "rank 1 so says the relay"));
        assertThat(watch.outcome(1).isSuccess()).isFalse();
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
    void aJobWhoseEndIsDecidedIsLeftWhereARelayCannotBeTold() throws Exception {
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
    void howAJobStandsSaysWhoIsNotYetWhereItWas() throws Exception {
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

    // ---- a standstill

    private void blocked(JobSupervisor watch, int rank, int seconds, String in) throws JobFailure {
        told(watch, new JobEvent(JOB, JobEvent.BLOCKED, rank, seconds, in));
    }

    @Test
    void tellsOnceThatAllRanksWait() throws Exception {
        JobSupervisor watch = running(false, 0);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        assertThat(told).as("rank 0 may be at work").isEmpty();
        blocked(watch, 0, 60, "barrier");
        assertThat(told).containsExactly("all 2 ranks have waited for 60 s: rank 0 in barrier, rank 1 in Recv(source 0, tag 7)");
        blocked(watch, 0, 60, "barrier");
        assertThat(told).as("a relay says it again").hasSize(1);
        blocked(watch, 1, 0, "");
        blocked(watch, 1, 60, "Probe(any source, any tag)");
        assertThat(told).as("another one").hasSize(2);
        assertThat(watch.hasFailed()).isFalse();
    }

    @Test
    void whoHasFinalizedIsNotWaitedForToStandStill() throws Exception {
        JobSupervisor watch = running(false, 0);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        told(watch, 0, JobEvent.FINALIZED);
        assertThat(told).containsExactly("the only rank that has not called Finalize has waited for 60 s: rank 1 in Recv(source 0, tag 7)");
    }

    @Test
    void whileARankIsStartedAgainNothingStandsStill() throws Exception {
        JobSupervisor watch = running(true, 3);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        told(watch, 1, JobEvent.AWAY);
        blocked(watch, 0, 60, "Recv(source 1, tag 7)");
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        assertThat(told).noneMatch(line -> line.contains("waited"));
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        assertThat(told).last().asString().startsWith("all 2 ranks have waited for 60 s");
    }

    @Test
    void ofRanksWhoseRelayIsLostNobodyKnowsThatTheyWait() throws Exception {
        JobSupervisor watch = running(true, 3);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        watch.on(new JobSignal.RelayLost(1, "the connection to relay b has ended", false), nowNs);
        blocked(watch, 0, 60, "Recv(source 1, tag 7)");
        assertThat(told).noneMatch(line -> line.contains("waited for 60 s"));
    }

    @Test
    void namesEightAtMost() {
        DeadlockDetector deadlockDetector = new DeadlockDetector(10);
        for (int rank = 0; rank < 10; rank++) {
            deadlockDetector.blocked(rank, "barrier", 60);
        }
        assertThat(deadlockDetector.news(() -> 0)).endsWith("rank 7 in barrier, and 2 more");
    }

    // ---- behind Finalize

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

    /** The goodbye was answered, its event was lost with the launcher's connection, and the relay is slow to say how ranks stand. */
    @Test
    void aRankThatFinalizedWhileTheLauncherWasCutOffIsNotJudgedBeforeItsRelayHasSpoken() throws Exception {
        JobSupervisor watch = running(true, 3);
        watch.on(new JobSignal.RelayLost(1, "broke", false), nowNs);
        exited(watch, 1, 0);
        pass(2_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        watch.onTime(nowNs);
        watch.quietNs(nowNs);
        pass(RankTable.CUT_OFF_SETTLE_MS - 1);
        watch.onTime(nowNs);
        assertThat(watch.hasFailed()).isFalse();
        told(watch, 1, JobEvent.FINALIZED);
        leave(watch, 0);
        assertThat(end(watch).isSuccess()).isTrue();
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

    @Test
    void aJobWithAFolderIsLeftWhenARankDiesWhoseOutputIsNotKept() throws Exception {
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
}
