package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.launch.job.FollowerLoss;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.Promotion;
import org.posthouse.launch.job.Replicas;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;

/** A job of two ranks of which rank 0 has followers: who leads when a process ends, and which others are started. */
class ReplicationTest extends SupervisedJob {
    /** The default of the option --silence. */
    private static final long SILENCE_MS = 30_000;

    @BeforeEach
    void replicate() {
        replicas = Replicas.of("2:0");
    }

    /** With the follower 2 of rank 0, which is connected. */
    private JobSupervisor following() throws Exception {
        JobSupervisor watch = running(true, 3);
        assertThat(done).containsExactly("0/2 follows");
        done.clear();
        follows(watch, 2);
        return watch;
    }

    /** The follower 2 leads, with the number 3, as the first process was killed. */
    private JobSupervisor led() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        promoted(watch, 2, 3);
        return watch;
    }

    private void follows(JobSupervisor watch, int process) throws Exception {
        told(watch, new JobEvent(JOB, JobEvent.FOLLOWS, 0, process, ""));
    }

    private void promoted(JobSupervisor watch, int process, int number) throws Exception {
        told(watch, new JobEvent(JOB, JobEvent.PROMOTED, 0, process, number, 12, ""));
    }

    private void ended(JobSupervisor watch, int process, int status) throws Exception {
        ended(watch, process, status, "");
    }

    private void ended(JobSupervisor watch, int process, int status, String words) throws Exception {
        watch.on(new JobSignal.Exited(0, process, status, nowNs, where, words), nowNs);
        watch.onTime(nowNs);
    }

    private void lost(JobSupervisor watch, int process, CloseReason reason, String why) throws Exception {
        told(watch, new JobEvent(JOB, JobEvent.FOLLOWER_LOST, 0, process, reason.code(), 0, why));
    }

    @Test
    void aFollowerLeadsWhenTheLeaderIsKilledAndAnotherIsStarted() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        assertThat(done).as("nothing is restarted").isEmpty();
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 1));
        assertThat(watch.isOver()).isFalse();
        told(watch, 0, JobEvent.AWAY);
        promoted(watch, 2, 3);
        assertThat(done).as("number 3 is the leader's").containsExactly("0/2 leads", "0/4 follows");
        assertThat(told).containsExactly("rank 0: follower 2 leads now, 12 observations behind; another follower is started");
        told(watch, 0, JobEvent.CAUGHT_UP);
        done.clear();
        leave(watch, 1);
        leave(watch, 0);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(end(watch).restarts()).isEmpty();
        assertThat(end(watch).promotions()).singleElement().usingRecursiveComparison().ignoringFields("atNs").isEqualTo(new Promotion(0, 2, 3, 1, 12, 0));
        assertThat(end(watch).followersLost()).as("the last one ended with its rank").isEmpty();
        assertThat(done).startsWith("1:true", "0:true", "0/4 is ended");
    }

    @Test
    void theRelayMayNoticeFirst() throws Exception {
        JobSupervisor watch = following();
        told(watch, 0, JobEvent.AWAY);
        promoted(watch, 2, 3);
        ended(watch, 1, KILLED);
        assertThat(done).as("the old leader's end is no news").containsExactly("0/2 leads", "0/4 follows");
        assertThat(told).hasSize(1);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    @Test
    void theNextLeaderIsKnownToItsRelayByTheNumberThatThatHasGivenIt() throws Exception {
        JobSupervisor watch = led();
        follows(watch, 4);
        exited(watch, 0, KILLED);
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 1), new RankFailed(JOB, 0, 3));
        promoted(watch, 4, 5);
        assertThat(done).endsWith("0/4 leads", "0/6 follows");
    }

    @Test
    void aRankWithoutAConnectedFollowerIsStartedAgainFromItsLog() throws Exception {
        JobSupervisor watch = running(true, 3);
        done.clear();
        exited(watch, 0, KILLED);
        assertThat(done).containsExactly("0/4");
    }

    @Test
    void aRankThatLosesItsLastFollowerWhileItWaitsForItIsStartedAgain() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        ended(watch, 2, KILLED);
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 1), new RankFailed(JOB, 0, 2));
        assertThat(done).containsExactlyInAnyOrder("0/4", "0/6 follows");
        assertThat(watch.outcome(1).followersLost()).containsExactly(new FollowerLoss(0, 2, "was killed by signal 9 (SIGKILL)"));
        assertThat(leader[0]).as("the follower has another number").isNotEqualTo(2);
    }

    @Test
    void aRelayThatPromotesNobodyIsNotWaitedForForEver() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        assertThat(quiet(watch)).isEqualTo(Replication.PROMOTION_MS);
        assertThat(done).contains("0/2 is ended", "0/4");
        assertThat(told).first().isEqualTo("no follower of rank 0 leads after 60 s: it is started again from its log");
    }

    @Test
    void aFollowerThatWasPromotedAndHasEndedGivesTheLeadToTheNext() throws Exception {
        replicas = Replicas.of("3:0");
        JobSupervisor watch = running(true, 3);
        follows(watch, 2);
        follows(watch, 4);
        done.clear();
        exited(watch, 0, KILLED);
        ended(watch, 2, KILLED);
        promoted(watch, 2, 5);
        assertThat(failed).last().isEqualTo(new RankFailed(JOB, 0, 5));
        assertThat(done).as("it waits for 4").doesNotContain("0/2 leads").noneMatch(one -> one.matches("0/\\d+"));
        promoted(watch, 4, 7);
        assertThat(done).contains("0/4 leads");
    }

    /** Its last lines were dropped, as of one that follows: a result would be missing. */
    @Test
    void aFollowerThatIsKilledBeforeItIsKnownToLeadIsStartedAgain() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        isEnding = true;
        promoted(watch, 2, 3);
        ended(watch, 2, KILLED);
        assertThat(failed).contains(new RankFailed(JOB, 0, 3));
        assertThat(done).doesNotContain("0/2 leads").contains("0/4");
    }

    /** Its end is told when the one that leads has printed as much. */
    @Test
    void aFollowerThatHasEndedWellBeforeItIsKnownToLeadHasEndedItsRank() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        isEnding = true;
        promoted(watch, 2, 3);
        told(watch, 0, JobEvent.FINALIZED);
        ended(watch, 2, 0);
        leave(watch, 1);
        assertThat(done).containsExactly("0:true", "1:true");
        assertThat(end(watch).isSuccess()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFollowerEndsForItsLeaderThatIsKilledAfterFinalize(boolean logged) throws Exception {
        JobSupervisor watch = running(logged, 3);
        follows(watch, 2);
        told(watch, 0, JobEvent.FINALIZED);
        exited(watch, 0, KILLED);
        assertThat(done).as("nobody is started again").containsExactly("0/2 follows", "0/2 leads", "0/4 follows");
        assertThat(told).containsExactly("rank 0 was killed by signal 9 (SIGKILL) after MPI.Finalize: follower 2 ends in its place");
        leave(watch, 1);
        assertThat(watch.isOver()).as("what it prints is to be shown").isFalse();
        exited(watch, 0, 0);
        assertThat(done).endsWith("0:true", "0/4 is ended");
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(end(watch).promotions()).singleElement().usingRecursiveComparison().ignoringFields("atNs").isEqualTo(new Promotion(0, 2, 2, 1, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRankWhoseFollowerHasEndedWellHasEndedWellThoughItsLeaderIsKilledAfterFinalize(boolean logged) throws Exception {
        JobSupervisor watch = running(logged, 3);
        follows(watch, 2);
        told(watch, 0, JobEvent.FINALIZED);
        ended(watch, 2, 0);
        exited(watch, 0, KILLED);
        leave(watch, 1);
        assertThat(done).containsExactly("0/2 follows", "0:true", "1:true");
        assertThat(recordedDone).containsExactly(0, 1);
        assertThat(told).containsExactly("rank 0 was killed by signal 9 (SIGKILL) after MPI.Finalize: a follower has ended in its place");
        assertThat(end(watch).isSuccess()).isTrue();
    }

    /** Each would be killed for the same reason, an exit hook that needs too much memory for instance. */
    @Test
    void aRankWhoseProcessesAreKilledAfterFinalizeOneAfterAnotherEndsTheJob() throws Exception {
        JobSupervisor watch = running(false, 0);
        told(watch, 0, JobEvent.FINALIZED);
        for (int process = 2; !watch.isOver() && process < 100; process += 2) {
            follows(watch, process);
            exited(watch, 0, KILLED);
        }
        assertThat(end(watch).isSuccess()).isFalse();
        assertThat(end(watch).cause()).startsWith("rank 0 gets no further: ");
    }

    /** What it has printed was not compared to its end. */
    @Test
    void aFollowerThatWasDroppedAndHasEndedWellDoesNotEndItsRank() throws Exception {
        JobSupervisor watch = following();
        lost(watch, 2, CloseReason.LAGGED, "is 60 s behind");
        told(watch, 0, JobEvent.FINALIZED);
        ended(watch, 2, 0);
        exited(watch, 0, KILLED);
        assertThat(done).containsExactly("0/4");
    }

    /** Its relay has the history in memory. */
    @Test
    void aRankWithoutALogWaitsForAFollowerThatIsStillToCome() throws Exception {
        JobSupervisor watch = running(false, 3);
        ended(watch, 2, KILLED);
        exited(watch, 0, KILLED);
        told(watch, 0, JobEvent.AWAY);
        assertThat(done).as("nobody leads who has not followed").containsExactly("0/2 follows", "0/4 follows");
        assertThat(watch.isOver()).isFalse();
        follows(watch, 4);
        promoted(watch, 4, 5);
        assertThat(done).contains("0/4 leads");
    }

    @Test
    void aJobWithoutALogEndsWhenNoProcessOfARankCanGoOn() throws Exception {
        JobSupervisor watch = running(false, 3);
        exited(watch, 0, KILLED);
        told(watch, 0, JobEvent.AWAY);
        lost(watch, 2, CloseReason.CANNOT_RESUME, "cannot be sent the history of rank 0: its beginning was cut");
        assertThat(watch.isOver()).isTrue();
        assertThat(end(watch).cause()).isEqualTo("rank 0 was killed by signal 9 (SIGKILL), and no other process of the rank can go on: without a log"
                + " (--durability process) there is nothing to start it again from");
    }

    @Test
    void aJobWithoutALogWaitsForALivingFollowerThatIsBetweenTwoConnections() throws Exception {
        replicas = Replicas.of("3:0");
        JobSupervisor watch = running(false, 3);
        follows(watch, 2);
        follows(watch, 4);
        lost(watch, 2, CloseReason.CANNOT_RESUME, "cannot be sent the history of rank 0: its beginning was cut");
        ended(watch, 2, 72);
        lost(watch, 4, CloseReason.NORMAL, "the other end has closed the connection");
        exited(watch, 0, KILLED);
        told(watch, 0, JobEvent.AWAY);
        assertThat(watch.isOver()).isFalse();
        follows(watch, 4);
        promoted(watch, 4, 5);
        assertThat(done).contains("0/4 leads");
    }

    @Test
    void aJobWithoutALogEndsWhenNoFollowerLeadsInTime() throws Exception {
        JobSupervisor watch = running(false, 3);
        follows(watch, 2);
        exited(watch, 0, KILLED);
        assertThat(quiet(watch)).isEqualTo(Replication.PROMOTION_MS);
        assertThat(told).first().isEqualTo("no follower of rank 0 leads after 60 s");
        assertThat(end(watch).cause()).contains("no other process of the rank can go on");
    }

    @Test
    void aRankThatNobodyFollowsEndsAJobWithoutALog() throws Exception {
        JobSupervisor watch = running(false, 3);
        follows(watch, 2);
        exited(watch, 1, KILLED);
        told(watch, 1, JobEvent.LOST);
        assertThat(end(watch).cause()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL)");
    }

    @Test
    void aLostFollowerIsReplaced() throws Exception {
        JobSupervisor watch = following();
        ended(watch, 2, KILLED);
        assertThat(done).as("relays give odd numbers").containsExactly("0/4 follows");
        assertThat(told).containsExactly("follower 2 of rank 0 was killed by signal 9 (SIGKILL): another is started");
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 2));
    }

    @Test
    void aFollowersEndIsToldWithWhereItRanAndWhatItPrintedLast() throws Exception {
        JobSupervisor watch = following();
        where = " on node three of site a";
        ended(watch, 2, 1, "Exception in thread \"main\" java.lang.UnsatisfiedLinkError: no fft in java.library.path");
        assertThat(told).containsExactly("follower 2 of rank 0 exited with status 1 on node three of site a: Exception in thread \"main\""
                + " java.lang.UnsatisfiedLinkError: no fft in java.library.path: another is started");
        told.clear();
        pass(FollowerProcesses.SOUND_MS);
        watch.onTime(nowNs);
        ended(watch, 4, KILLED, "step 17");
        assertThat(told).as("a process that is killed says nothing about it").containsExactly(
                "follower 4 of rank 0 was killed by signal 9 (SIGKILL) on node three of site a: another is started");
    }

    /** Its node reports its end behind its output, which waits for the leader. */
    @Test
    void aFollowerThatItsRelayHasLostIsEndedUnlessItComesAgain() throws Exception {
        JobSupervisor watch = following();
        lost(watch, 2, CloseReason.NORMAL, "the other end has closed the connection");
        assertThat(quiet(watch)).as("it computes, maybe").isEqualTo(SILENCE_MS);
        assertThat(done).containsExactly("0/2 is ended");
    }

    @Test
    void aFollowerThatItsRelayHasDroppedIsEndedSooner() throws Exception {
        JobSupervisor watch = following();
        lost(watch, 2, CloseReason.NORMAL, "the other end has closed the connection");
        pass(SILENCE_MS - 1);
        watch.onTime(nowNs);
        assertThat(done).isEmpty();
        follows(watch, 2);
        pass(1);
        watch.onTime(nowNs);
        assertThat(done).as("it has come again").isEmpty();
        lost(watch, 2, CloseReason.LAGGED, "is 60 s behind");
        assertThat(quiet(watch)).isEqualTo(Replication.DROPPED_MS);
        assertThat(done).containsExactly("0/2 is ended");
        assertThat(watch.quietNs(nowNs)).as("once").isEqualTo(JobTimers.FOR_EVER);
        ended(watch, 2, KILLED);
        assertThat(done).endsWith("0/4 follows");
    }

    @Test
    void aFollowerHasTheSameTimeToComeAgainWhenItsRelayIsBack() throws Exception {
        JobSupervisor watch = following();
        lost(watch, 2, CloseReason.RELAY_STOPPING, "stops");
        watch.on(new JobSignal.RelayLost(0, "gone", false), nowNs);
        pass(2 * SILENCE_MS);
        watch.onTime(nowNs);
        watch.on(new JobSignal.RelayBack(0, "r"), nowNs);
        watch.onTime(nowNs);
        assertThat(done).isEmpty();
        pass(SILENCE_MS);
        watch.onTime(nowNs);
        assertThat(done).containsExactly("0/2 is ended");
    }

    /** It lost its connection before it read so, and came again. */
    @Test
    void aProcessThatIsPromotedAgainLeadsOn() throws Exception {
        JobSupervisor watch = led();
        failed.clear();
        promoted(watch, 2, 5);
        assertThat(failed).as("it lives").isEmpty();
        assertThat(done).containsExactly("0/2 leads", "0/4 follows");
        follows(watch, 4);
        exited(watch, 0, KILLED);
        assertThat(failed).as("by its number now").containsExactly(new RankFailed(JOB, 0, 5));
    }

    /** Its relay's host lost its power, and with it that the process leads; the relay would await the rank's first process. */
    @Test
    void aRelayThatHasForgottenAPromotionIsToldThatTheFirstProcessHasEnded() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, KILLED);
        promoted(watch, 2, 5);
        failed.clear();
        follows(watch, 2);
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 1));
        follows(watch, 6);
        promoted(watch, 6, 3);
        assertThat(done).as("the relay has promoted another one, with a number of its own").contains("0/6 leads");
    }

    /** For example a program that crashes its JVM: no restart is counted, as there is always a follower to lead. */
    @Test
    void aRankThatGetsNoFurtherUnderOneLeaderAfterTheOtherEndsTheJob() throws Exception {
        JobSupervisor watch = following();
        int number = 1;
        for (int promotion = 1; promotion <= 4; promotion++) {
            number = leaderDies(watch, number);
            assertThat(watch.hasFailed()).as("promotion " + promotion).isFalse();
            told(watch, 0, JobEvent.CAUGHT_UP);
            pass(Restarts.SOUND_MS - 1);
        }
        leaderDies(watch, number);
        assertThat(end(watch).cause()).isEqualTo(
                "rank 0 gets no further: 4 followers have led it, one after another, and none went on for 60 s from where the one before it ended (--max-restarts 3)");
    }

    @Test
    void leadersThatGoOnMayBeReplacedAsOftenAsNeeded() throws Exception {
        JobSupervisor watch = following();
        int number = 1;
        for (int promotion = 1; promotion <= 20; promotion++) {
            number = leaderDies(watch, number);
            told(watch, 0, JobEvent.CAUGHT_UP);
            pass(Restarts.SOUND_MS);
        }
        assertThat(watch.hasFailed()).isFalse();
    }

    /** The next follower leads, which was started with the highest number. @return its number now */
    private int leaderDies(JobSupervisor watch, int number) throws Exception {
        int process = number + 1;
        follows(watch, process);
        told(watch, 0, JobEvent.AWAY);
        promoted(watch, process, number + 2);
        return number + 2;
    }

    /** Its word that it has diverged has crossed with that it leads. */
    @Test
    void aProcessThatDivergesBeforeItIsLiveIsReplaced() throws Exception {
        JobSupervisor watch = led();
        done.clear();
        told(watch, 0, JobEvent.AWAY);
        ended(watch, 2, ExitStatuses.DIVERGED);
        assertThat(watch.hasFailed()).isFalse();
        assertThat(done).containsExactly("0/6");
    }

    @Test
    void soItIsIfTheNextLeadsAlready() throws Exception {
        JobSupervisor watch = led();
        follows(watch, 4);
        told(watch, 0, JobEvent.AWAY);
        promoted(watch, 4, 5);
        ended(watch, 2, ExitStatuses.DIVERGED);
        assertThat(watch.hasFailed()).isFalse();
    }

    @Test
    void aLeaderThatIsLiveAndDivergesEndsTheJob() throws Exception {
        JobSupervisor watch = led();
        told(watch, 0, JobEvent.CAUGHT_UP);
        told(watch, 0, JobEvent.AWAY);
        ended(watch, 2, ExitStatuses.DIVERGED);
        assertThat(end(watch).cause()).isEqualTo("rank 0 exited with status 71");
    }

    @Test
    void fourDivergencesLowerTheDegree() throws Exception {
        JobSupervisor watch = following();
        long[] waits = new long[3];
        for (int process = 2; process <= 8; process += 2) {
            follows(watch, process);
            pass(100_000); // However long they live.
            told(watch, new JobEvent(JOB, JobEvent.FOLLOWER_LOST, 0, process, 30, 0, "has diverged: message 7"));
            ended(watch, process, 71);
            if (process < 8) {
                waits[process / 2 - 1] = watch.quietNs(nowNs) == JobTimers.FOR_EVER ? 0 : quiet(watch);
            }
        }
        assertThat(waits).containsExactly(0, 250, 1_000);
        assertThat(done).containsExactly("0/4 follows", "0/6 follows", "0/8 follows");
        assertThat(watch.quietNs(nowNs)).as("no other follows").isEqualTo(JobTimers.FOR_EVER);
        assertThat(told).contains("DIVERGED: follower 2 of rank 0 has diverged: message 7").last().isEqualTo(
                "follower 8 of rank 0 exited with status 71 (has diverged: message 7), as 3 before it that did not live for 60 s or diverged:"
                        + " no other is started, and rank 0 has 1 process instead of 2");
        exited(watch, 0, KILLED);
        assertThat(done).as("without followers it is started again").last().isEqualTo("0/10");
    }

    @Test
    void followersThatLiveLongAreReplacedEachTime() throws Exception {
        JobSupervisor watch = following();
        for (int process = 2; process < 12; process += 2) {
            follows(watch, process);
            pass(FollowerProcesses.SOUND_MS);
            ended(watch, process, KILLED);
            assertThat(done).last().isEqualTo("0/" + (process + 2) + " follows");
        }
    }

    @Test
    void aRankWhoseHistoryIsCutGetsNoOtherFollower() throws Exception {
        JobSupervisor watch = following();
        lost(watch, 2, CloseReason.CANNOT_RESUME, "the beginning of its history was cut at image 3");
        ended(watch, 2, 72);
        assertThat(done).isEmpty();
        assertThat(told).containsExactly(
                "follower 2 of rank 0 cannot follow: the beginning of its history was cut at image 3; no other is started, and rank 0 goes on with its leader alone");
    }

    @Test
    void aFollowerThatCannotBeStartedDoesNotEndTheJob() throws Exception {
        JobSupervisor watch = following();
        unable = "no memory";
        ended(watch, 2, KILLED);
        assertThat(quiet(watch)).isEqualTo(250);
        unable = null;
        assertThat(quiet(watch)).isEqualTo(1_000);
        assertThat(told).contains("a follower of rank 0 cannot be started: no memory: another is started");
        assertThat(done).containsExactly("0/8 follows");
    }

    @Test
    void aFollowerThatHasFinalizedIsNotReplaced() throws Exception {
        JobSupervisor watch = following();
        told(watch, 0, JobEvent.FINALIZED);
        ended(watch, 2, 0);
        assertThat(done).as("it has finalized with its leader").isEmpty();
        exited(watch, 0, 0);
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void aLeaderThatFailsByItselfEndsTheJob() throws Exception {
        JobSupervisor watch = following();
        exited(watch, 0, 42);
        told(watch, 0, JobEvent.AWAY);
        assertThat(end(watch).cause()).isEqualTo("rank 0 exited with status 42");
    }

    @Test
    void soItDoesIfItsRelayNoticesFirst() throws Exception {
        JobSupervisor watch = following();
        told(watch, 0, JobEvent.AWAY);
        promoted(watch, 2, 3);
        ended(watch, 1, 42);
        assertThat(end(watch).cause()).isEqualTo("rank 0 exited with status 42");
    }

    @Test
    void aPromotionThatAStartedProcessHasFencedChangesNothing() throws Exception {
        replicas = Replicas.of("3:0");
        JobSupervisor watch = running(true, 3);
        exited(watch, 0, KILLED);
        assertThat(done).contains("0/6");
        done.clear();
        told.clear();
        promoted(watch, 2, 3);
        assertThat(done).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void aRelayThatIsBackIsToldAgainOfALeaderThatHasEnded() throws Exception {
        JobSupervisor watch = following();
        watch.on(new JobSignal.RelayLost(0, "gone", false), nowNs);
        exited(watch, 0, KILLED);
        failed.clear();
        pass(1_000_000);
        watch.onTime(nowNs);
        assertThat(done).as("its relay may promote the follower when it is back").isEmpty();
        watch.on(new JobSignal.RelayBack(0, "r"), nowNs);
        assertThat(failed).containsExactly(new RankFailed(JOB, 0, 1));
    }

    /** The report of the promotion was lost with the connection. */
    @Test
    void aRelayThatIsBackSaysWhoLeads() throws Exception {
        JobSupervisor watch = following();
        watch.on(new JobSignal.RelayLost(0, "gone", false), nowNs);
        exited(watch, 0, KILLED);
        watch.on(new JobSignal.RelayBack(0, "r"), nowNs);
        told(watch, new JobEvent(JOB, JobEvent.LEADS, 0, 3, 2, 0, ""));
        assertThat(done).containsExactly("0/2 leads", "0/4 follows");
        told(watch, new JobEvent(JOB, JobEvent.LEADS, 0, 3, 2, 0, ""));
        assertThat(done).as("it is said on each connection").hasSize(2);
    }
}
