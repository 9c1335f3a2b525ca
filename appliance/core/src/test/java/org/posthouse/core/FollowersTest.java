package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Followers of rank 0: what they are given, what they claim, and how one of them leads. */
final class FollowersTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    private static final CloseNotice GONE = CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended");

    private final OneRelay relay;
    private final OneRelay.Rank leader;
    private final OneRelay.Rank peer;

    FollowersTest() throws Exception {
        relay = OneRelay.logged();
        leader = relay.connect(0);
        peer = relay.connect(1);
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private static final class Port extends OneRelay.Rank implements FollowerPort {
        private final OneRelay relay;
        private boolean leads;
        private int incarnation;
        private List<StatePage.Entry> state;

        private Port(OneRelay relay) {
            relay.super();
            this.relay = relay;
        }

        @Override
        public void promoted(Welcome answer, List<StatePage.Entry> channels) {
            leads = true;
            incarnation = answer.incarnation();
            state = channels;
            heard.add("promoted as incarnation " + answer.incarnation());
            relay.trace.add("follower: promoted");
        }

        @Override
        public void confirmed(List<TransferId> messages) {
            heard.add("confirmed " + messages.size() + " up to #" + messages.getLast().sequence());
        }

        @Override
        void sends(ByteBuffer frame) throws WireException {
            if (leads) {
                super.sends(frame);
            } else {
                relay.core.fromFollower(rank, this, new TestFrame(frame, relay.ledger));
            }
        }
    }

    private Port follow(int incarnation) throws Refusal {
        Port port = new Port(relay);
        relay.core.follow(Hello.start(OneRelay.JOB, 0, incarnation), List.of(), port);
        return port;
    }

    /** As after a broken connection, so that its credit does not matter. */
    private void leaderSends(int destination, long sequence) throws WireException {
        ByteBuffer message = relay.frames.message(FrameType.SEND, 0, 0, destination, 0, sequence, 10);
        new FrameView().wrap(message, 0).flags(FrameView.AGAIN);
        leader.sends(message);
    }

    /** The checksum of a message of zeros. */
    private static ByteBuffer claim(OneRelay relay, int destination, long sequence, long bytes, byte content) {
        MessageChecksum checksum = new MessageChecksum();
        for (long left = bytes; left > 0; left -= CHUNK) {
            byte[] piece = new byte[(int) Math.min(left, CHUNK)];
            piece[0] = content;
            checksum.add(MessageChecksum.piece(ByteBuffer.wrap(piece)));
        }
        ByteBuffer frame = relay.frames.resent(0, destination, sequence);
        new FrameView().wrap(frame, 0).content(bytes, (int) bytes, 1).checksum(checksum.value());
        return frame;
    }

    private void claims(Port follower, int destination, long sequence) throws WireException {
        follower.sends(claim(relay, destination, sequence, 10, (byte) 0));
    }

    private void read(Port follower, HistoryStep... steps) {
        relay.core.storage().historyRead(follower.rank, 1, List.of(steps));
    }

    @Test
    void followerIsGivenWhatIsSafeAndWaitsForMoreWithoutAnEnd() throws Exception {
        Port follower = follow(2);
        long logged = relay.journal.position();
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1 up to " + logged);
        read(follower, new HistoryStep.Polls(3), new HistoryStep.End(logged));
        assertThat(follower.take()).as("it learns of failed polls, which its leader may have sent behind").containsExactly("events 1 to 0, 3 failed polls");
        relay.core.logSafe(0);
        assertThat(relay.historySource.take()).as("nothing is new").isEmpty();
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        relay.core.logSafe(0);
        assertThat(relay.historySource.take()).containsExactly("more rank 0 #1 up to " + relay.journal.position());
    }

    @Test
    void followerThatIsAheadOfItsLeaderIsComparedWhenTheLeaderSends() throws Exception {
        Port follower = follow(2);
        for (int sequence = 1; sequence <= 64; sequence++) {
            claims(follower, 1, sequence);
        }
        assertThat(follower.take()).as("nobody has sent that").isEmpty();
        for (int sequence = 1; sequence <= 64; sequence++) {
            leaderSends(1, sequence);
        }
        assertThat(follower.take()).containsExactly("confirmed 64 up to #64");
    }

    @Test
    void followerWhoseMessageDiffersIsDroppedAndItsLeaderGoesOn() throws Exception {
        Port follower = follow(2);
        leaderSends(1, 1);
        follower.sends(claim(relay, 1, 1, 10, (byte) 1));
        assertThat(follower.take()).containsExactly("close CANNOT_RESUME");
        JobEvent lost = relay.events.getLast();
        assertThat(lost.kind()).isEqualTo(JobEvent.FOLLOWER_LOST);
        assertThat(lost.code()).as("which process").isEqualTo(2);
        assertThat(lost.text()).isEqualTo("has diverged: message 1 to rank 1 in context 0 has other content in 10 bytes");
        assertThat(leader.rank.state()).isEqualTo(RankState.CONNECTED);
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(leader.rank.state()).as("it leads no more").isEqualTo(RankState.AWAY);
    }

    @Test
    void messageInPiecesIsComparedAsAWhole() throws Exception {
        Port follower = follow(2);
        leader.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, CHUNK + 5));
        follower.sends(claim(relay, 1, 1, CHUNK + 5, (byte) 0));
        leader.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        leader.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, 5));
        assertThat(relay.events).noneMatch(event -> event.kind() == JobEvent.FOLLOWER_LOST);
        leader.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 2, CHUNK + 5));
        leader.sends(relay.frames.chunk(0, 0, 1, 2, 0, CHUNK));
        follower.sends(claim(relay, 1, 2, CHUNK + 5, (byte) 7));
        assertThat(follower.take()).as("the rest is not here").isEmpty();
        leader.sends(relay.frames.chunk(0, 0, 1, 2, CHUNK, 5));
        assertThat(follower.take()).containsExactly("close CANNOT_RESUME");
    }

    @Test
    void messagesFromBeforeAnybodyFollowedAreComparedWithTheLog() throws Exception {
        leaderSends(1, 1);
        Port follower = follow(2);
        relay.historySource.take();
        claims(follower, 1, 1);
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1");
    }

    @Test
    void followerMustWaitWithSoManyUnconfirmedMessages() throws Exception {
        Port follower = follow(2);
        for (int sequence = 1; sequence <= RankFollower.UNCONFIRMED_MAX; sequence++) {
            claims(follower, 1, sequence);
        }
        follower.isRefused(claim(relay, 1, RankFollower.UNCONFIRMED_MAX + 1L, 10, (byte) 0), CloseReason.LIMIT);
    }

    @Test
    void followerMaySkipNoMessageAndDoNothingThatHasEffects() throws Exception {
        Port follower = follow(2);
        claims(follower, 1, 1);
        follower.isRefused(claim(relay, 1, 3, 10, (byte) 0), CloseReason.SEQUENCE_GAP);
        follower.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 1, 10), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.post(0, 1, 0, 0, 1, 0), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.events(1, 1), CloseReason.NOT_EXPECTED);
        follower.isRefused(relay.frames.live(), CloseReason.NOT_EXPECTED);
    }

    @Test
    void messageForAnotherRelayIsConfirmedWhenThatHasIt() throws Exception {
        Port follower = follow(2);
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
        Port behind = follow(2);
        Port follower = follow(3);
        relay.core.storage().historyRead(follower.rank, 2, List.of(new HistoryStep.Events(1, 1, ByteBuffer.allocate(Wire.EVENT_BYTES))));
        leaderSends(1, 1);
        relay.trace.clear();
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(relay.trace).as("the fence first").startsWith("log: follower 3 of rank 0 leads as incarnation 4", "follower: promoted");
        assertThat(follower.incarnation).isEqualTo(4);
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
        Port follower = follow(2);
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
        Port follower = follow(2);
        relay.core.disconnected(leader.rank, leader, GONE);
        claims(follower, 1, 1);
        follower.sends(relay.frames.finalizing(0));
        assertThat(follower.rank.state()).isEqualTo(RankState.REPLAYING);
        relay.core.storage().historyRead(follower.rank, 1, List.of(new HistoryStep.End(relay.journal.position())));
        follower.sends(relay.frames.live());
        follower.sends(relay.frames.finalizing(0));
        assertThat(follower.take()).endsWith("finalized");
    }

    @Test
    void followerFinalizesWithItsLeaderOrIsDroppedForSendingMore() throws Exception {
        Port equal = follow(2);
        Port more = follow(3);
        claims(more, 1, 1);
        equal.sends(relay.frames.finalizing(0));
        more.sends(relay.frames.finalizing(0));
        assertThat(equal.take()).isEmpty();
        leader.sends(relay.frames.finalizing(0));
        assertThat(equal.take()).containsExactly("finalized");
        assertThat(more.take()).containsExactly("close CANNOT_RESUME");
        assertThat(relay.events.getLast().text())
                .isEqualTo("has diverged: it has sent message 1 to rank 1 in context 0, and its leader finalized without");
    }

    @Test
    void followerOfAJobWithoutALogIsRefused() throws Exception {
        OneRelay plain = new OneRelay();
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> plain.core.follow(Hello.start(OneRelay.JOB, 0, 2), List.of(), new Port(plain)))
                .withMessageContaining("is not logged");
        plain.end();
    }

    @Test
    void followerThatComesAgainReplacesItsConnection() throws Exception {
        Port follower = follow(2);
        Hello again = new Hello(Hello.RANK, OneRelay.JOB, 0, 2, Hello.AGAIN, 0, 0, 0, 1, 0, 0);
        Port next = new Port(relay);
        relay.core.follow(again, List.of(), next);
        assertThat(follower.take()).containsExactly("close FENCED");
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(next.leads).isTrue();
    }
}
