package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Wire;

/** When a follower of rank 0 leads, and when it is dropped: by its launcher's word, by time, and by what it lacks. */
final class LeaderSuccessionTest extends FollowedRank {
    LeaderSuccessionTest() throws Exception {
        super(OneRelay.logged());
    }

    private static Hello again(int incarnation) {
        return Hello.follower(OneRelay.JOB, 0, incarnation).again(Hello.AGAIN, 0, 0, 0, 1, 0);
    }

    private void ended(int incarnation) {
        relay.core.rankFailed(new RankFailed(OneRelay.JOB, 0, incarnation));
    }

    private HomedRank rank() {
        return relay.core.job(OneRelay.JOB).homed(0);
    }

    private void pass(long seconds, long bytes) {
        relay.nanos += TimeUnit.SECONDS.toNanos(seconds);
        relay.core.lookAtFollowers(from -> bytes);
    }

    private void read(TableFollower follower, int replay, HistoryStep... steps) {
        relay.core.storage().historyRead(follower.rank, replay, List.of(steps));
    }

    private HistoryStep caughtUp() {
        return new HistoryStep.End(relay.journal.position());
    }

    private JobEvent last() {
        return relay.events.getLast();
    }

    // ---- the launcher's word

    @Test
    void followerLeadsWhenTheLauncherKnowsThatTheLeaderHasEnded() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        ended(1);
        assertThat(leader.take()).containsExactly("close FENCED");
        assertThat(follower.incarnation).isEqualTo(3);
        assertThat(relay.events).extracting(JobEvent::kind).endsWith(JobEvent.AWAY, JobEvent.PROMOTED);
        ended(1);
        ended(7);
        assertThat(rank().state()).as("processes that lead no more").isEqualTo(RankState.REPLAYING);
    }

    @Test
    void leaderThatHasEndedBeforeAnybodyFollowedIsReplacedByTheFirstFollower() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        ended(1);
        assertThat(leader.take()).as("its connection may say more").isEmpty();
        assertThat(rank().state()).isEqualTo(RankState.CONNECTED);
        TableFollower follower = follow(2);
        assertThat(leader.take()).containsExactly("close FENCED");
        assertThat(follower.leads).isTrue();
    }

    @Test
    void followerOfALeaderThatEndedBeforeItConnectedLeads() throws Exception {
        TableFollower follower = follow(2);
        ended(1);
        assertThat(follower.incarnation).isEqualTo(3);
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> relay.connect(0)).satisfies(why -> assertThat(why.reason()).isEqualTo(CloseReason.FENCED));
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1 as a follower");
    }

    /** The host has lost its power, and with it that a process was promoted, which has ended meanwhile. */
    @Test
    void followerLeadsWhereAProcessHasEndedWhosePromotionIsForgotten() throws Exception {
        TableFollower follower = follow(4);
        ended(6);
        assertThat(follower.leads).as("a follower has ended that is not here").isFalse();
        ended(9);
        assertThat(follower.leads).isTrue();
    }

    @Test
    void nextProcessIsNotTakenForTheOneThatHasEnded() throws Exception {
        relay.connect(0);
        ended(1);
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), relay.new Rank());
        assertThat(follow(3).leads).isFalse();
    }

    @Test
    void followerThatHasEndedIsDropped() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        ended(2);
        assertThat(follower.take()).containsExactly("close FENCED");
        assertThat(last().kind()).isEqualTo(JobEvent.FOLLOWER_LOST);
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(rank().state()).isEqualTo(RankState.AWAY);
    }

    // ---- connections

    @Test
    void relayThatStopsPromotesNobody() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        relay.core.disconnected(leader.rank, leader, CloseNotice.closing(OneRelay.JOB, CloseReason.RELAY_STOPPING, "stops"));
        assertThat(follower.leads).isFalse();
    }

    @Test
    void followerLeadsWhenNobodyHasComeForTwoSeconds() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        relay.core.disconnected(leader.rank, leader, GONE);
        TableFollower follower = follow(2);
        pass(0, 0);
        pass(1, 0);
        assertThat(follower.leads).as("the leader may come again").isFalse();
        pass(1, 0);
        assertThat(follower.leads).isTrue();
    }

    @Test
    void leaderThatComesAgainInTimeKeepsTheLead() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        relay.core.disconnected(leader.rank, leader, GONE);
        TableFollower follower = follow(2);
        pass(0, 0);
        relay.connect(new Hello(Hello.RANK, OneRelay.JOB, 0, 1, Hello.AGAIN, 0, 0, 0, 1, 0, 0), relay.new Rank());
        pass(5, 0);
        assertThat(follower.leads).isFalse();
    }

    @Test
    void processThatHasNotReadThatItLeadsIsPromotedAgain() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        relay.core.disconnected(leader.rank, leader, GONE);
        relay.core.disconnected(follower.rank, follower, GONE);
        TableFollower next = follow(again(2));
        assertThat(next.incarnation).isEqualTo(5);
        assertThat(rank().leader().orElseThrow()).isEqualTo(new JobEvent(OneRelay.JOB, JobEvent.LEADS, 0, 5, 2, 0, ""));
    }

    @Test
    void newFollowerNeedsANumberAboveThatOfTheLeader() throws Exception {
        relay.connect(0);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> follow(1))
                .withMessageContaining("number that is not above that of its leader, 1")
                .satisfies(why -> assertThat(why.reason()).isEqualTo(CloseReason.FENCED));
        assertThat(last()).isEqualTo(new JobEvent(OneRelay.JOB, JobEvent.FOLLOWER_LOST, 0, 1, CloseReason.FENCED.code(), 0, last().text()));
    }

    @Test
    void restartedRelaySaysWhichProcessLeads() {
        relay.core.restore(
                relay.core.job(OneRelay.JOB), List.of(new RecoveredRank(0, 3, 2, false, 0, 0, 0, List.of(), List.of(), List.of(), false, List.of())));
        assertThat(rank().leader().orElseThrow()).isEqualTo(new JobEvent(OneRelay.JOB, JobEvent.LEADS, 0, 3, 2, 0, ""));
    }

    @Test
    void processThatHadNotReadThatItLeadsIsPromotedAlsoByARestartedRelay() throws Exception {
        relay.core.restore(
                relay.core.job(OneRelay.JOB), List.of(new RecoveredRank(0, 3, 2, false, 0, 0, 0, List.of(), List.of(), List.of(), false, List.of())));
        assertThat(follow(again(4)).leads).as("the leader may come again").isFalse();
        assertThat(follow(again(2)).leads).isTrue();
    }

    /** It had read less than the images that the log was cut for. Its launcher starts another one, which may begin at an image. */
    @Test
    void processThatWasPromotedAndCannotGoOnAfterARestartOfTheRelayIsReplacedAndItsJobGoesOn() throws Exception {
        relay.core.restore(
                relay.core.job(OneRelay.JOB), List.of(new RecoveredRank(0, 3, 2, false, 0, 0, 0, List.of(), List.of(), List.of(), false, List.of())));
        OneRelay.Rank leader = relay.new Rank();
        relay.connect(new Hello(Hello.RANK, OneRelay.JOB, 0, 3, Hello.AGAIN, 0, 0, 0, 1, 0, 0), leader);
        relay.core.storage().historyUnreadable(rank(), rank().replay().number(), "its beginning was cut");
        assertThat(leader.take()).endsWith("close CANNOT_RESUME");
        assertThat(rank().state()).isEqualTo(RankState.AWAY);
        assertThat(relay.failure()).as("the job goes on").isNull();
    }

    // ---- limits

    @Test
    void rankHasSixteenFollowersAtMost() throws Exception {
        relay.connect(0);
        for (int number = 2; number <= 2 * RankAdmission.FOLLOWERS_MAX; number += 2) {
            follow(number);
        }
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> follow(34))
                .withMessageContaining("which 16 processes follow already, the most that may")
                .satisfies(why -> assertThat(why.reason()).isEqualTo(CloseReason.LIMIT));
        assertThat(follow(again(2)).leads).as("one that comes again").isFalse();
    }

    @Test
    void numberOfAProcessLeavesRoomForThoseThatArePromoted() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        int most = RankAdmission.INCARNATION_MAX;
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> follow(most + 1))
                .withMessageContaining("comes with incarnation 1073741825, at most 1073741824 may be");
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> relay.connect(Hello.start(OneRelay.JOB, 0, Integer.MAX_VALUE), relay.new Rank()));
        TableFollower follower = follow(most);
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(follower.incarnation).isEqualTo(most + 1);
    }

    /** The job stands until its log can be written again, or ends. */
    @Test
    void promotionThatCannotBeLoggedPromotesNobodyAndLeavesNothing() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        relay.journal.full = true;
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(follower.leads).isFalse();
        assertThat(relay.failure()).contains("incarnation 3 of rank 0");
        relay.events.clear();
        pass(5, 0);
        assertThat(relay.events).as("it fails once").isEmpty();
        relay.historySource.take();
        relay.core.closeJob(OneRelay.JOB, GONE);
        assertThat(relay.historySource.take()).as("its history is read no more").containsExactly("end rank 0 #1");
        assertThat(follower.take()).as("it is told").isNotEmpty();
    }

    // ---- followers that cannot follow

    @Test
    void followerThatIsASecondTooLateIsDropped() throws Exception {
        relay.connect(0);
        TableFollower late = behind();
        pass(1, 0);
        pass(FollowerLag.SECONDS_MAX, FollowerLag.HELD_BYTES);
        assertThat(rank().followerStates()).extracting(FollowerState::incarnation).containsExactly(2);
        pass(1, 0);
        assertThat(late.take()).containsExactly("close LAGGED");
        assertThat(rank().followerStates()).isEmpty();
    }

    private OneRelay.Rank sender;

    /** A follower that has caught up once, and lacks a message since then. */
    private TableFollower behind() throws Exception {
        TableFollower follower = follow(2);
        pass(0, 0);
        read(follower, 1, caughtUp());
        pass(0, 0);
        sender = relay.connect(1);
        sender.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        relay.core.logSafe(0);
        return follower;
    }

    private boolean sendersWait() {
        return relay.core.job(OneRelay.JOB).holdsSenders();
    }

    @Test
    void sendersWaitForAFollowerThatIsFarBehindUntilItHasCaughtUp() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = behind();
        leader.sends(relay.frames.post(0, 1, 0, 4, 5, 0));
        pass(0, FollowerLag.HELD_BYTES);
        assertThat(sendersWait()).isFalse();
        pass(1, FollowerLag.HELD_BYTES + 1);
        sender.take();
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 4, 2, 100_000));
        relay.core.logSafe(0);
        assertThat(sender.take()).as("it is not cleared").isEmpty();
        pass(1, 2 * FollowerLag.BYTES_MAX);
        pass(1, FollowerLag.BYTES_MAX + 1);
        assertThat(sendersWait()).as("it is too far behind, and comes nearer").isTrue();
        read(follower, 1, new HistoryStep.Reached(relay.journal.position()));
        relay.core.logSafe(0);
        assertThat(sender.take()).containsExactly("clear ->0 #2 up to 100000");
        assertThat(sendersWait()).isFalse();
        assertThat(rank().followerStates()).hasSize(1);
    }

    @Test
    void followerThatIsAByteTooFarBehindAndDoesNotComeNearerIsDropped() throws Exception {
        relay.connect(0);
        TableFollower far = behind();
        for (int second = 0; second < 2 + FollowerLag.HELD_SECONDS_MAX; second++) {
            assertThat(rank().followerStates()).hasSize(1);
            read(far, 1, new HistoryStep.Reached(relay.journal.position() - 1)); // It reads, and others log as much.
            pass(1, FollowerLag.BYTES_MAX + 1);
        }
        assertThat(far.take()).containsExactly("close LAGGED");
        assertThat(last().text())
                .isEqualTo("is 268435457 bytes of the log behind its leader, at most 268435456 may be, and has not come nearer for 5 s, in which senders have"
                        + " waited for it");
        assertThat(sendersWait()).isFalse();
    }

    @Test
    void followerForWhichSendersWaitAndThatReadsNothingForFiveSecondsIsDropped() throws Exception {
        relay.connect(0);
        TableFollower far = behind();
        pass(FollowerLag.HELD_SECONDS_MAX, FollowerLag.HELD_BYTES + 1);
        assertThat(sendersWait()).isTrue();
        pass(1, FollowerLag.HELD_BYTES);
        assertThat(far.take()).containsExactly("close LAGGED");
        assertThat(last().text()).startsWith("has read nothing for 5 s");
        assertThat(sendersWait()).isFalse();
    }

    @Test
    void sendersDoNotWaitForAFollowerThatLeadsOrComesAgainOrHasGone() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = behind();
        pass(1, FollowerLag.HELD_BYTES + 1);
        assertThat(sendersWait()).isTrue();
        TableFollower again = follow(again(2));
        assertThat(sendersWait()).as("it is another connection: not caught up").isFalse();
        assertThat(follower.take()).containsExactly("close FENCED");
        read(again, 2, caughtUp());
        relay.core.logSafe(0);
        pass(1, 0);
        leader.sends(relay.frames.message(FrameType.SEND, 0, 0, 0, 0, 1, 10));
        pass(1, FollowerLag.HELD_BYTES + 1);
        assertThat(sendersWait()).isTrue();
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(sendersWait()).as("it leads").isFalse();
    }

    @Test
    void followerThatNeverCaughtUpOnlyHasToMove() throws Exception {
        relay.connect(0);
        TableFollower follower = follow(2);
        for (int event = 1; event <= 4; event++) {
            pass(FollowerLag.SECONDS_MAX, 10 * FollowerLag.BYTES_MAX);
            read(follower, 1, new HistoryStep.Events(event, 1, ByteBuffer.allocate(Wire.EVENT_BYTES)));
        }
        assertThat(follower.take()).hasSize(4);
        pass(FollowerLag.SECONDS_MAX, 0);
        pass(1 + FollowerLag.SECONDS_MAX, 0);
        assertThat(follower.take()).containsExactly("close LAGGED");
    }

    /** Its history has no end while its leader is busy. */
    @Test
    void followerThatGetsABusyRanksHistoryInTimeIsNotDropped() throws Exception {
        relay.connect(0);
        TableFollower follower = follow(2);
        pass(0, 0);
        read(follower, 1, caughtUp());
        for (int second = 1; second <= 2 * FollowerLag.SECONDS_MAX; second++) {
            read(follower, 1, new HistoryStep.Reached(relay.journal.position()));
            relay.journal.pretend(10);
            pass(1, 0);
        }
        assertThat(rank().followerStates()).hasSize(1);
    }

    @Test
    void followerOfARankThatCannotBeReplayedIsDropped() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        ByteBuffer limit = relay.frames.events(1, 1);
        limit.put(Wire.EVENTS_HEADER_BYTES + 4, (byte) Wire.EVENT_LIMIT);
        leader.sends(limit);
        assertThat(last().kind()).isEqualTo(JobEvent.LIMITED);
        relay.core.logSafe(0);
        assertThat(follower.take()).containsExactly("close CANNOT_RESUME");
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> follow(3)).withMessageContaining("did what cannot be replayed");
    }

    @Test
    void followerWhoseHistoryCannotBeReadIsDroppedAndItsLeaderGoesOn() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        relay.core.storage().historyUnreadable(follower.rank, 1, "its beginning was cut");
        assertThat(follower.take()).containsExactly("close CANNOT_RESUME");
        assertThat(last().text()).endsWith("its beginning was cut");
        assertThat(leader.take()).isEmpty();
        assertThat(rank().job().isUnloggable()).isFalse();
    }

    /** Its launcher starts another one, which may begin at an image. */
    @Test
    void processThatLeadsAndWhoseHistoryCannotBeReadIsReplacedAndItsJobGoesOn() throws Exception {
        OneRelay.Rank leader = relay.connect(0);
        TableFollower follower = follow(2);
        relay.core.disconnected(leader.rank, leader, GONE);
        follower.take();
        relay.core.storage().historyUnreadable(rank(), rank().replay().number(), "its beginning was cut");
        assertThat(follower.take()).containsExactly("close CANNOT_RESUME");
        assertThat(rank().state()).isEqualTo(RankState.AWAY);
        assertThat(relay.core.job(OneRelay.JOB)).as("the job").isNotNull();
    }
}
