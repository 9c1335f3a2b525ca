package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Followers of rank 0: what they are given, what they claim, and how one of them leads. */
final class FollowersTest extends FollowedRank {
    private final OneRelay.Rank leader;
    private final OneRelay.Rank peer;

    FollowersTest() throws Exception {
        super(OneRelay.logged());
        leader = relay.connect(0);
        peer = relay.connect(1);
    }

    /** As after a broken connection, so that its credit does not matter. */
    private void leaderSends(int destination, long sequence) throws WireException {
        ByteBuffer message = relay.frames.message(FrameType.SEND, 0, 0, destination, 0, sequence, 10);
        new FrameView().wrap(message, 0).flags(FrameView.AGAIN);
        leader.sends(message);
    }

    private void claims(TableFollower follower, int destination, long sequence) throws WireException {
        follower.sends(claim(destination, sequence, 10, (byte) 0));
    }

    private void read(TableFollower follower, HistoryStep... steps) {
        relay.core.storage().historyRead(follower.rank, 1, List.of(steps));
    }

    @Test
    void followerIsGivenWhatIsSafeAndWaitsForMoreWithoutAnEnd() throws Exception {
        TableFollower follower = follow(2);
        long logged = relay.journal.position();
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1 as a follower up to " + logged);
        read(follower, new HistoryStep.Polls(3), new HistoryStep.End(logged));
        assertThat(follower.take()).as("it learns of failed polls, which its leader may have sent behind").containsExactly("events 1 to 0, 3 failed polls");
        relay.core.logSafe(0);
        assertThat(relay.historySource.take()).as("nothing is new").isEmpty();
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        relay.core.logSafe(0);
        assertThat(relay.historySource.take()).as("a message that waits for its receive is not in the history").isEmpty();
        ByteBuffer post = relay.frames.post(0, 1, 0, 0, 1, 0);
        new FrameView().wrap(post, 0).ordinal(1);
        leader.sends(post);
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 2, 0, 1, 10));
        relay.core.logSafe(0);
        assertThat(relay.historySource.take()).containsExactly("more rank 0 #1 up to " + relay.journal.position());
    }

    /** It would lead at once, and hear then that it cannot. */
    @Test
    void followerThatCannotBeGivenTheHistoryIsRefusedAndDoesNotLeadInPlaceOfADeadLeader() {
        relay.core.disconnected(leader.rank, leader, GONE);
        relay.core.rankFailed(new RankFailed(OneRelay.JOB, 0, 1));
        relay.journal.cut = true;
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> follow(2))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.CANNOT_RESUME))
                .withMessageContaining("the beginning was cut");
        assertThat(relay.events).last().satisfies(event -> assertThat(event.kind()).isEqualTo(JobEvent.FOLLOWER_LOST));
        assertThat(relay.historySource.take()).isEmpty();
    }

    /** Each reading is a task of the thread that reads for all. */
    @Test
    void followersReadNothingWhileOtherRanksHaveWhatIsLogged() throws Exception {
        TableFollower follower = follow(2);
        relay.core.logSafe(0);
        read(follower, new HistoryStep.End(relay.journal.position()));
        relay.historySource.take();
        for (int sequence = 1; sequence <= 10; sequence++) {
            peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 2, 0, sequence, 10));
            relay.core.logSafe(0);
        }
        assertThat(relay.historySource.take()).isEmpty();
        relay.core.lookAtFollowers(from -> 0);
        assertThat(relay.historySource.take()).as("each second, so that the log may be cut")
                .containsExactly("more rank 0 #1 up to " + relay.journal.position());
    }

    /** Its launcher starts it and its followers at the same time: they would have the log read from its beginning in turn. */
    @Test
    void claimsAreNotComparedWithTheLogWhileTheLeaderIsReplayedWhoseOwnAre() throws Exception {
        leaderSends(1, 1);
        relay.core.disconnected(leader.rank, leader, GONE);
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        TableFollower follower = follow(4);
        relay.historySource.take();
        claims(follower, 1, 1);
        assertThat(relay.historySource.take()).isEmpty();
        next.sends(relay.frames.resent(0, 1, 1));
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1");
    }

    @Test
    void followerThatIsAheadOfItsLeaderIsComparedWhenTheLeaderSends() throws Exception {
        TableFollower follower = follow(2);
        for (int sequence = 1; sequence <= 64; sequence++) {
            claims(follower, 1, sequence);
        }
        assertThat(follower.take()).as("nobody has sent that").isEmpty();
        for (int sequence = 1; sequence <= 64; sequence++) {
            leaderSends(1, sequence);
        }
        assertThat(follower.take()).containsExactly("confirmed 64 up to #64");
    }

    /** It is inside a synchronous send. */
    @Test
    void messageThatTheFollowerWaitsForIsConfirmedAlone() throws Exception {
        TableFollower follower = follow(2);
        ByteBuffer claim = claim(1, 1, 10, (byte) 0);
        new FrameView().wrap(claim, 0).flags(FrameView.ACK_NOW);
        follower.sends(claim);
        claims(follower, 1, 2);
        leaderSends(1, 1);
        assertThat(follower.take()).containsExactly("confirmed 1 up to #1");
        leaderSends(1, 2);
        assertThat(follower.take()).as("not worth a frame").isEmpty();
    }

    private static ByteBuffer awaited(ByteBuffer claim) {
        FrameView view = new FrameView().wrap(claim, 0);
        view.flags(view.flags() | FrameView.ACK_NOW);
        return claim;
    }

    /** An offer without bytes has come whole before anybody receives it. */
    @Test
    void synchronousSendOfNothingIsConfirmedWhenItsReceiveHasBegun() throws Exception {
        TableFollower early = follow(2);
        early.sends(awaited(claim(1, 1, 0, (byte) 0)));
        leader.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 0));
        TableFollower late = follow(4);
        late.sends(awaited(claim(1, 1, 0, (byte) 0)));
        assertThat(early.take()).as("nobody receives it").isEmpty();
        assertThat(late.take()).isEmpty();
        ByteBuffer post = relay.frames.post(0, 0, 1, 0, 1, 0);
        new FrameView().wrap(post, 0).ordinal(1);
        peer.sends(post);
        assertThat(early.take()).containsExactly("confirmed 1 up to #1");
        assertThat(late.take()).containsExactly("confirmed 1 up to #1");
    }

    @Test
    void synchronousSendOfNothingToAnotherRelayIsConfirmedWhenThatSaysSo() throws Exception {
        TableFollower follower = follow(2);
        leader.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 0));
        relay.core.handled(relay.there, false, 1);
        follower.sends(awaited(claim(3, 1, 0, (byte) 0)));
        assertThat(follower.take()).as("it is stable, and nobody receives it").isEmpty();
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 0));
        assertThat(follower.take()).containsExactly("confirmed 1 up to #1");
    }

    @Test
    void synchronousSendOfNothingWaitsForItsReceiveAlsoUnderTheNextLeader() throws Exception {
        TableFollower next = follow(2);
        TableFollower follower = follow(4);
        leader.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 0));
        follower.sends(awaited(claim(1, 1, 0, (byte) 0)));
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(next.leads).isTrue();
        relay.core.storage().historyRead(next.rank, 1, List.of(new HistoryStep.End(relay.journal.position())));
        next.sends(relay.frames.live());
        assertThat(follower.take()).isEmpty();
        ByteBuffer post = relay.frames.post(0, 0, 1, 0, 1, 0);
        new FrameView().wrap(post, 0).ordinal(1);
        peer.sends(post);
        assertThat(follower.take()).containsExactly("confirmed 1 up to #1");
    }

    @Test
    void followerWhoseMessageDiffersIsDroppedAndItsLeaderGoesOn() throws Exception {
        TableFollower follower = follow(2);
        leaderSends(1, 1);
        follower.sends(claim(1, 1, 10, (byte) 1));
        assertThat(follower.take()).containsExactly("close DIVERGED");
        JobEvent lost = relay.events.getLast();
        assertThat(lost.kind()).isEqualTo(JobEvent.FOLLOWER_LOST);
        assertThat(lost.code()).as("which process").isEqualTo(2);
        assertThat(lost.a()).as("why").isEqualTo(CloseReason.DIVERGED.code());
        assertThat(lost.text()).isEqualTo("has diverged: message 1 to rank 1 in context 0 has other content in 10 bytes");
        assertThat(leader.rank.state()).isEqualTo(RankState.CONNECTED);
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(leader.rank.state()).as("it leads no more").isEqualTo(RankState.AWAY);
    }

    @Test
    void messageInPiecesIsComparedAsAWhole() throws Exception {
        TableFollower follower = follow(2);
        leader.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, CHUNK + 5));
        follower.sends(claim(1, 1, CHUNK + 5, (byte) 0));
        leader.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        leader.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, 5));
        assertThat(relay.events).noneMatch(event -> event.kind() == JobEvent.FOLLOWER_LOST);
        leader.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 2, CHUNK + 5));
        leader.sends(relay.frames.chunk(0, 0, 1, 2, 0, CHUNK));
        follower.sends(claim(1, 2, CHUNK + 5, (byte) 7));
        assertThat(follower.take()).as("the rest is not here").isEmpty();
        leader.sends(relay.frames.chunk(0, 0, 1, 2, CHUNK, 5));
        assertThat(follower.take()).containsExactly("close DIVERGED");
    }

    @Test
    void messagesFromBeforeAnybodyFollowedAreComparedWithTheLog() throws Exception {
        leaderSends(1, 1);
        TableFollower follower = follow(2);
        relay.historySource.take();
        claims(follower, 1, 1);
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1");
    }

    @Test
    void messageThatWasBegunBeforeAnybodyFollowedIsConfirmedWhenItIsWholeAndComparedWithTheLog() throws Exception {
        leader.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, 2 * CHUNK));
        leader.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        TableFollower follower = follow(2);
        follower.sends(claim(1, 1, 2 * CHUNK, (byte) 0));
        relay.historySource.take();
        leader.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, CHUNK));
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1");
        follower.sends(relay.frames.finalizing(0));
        leader.sends(relay.frames.finalizing(0));
        assertThat(follower.take()).as("it differs in nothing").containsExactly("finalized");
    }

    /** The relay was started again: it knows nothing of messages to other relays, and the leader sends only those again that are not stable. */
    @Test
    void messagesToOtherRelaysThatARestartedRelayHasForgottenAreConfirmedWithTheNextOne() throws Exception {
        leader.rank.outgoing().restore();
        TableFollower follower = follow(2);
        for (int sequence = 1; sequence <= 64; sequence++) {
            claims(follower, 3, sequence);
        }
        leaderSends(3, 63);
        relay.core.handled(relay.there, false, 1);
        assertThat(follower.take()).as("62 forgotten ones and this").isEmpty();
        leaderSends(3, 64);
        relay.core.handled(relay.there, false, 2);
        assertThat(follower.take()).containsExactly("confirmed 64 up to #64");
    }

    /** It is stable, and the one before it is not, as its receive has not begun. */
    @Test
    void laterMessageThatARestartedRelayHasForgottenIsNoDivergenceEither() throws Exception {
        leader.rank.outgoing().restore();
        TableFollower follower = follow(2);
        leader.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, CHUNK));
        claims(follower, 3, 2);
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, CHUNK));
        leader.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        relay.core.handled(relay.there, false, 2);
        follower.sends(relay.frames.finalizing(0));
        leader.sends(relay.frames.finalizing(0));
        assertThat(follower.take()).endsWith("finalized");
    }

    @Test
    void messageThatARestartedRelayHasForgottenIsNoDivergence() throws Exception {
        leader.rank.outgoing().restore();
        TableFollower equal = follow(2);
        TableFollower more = follow(3);
        claims(equal, 3, 1);
        claims(more, 3, 1);
        claims(more, 1, 1);
        equal.sends(relay.frames.finalizing(0));
        more.sends(relay.frames.finalizing(0));
        leader.sends(relay.frames.finalizing(0));
        assertThat(equal.take()).containsExactly("finalized");
        assertThat(more.take()).containsExactly("close DIVERGED");
    }

    @Test
    void oldMessageIsComparedWithTheLogForOneFollowerOnly() throws Exception {
        leaderSends(1, 1);
        leaderSends(1, 2);
        TableFollower first = follow(2);
        TableFollower second = follow(3);
        relay.historySource.take();
        claims(first, 1, 1);
        claims(second, 1, 1);
        claims(second, 1, 2);
        claims(first, 1, 2);
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1", "resent by 0 #2 to 1");
    }

    @Test
    void followerMustWaitWithSoManyUnconfirmedMessages() throws Exception {
        TableFollower follower = follow(2);
        for (int sequence = 1; sequence <= RankFollower.UNCONFIRMED_MAX; sequence++) {
            claims(follower, 1, sequence);
        }
        follower.isRefused(claim(1, RankFollower.UNCONFIRMED_MAX + 1L, 10, (byte) 0), CloseReason.LIMIT);
    }

    @Test
    void followerMaySkipNoMessageAndDoNothingThatHasEffects() throws Exception {
        TableFollower follower = follow(2);
        claims(follower, 1, 1);
        follower.isRefused(claim(1, 3, 10, (byte) 0), CloseReason.SEQUENCE_GAP);
        follower.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 1, 10), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.post(0, 1, 0, 0, 1, 0), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.events(1, 1), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.live(), CloseReason.NOT_EXPECTED);
    }

    @Test
    void followerMayNotSpeakForAnotherJob() throws Exception {
        TableFollower follower = follow(2);
        ByteBuffer claim = claim(1, 1, 10, (byte) 0);
        claim.putLong(Long.BYTES, OneRelay.OTHER_JOB);
        follower.isRefused(claim, CloseReason.UNKNOWN_JOB);
    }

    /** What was confirmed over its former connection it does not claim again. */
    @Test
    void followerThatComesAgainMayHaveHolesInItsClaims() throws Exception {
        follow(2);
        TableFollower next = new TableFollower(relay);
        relay.core.follow(Hello.follower(OneRelay.JOB, 0, 2).again(Hello.AGAIN, 0, 0, 0, 1, 0), List.of(), next);
        claims(next, 1, 5);
        claims(next, 1, 70);
        assertThat(next.take()).isEmpty();
    }

    @Test
    void messageForAnotherRelayIsConfirmedWhenThatHasIt() throws Exception {
        TableFollower follower = follow(2);
        for (int sequence = 1; sequence <= 64; sequence++) {
            claims(follower, 3, sequence);
            leaderSends(3, sequence);
        }
        assertThat(follower.take()).as("the leader keeps them").isEmpty();
        relay.core.handled(relay.there, false, 64);
        assertThat(follower.take()).containsExactly("confirmed 64 up to #64");
    }

    @Test
    void furthestFollowerLeadsWhenTheLeaderIsGoneAndItsHistoryEnds() throws Exception {
        TableFollower behind = follow(2);
        TableFollower follower = follow(3);
        relay.core.storage().historyRead(follower.rank, 2, List.of(new HistoryStep.Events(1, 1, ByteBuffer.allocate(Wire.EVENT_BYTES))));
        leaderSends(1, 1);
        relay.trace.clear();
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(relay.trace).as("the fence first").startsWith("log: follower 3 of rank 0 leads as incarnation 5", "follower: promoted");
        assertThat(follower.incarnation).as("it is odd").isEqualTo(5);
        assertThat(follower.state).containsExactly(new StatePage.Entry(StatePage.ACCEPTED, 0, 1, 1));
        assertThat(behind.take()).as("it follows the next").isEmpty();
        assertThat(relay.events).extracting(JobEvent::kind).endsWith(JobEvent.AWAY, JobEvent.PROMOTED);
        follower.take();
        relay.core.storage().historyRead(follower.rank, 2, List.of(new HistoryStep.End(relay.journal.position())));
        assertThat(follower.take()).containsExactly("end of history, 0 failed polls");
        follower.sends(relay.frames.live());
        assertThat(follower.rank.state()).isEqualTo(RankState.CONNECTED);
        ByteBuffer next = relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 2, 10);
        follower.sends(next);
        assertThat(peer.rank.mailbox().lastSequence(0, 0)).isEqualTo(2);
    }

    @Test
    void leaderThatOnlySeemedDeadIsFencedAndRefused() throws Exception {
        TableFollower follower = follow(2);
        assertThat(relay.core.depose(leader.rank, CloseNotice.closing(OneRelay.JOB, CloseReason.TIMEOUT, "silent"))).isTrue();
        assertThat(leader.take()).containsExactly("close FENCED");
        assertThat(follower.leads).isTrue();
        Hello again = new Hello(Hello.RANK, OneRelay.JOB, 0, 1, Hello.AGAIN, 0, 0, 0, 1, 0, 0);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> relay.core.connect(again, List.of(), relay.new Rank()))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
    }

    @Test
    void rankWithoutAFollowerIsNotDeposed() {
        assertThat(relay.core.depose(leader.rank, GONE)).isFalse();
        assertThat(leader.rank.state()).isEqualTo(RankState.CONNECTED);
    }

    @Test
    void whatAFollowerSaidBeforeItKnewThatItLeadsChangesNothing() throws Exception {
        TableFollower follower = follow(2);
        relay.core.disconnected(leader.rank, leader, GONE);
        claims(follower, 1, 1);
        follower.sends(relay.frames.finalizing(0));
        assertThat(follower.rank.state()).isEqualTo(RankState.REPLAYING);
        relay.core.storage().historyRead(follower.rank, 1, List.of(new HistoryStep.End(relay.journal.position())));
        follower.sends(relay.frames.live());
        follower.sends(relay.frames.finalizing(0));
        assertThat(follower.take()).endsWith("finalized");
    }

    /** It has found that it does something else than its leader did, and its word crosses with that it leads. */
    @Test
    void processThatHasDivergedBeforeItIsLiveEndsAloneAndTheNextFollowerLeads() throws Exception {
        TableFollower diverged = follow(2);
        TableFollower next = follow(4);
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(diverged.leads).isTrue();
        diverged.take();
        diverged.sends(new CloseNotice(OneRelay.JOB, ExitStatuses.DIVERGED, 0, "expected Recv, and Probe came").encode(FrameType.ABORT).slice());
        assertThat(diverged.take()).containsExactly("close DIVERGED");
        assertThat(next.leads).isTrue();
        assertThat(relay.events).noneMatch(event -> event.kind() == JobEvent.ABORTED);
        assertThat(relay.events).anyMatch(event -> event.kind() == JobEvent.DIVERGED
                && event.text().equals("has lost follower 2, which was to lead and has diverged: expected Recv, and Probe came"));
    }

    @Test
    void processThatEndsTheJobItselfEndsItAlsoBeforeItIsLive() throws Exception {
        TableFollower follower = follow(2);
        relay.core.disconnected(leader.rank, leader, GONE);
        follower.sends(new CloseNotice(OneRelay.JOB, 3, 0, "MPI.Abort").encode(FrameType.ABORT).slice());
        assertThat(relay.events.getLast().kind()).isEqualTo(JobEvent.ABORTED);
    }

    @Test
    void followerFinalizesWithItsLeaderOrIsDroppedForSendingMore() throws Exception {
        TableFollower equal = follow(2);
        TableFollower more = follow(3);
        claims(more, 1, 1);
        equal.sends(relay.frames.finalizing(0));
        more.sends(relay.frames.finalizing(0));
        assertThat(equal.take()).isEmpty();
        leader.sends(relay.frames.finalizing(0));
        assertThat(equal.take()).containsExactly("finalized");
        assertThat(more.take()).containsExactly("close DIVERGED");
        assertThat(relay.events.getLast().text())
                .isEqualTo("has diverged: it has sent message 1 to rank 1 in context 0, and its leader finalized without");
    }

    @Test
    void followerOfAJobWithoutALogIsRefused() throws Exception {
        OneRelay plain = new OneRelay();
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> plain.core.follow(Hello.start(OneRelay.JOB, 0, 2), List.of(), new TableFollower(plain)))
                .withMessageContaining("is not logged");
        plain.end();
    }

    @Test
    void followerThatComesAgainReplacesItsConnection() throws Exception {
        TableFollower follower = follow(2);
        Hello again = new Hello(Hello.RANK, OneRelay.JOB, 0, 2, Hello.AGAIN, 0, 0, 0, 1, 0, 0);
        TableFollower next = new TableFollower(relay);
        relay.core.follow(again, List.of(), next);
        assertThat(follower.take()).containsExactly("close FENCED");
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(next.leads).isTrue();
    }
}
