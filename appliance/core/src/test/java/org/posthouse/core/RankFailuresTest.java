package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;

/** Deaths that programs survive, and communicators that they revoke, at one relay. Rank 1 is the one that dies. */
final class RankFailuresTest extends TwoRanks {
    private static final long LONG = 100_000;

    RankFailuresTest() throws Exception {
        super(OneRelay.tellingFailures());
    }

    private static BitSet ranks(int... ranks) {
        BitSet set = new BitSet();
        for (int rank : ranks) {
            set.set(rank);
        }
        return set;
    }

    private void receiverDies() {
        relay.core.disconnected(receiver.rank, receiver, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended"));
    }

    private void siteTellsThatRank3Died() {
        relay.core.failure(relay.there, new TestFrame(new RankFailed(OneRelay.JOB, 3, 1).encode().slice(), relay.ledger));
    }

    private void agree(OneRelay.Rank rank, int flags, BitSet members, int... acknowledged) throws Exception {
        rank.sends(new Agree(OneRelay.JOB, 0, rank.rank.rank(), 1, Agree.Kind.AGREE, flags, members, ranks(acknowledged)).encode().slice());
    }

    @Test
    void deathIsToldToRanksAndToOtherRelaysBehindAllThatTheRankSent() throws Exception {
        receiver.sends(relay.frames.message(FrameType.SEND, 0, 1, 3, 4, 1, 7));
        receiverDies();
        assertThat(sender.take()).containsExactly("failed 1 incarnation 1");
        assertThat(relay.sites)
                .containsExactly("forward there SEND 1->3 #1", "failed 1 incarnation 1 to there behind all", "failed 1 incarnation 1 to far behind all");
        assertThat(relay.events).extracting(JobEvent::kind).endsWith(JobEvent.LOST).doesNotContain(JobEvent.ABORTED);
    }

    @Test
    void deadProcessIsRefused() throws Exception {
        receiverDies();
        assertThat(catchThrowableOfType(Refusal.class, () -> relay.connect(Hello.firstStart(OneRelay.JOB, 1), relay.new Rank())).reason())
                .isEqualTo(CloseReason.FENCED);
    }

    @Test
    void messagesOfTheDeadAreStillReceivedIfTheyAreWhole() throws Exception {
        receiver.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 4, 1, 7));
        receiver.sends(relay.frames.message(FrameType.EAGER, 0, 1, 0, 4, 2, LONG));
        receiver.sends(relay.frames.chunk(0, 1, 0, 2, 0, 65_536));
        receiver.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 4, 3, LONG));
        receiverDies();
        sender.take();
        sender.sends(relay.frames.post(0, 1, 0, 4, 5, 0));
        sender.sends(relay.frames.post(0, 1, 0, 4, 6, 0));
        sender.sends(relay.frames.cancel(0, 1, 0, 4, 6, 0));
        assertThat(sender.take()).containsExactly("deliver #1 from 1 to request 5", "cancelled 6 true");
        assertThat(sender.rank.mailbox().unexpected()).isZero();
    }

    @Test
    void messageOfTheDeadThatWasClearedAheadOfItsReceiveIsReceivedIfItIsWhole() throws Exception {
        OneRelay roomy = OneRelay.tellingFailures(1 << 20);
        OneRelay.Rank living = roomy.connect(0);
        OneRelay.Rank dying = roomy.connect(1);
        dying.sends(roomy.frames.storable(0, 1, 0, 4, 1, LONG));
        dying.sends(roomy.frames.chunk(0, 1, 0, 1, 0, 65_536));
        dying.sends(roomy.frames.chunk(0, 1, 0, 1, 65_536, (int) LONG - 65_536));
        dying.sends(roomy.frames.storable(0, 1, 0, 4, 2, LONG));
        dying.sends(roomy.frames.chunk(0, 1, 0, 2, 0, 65_536));
        roomy.core.disconnected(dying.rank, dying, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended"));
        assertThat(living.take()).containsExactly("failed 1 incarnation 1");
        living.sends(roomy.frames.post(0, 1, 0, 4, 5, 0));
        living.sends(roomy.frames.post(0, 1, 0, 4, 6, 0));
        living.sends(roomy.frames.cancel(0, 1, 0, 4, 6, 0));
        assertThat(living.take()).containsExactly("deliver #1 from 1 to request 5", "chunk of 65536", "chunk of 34464", "cancelled 6 true");
        assertThat(living.rank.receives().aheadBytes()).isZero();
        roomy.end();
    }

    @Test
    void partOfADeliveredMessageOfTheDeadIsAllThatComes() throws Exception {
        sender.sends(relay.frames.post(0, 1, 0, 4, 5, 0));
        receiver.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 4, 1, LONG));
        receiverDies();
        assertThat(sender.take()).containsExactly("deliver #1 from 1 to request 5", "failed 1 incarnation 1");
        assertThat(relay.core.underWayBytes()).as("nothing of it is under way any more").isZero();
    }

    @Test
    void whatWaitsForTheDeadIsDroppedAndItsCreditComesBack() throws Exception {
        for (int message = 1; message <= 16; message++) {
            sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, message, 7));
        }
        assertThat(sender.rank.sends().creditMessagesUsed()).isEqualTo(16);
        receiverDies();
        assertThat(sender.rank.sends().creditMessagesUsed()).isLessThan(relay.config.creditPortionMessages(3));
        assertThat(receiver.rank.mailbox().unexpected()).isZero();
        sender.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 4, 17, LONG));
        sender.sends(relay.frames.chunk(0, 0, 1, 17, 0, 65_536));
        sender.sends(relay.frames.chunk(0, 0, 1, 17, 65_536, (int) LONG - 65_536));
        assertThat(sender.rank.sends().creditMessagesUsed()).isLessThan(relay.config.creditPortionMessages(3));
    }

    @Test
    void offerToTheDeadIsTakenBackAndAClearedOneGoesOn() throws Exception {
        receiver.sends(relay.frames.post(0, 0, 1, 4, 5, 0));
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, 1, 2 * LONG));
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, 2, LONG));
        receiverDies();
        sender.take();
        sender.sends(relay.frames.withdraw(0, 0, 1, 2, 0));
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 0, 65_536));
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 65_536, 65_536));
        assertThat(sender.take()).containsExactly("withdrawn ->1 #2 true", "clear ->1 #1 up to 196608", "clear ->1 #1 up to 200000");
        assertThat(sender.rank.sends().offers()).isZero();
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 131_072, 65_536));
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 196_608, (int) (2 * LONG) - 196_608));
    }

    /** In a logged job its sender may have ended the send before it was told that it is cleared. */
    @Test
    void whatWasClearedToTheDeadTakesNoneOfItsSendersWindow() throws Exception {
        receiver.sends(relay.frames.post(0, 0, 1, 4, 5, 0));
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, 1, 2 * LONG));
        assertThat(relay.core.underWayBytes()).isPositive();
        receiverDies();
        assertThat(relay.core.underWayBytes()).isZero();
        for (int at = 0; at < 2 * LONG; at += 65_536) {
            sender.sends(relay.frames.chunk(0, 0, 1, 1, at, Math.min(65_536, (int) (2 * LONG) - at)));
            assertThat(relay.core.underWayBytes()).isZero();
        }
        assertThat(receiver.rank.incoming().arriving()).as("it goes on to its end").isEmpty();
    }

    @Test
    void launcherEndsARankThatStandsOrThatNeverCame() throws Exception {
        assertThat(relay.core.rankFailed(new RankFailed(OneRelay.JOB, 1, 2))).as("another process").isFalse();
        relay.core.fence(new RankFailed(OneRelay.JOB, 1, 2));
        assertThat(receiver.take()).as("another process").isEmpty();
        assertThat(relay.core.rankFailed(new RankFailed(OneRelay.JOB, 1, 1))).isTrue();
        relay.core.fence(new RankFailed(OneRelay.JOB, 1, 1));
        assertThat(relay.core.rankFailed(new RankFailed(OneRelay.JOB, 2, 1))).isFalse();
        assertThat(receiver.take()).containsExactly("close FENCED");
        assertThat(sender.take()).containsExactly("failed 1 incarnation 1", "failed 2 incarnation 1");
    }

    @Test
    void launcherDoesNotCutOffWhatTheDeadHasSentAndTheRelayHasNotRead() throws Exception {
        assertThat(relay.core.rankFailed(new RankFailed(OneRelay.JOB, 1, 1))).isTrue();
        assertThat(sender.take()).isEmpty();
        receiver.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 4, 1, 7));
        receiverDies();
        relay.core.fence(new RankFailed(OneRelay.JOB, 1, 1));
        sender.sends(relay.frames.post(0, 1, 0, 4, 5, 0));
        assertThat(sender.take()).containsExactly("failed 1 incarnation 1", "deliver #1 from 1 to request 5");
        assertThat(receiver.take()).isEmpty();
    }

    @Test
    void probesThatNameTheDeadAreAnsweredWhenNothingOfItIsLeft() throws Exception {
        sender.sends(relay.frames.probe(true, 0, 1, 0, 4, 5, 0));
        sender.sends(relay.frames.probe(true, 0, 3, 0, 4, 6, 0));
        receiver.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 3, 1, 7));
        receiverDies();
        assertThat(sender.take()).containsExactly("failed 1 incarnation 1", "probe 5 nothing");
        assertThat(sender.rank.mailbox().hasProbes(0)).as("the other").isTrue();
        sender.sends(relay.frames.probe(true, 0, 1, 0, 3, 7, 0));
        sender.sends(relay.frames.probe(true, 0, 1, 0, 4, 8, 0));
        assertThat(sender.take()).containsExactly("probe 7 #1 from 1", "probe 8 nothing");
        siteTellsThatRank3Died();
        assertThat(sender.rank.mailbox().hasProbes(0)).isFalse();
    }

    @Test
    void offersThatNobodyWillReceiveWaitUntilTheyAreTakenBack() throws Exception {
        OneRelay roomy = OneRelay.tellingFailures(1 << 20);
        OneRelay.Rank living = roomy.connect(0);
        OneRelay.Rank dying = roomy.connect(1);
        OneRelay.Rank third = roomy.connect(2);
        roomy.core.disconnected(dying.rank, dying, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended"));
        third.sends(new Revocation(OneRelay.JOB, 2, ranks(0, 2)).encode().slice());
        living.take();
        living.sends(roomy.frames.storable(0, 0, 1, 4, 1, LONG));
        living.sends(roomy.frames.storable(2, 0, 2, 4, 1, LONG));
        assertThat(living.take()).as("not cleared").isEmpty();
        living.sends(roomy.frames.withdraw(0, 0, 1, 1, 0));
        living.sends(roomy.frames.withdraw(2, 0, 2, 1, 0));
        assertThat(living.take()).containsExactly("withdrawn ->1 #1 true", "withdrawn ->2 #1 true");
        assertThat(third.rank.receives().aheadBytes()).isZero();
        roomy.end();
    }

    @Test
    void nothingIsUnderWayOfAMessageOfTheDeadWhoseReceiverDidNotRead() throws Exception {
        sender.sends(relay.frames.post(0, 1, 0, 4, 5, 0));
        receiver.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 4, 1, 4 * LONG));
        sender.reads = false;
        receiver.sends(relay.frames.chunk(0, 1, 0, 1, 0, 65_536));
        receiver.sends(relay.frames.chunk(0, 1, 0, 1, 65_536, 65_536));
        receiverDies();
        sender.reads = true;
        relay.core.writable(sender.rank);
        assertThat(relay.core.underWayBytes()).isZero();
    }

    @Test
    void revocationDropsWhatWaitsAndWhatComes() throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 2, 0, 1, 4, 1, 7));
        sender.sends(relay.frames.message(FrameType.SEND, 3, 0, 1, 4, 1, 7));
        sender.sends(relay.frames.message(FrameType.SEND, 4, 0, 1, 4, 1, 7));
        sender.sends(relay.frames.message(FrameType.OFFER, 2, 0, 1, 4, 2, LONG));
        relay.core.fromRank(receiver.rank, new TestFrame(new Revocation(OneRelay.JOB, 2, ranks(0, 1, 3)).encode().slice(), relay.ledger));
        assertThat(receiver.take()).containsExactly("revoke context 2 of {0, 1, 3}");
        assertThat(sender.take()).containsExactly(
                "revoke context 2 of {0, 1, 3}", "credit 263 bytes 1 messages", "credit 263 bytes 1 messages");
        assertThat(relay.sites).containsExactly("revoke context 2 of {0, 1, 3} to there", "revoke context 2 of {0, 1, 3} to far");
        assertThat(receiver.rank.mailbox().unexpected()).as("the other communicator's, and the offer").isEqualTo(2);
        sender.sends(relay.frames.message(FrameType.SEND, 3, 0, 1, 4, 2, 7));
        sender.sends(relay.frames.withdraw(2, 0, 1, 2, 0));
        assertThat(sender.take()).containsExactly("credit 263 bytes 1 messages", "withdrawn ->1 #2 true");
        assertThat(receiver.rank.mailbox().unexpected()).isEqualTo(1);
        assertThat(receiver.take()).isEmpty();
        sender.sends(new Revocation(OneRelay.JOB, 2, ranks(0, 1, 3)).encode().slice());
        assertThat(relay.sites).as("once").hasSize(2);
    }

    @Test
    void rankThatConnectsLateIsToldWhatWasBefore() throws Exception {
        siteTellsThatRank3Died();
        receiverDies();
        sender.sends(new Revocation(OneRelay.JOB, 2, ranks(0, 2)).encode().slice());
        sender.sends(new Revocation(OneRelay.JOB, 4, ranks(0, 1)).encode().slice());
        agree(sender, 3, ranks(0, 2, 3), 3);
        OneRelay.Rank late = relay.connect(2);
        assertThat(late.take()).containsExactly("failed 3 incarnation 1", "failed 1 incarnation 1", "revoke context 2 of {0, 2}");
        agree(late, 6, ranks(0, 2, 3), 3);
        assertThat(late.take()).containsExactly("agreed 1 flags 2 failed {3}");
        late.sends(relay.frames.post(2, 0, 2, 4, 5, 0));
        sender.sends(relay.frames.message(FrameType.SEND, 2, 0, 2, 4, 1, 7));
        assertThat(late.take()).as("dropped, as the communicator is revoked").isEmpty();
    }

    @Test
    void revocationIsOfItsMembersOnly() throws Exception {
        OneRelay.Rank other = relay.connect(2);
        relay.core.failure(relay.there, new TestFrame(new Revocation(OneRelay.JOB, 2, ranks(2, 3)).encode().slice(), relay.ledger));
        assertThat(other.take()).containsExactly("revoke context 2 of {2, 3}");
        assertThat(sender.take()).isEmpty();
        sender.sends(relay.frames.message(FrameType.SEND, 2, 0, 1, 4, 1, 7));
        assertThat(receiver.rank.mailbox().unexpected()).as("another communicator with the same number").isEqualTo(1);
    }

    @Test
    void agreementIsTheAndOfAllFlags() throws Exception {
        agree(receiver, 6, ranks(0, 1));
        assertThat(receiver.take()).isEmpty();
        agree(sender, 3, ranks(0, 1));
        assertThat(receiver.take()).containsExactly("agreed 1 flags 2 failed {}");
        assertThat(sender.take()).containsExactly("agreed 1 flags 2 failed {}");
    }

    @Test
    void agreementFailsForAllIfOneHasNotAcknowledged() throws Exception {
        OneRelay.Rank third = relay.connect(2);
        receiverDies();
        agree(sender, 1, ranks(0, 1, 2), 1);
        agree(third, 1, ranks(0, 1, 2));
        assertThat(sender.take()).contains("agreed 1 flags 1 failed {1} unacknowledged");
        assertThat(third.take()).contains("agreed 1 flags 1 failed {1} unacknowledged");
    }

    private static ByteBuffer shrinks(int context, int rank, BitSet members) {
        return new Agree(OneRelay.JOB, context, rank, 1, Agree.Kind.SHRINK, 1, members, ranks()).encode().slice();
    }

    @Test
    void shrinksThatAreUnderWayAtOnceMakeCommunicatorsOfDifferentNumbers() throws Exception {
        sender.sends(shrinks(2, 0, ranks(0, 1)));
        sender.sends(shrinks(4, 0, ranks(0, 3)));
        receiver.sends(shrinks(6, 1, ranks(1, 3)));
        relay.core.failure(relay.there, new TestFrame(shrinks(6, 3, ranks(1, 3)), relay.ledger));
        relay.core.failure(relay.there, new TestFrame(shrinks(4, 3, ranks(0, 3)), relay.ledger));
        receiver.sends(shrinks(2, 1, ranks(0, 1)));
        assertThat(sender.take())
                .containsExactly("agreed 1 flags 1 failed {} communicator 2", "agreed 1 flags 1 failed {} communicator 3");
        assertThat(receiver.take())
                .containsExactly("agreed 1 flags 1 failed {} communicator 1", "agreed 1 flags 1 failed {} communicator 3");
    }

    @Test
    void relayOfRank0DecidesForAllCommunicators() throws Exception {
        relay.core.failure(relay.there, new TestFrame(shrinks(2, 3, ranks(3)), relay.ledger));
        assertThat(relay.sites).containsExactly(
                "agreed 1 flags 1 failed {} communicator 1 to there", "agreed 1 flags 1 failed {} communicator 1 to far");
        relay.core.failure(relay.there, new TestFrame(
                new Agreed(OneRelay.JOB, 2, 1, Agree.Kind.SHRINK, 1, 1, false, ranks(3), ranks()).encode().slice(), relay.ledger));
        assertThat(relay.failure()).contains("WRONG_SITE").contains("AGREED in the name of rank 0");
    }

    @Test
    void siteMaySpeakForItsOwnRanksOnly() throws Exception {
        relay.core.failure(relay.there, new TestFrame(new RankFailed(OneRelay.JOB, 4, 1).encode().slice(), relay.ledger));
        assertThat(relay.failure()).contains("WRONG_SITE").contains("RANK_FAILED in the name of rank 4");
        assertThat(sender.take()).isEmpty();
    }

    @Test
    void deathElsewhereEndsAnAgreementAndIsToldBefore() throws Exception {
        agree(sender, 5, ranks(0, 3));
        assertThat(sender.take()).isEmpty();
        siteTellsThatRank3Died();
        assertThat(sender.take()).containsExactly("failed 3 incarnation 1", "agreed 1 flags 5 failed {3} unacknowledged");
        siteTellsThatRank3Died();
        assertThat(sender.take()).as("told once").isEmpty();
    }

    @Test
    void callsThatDoNotMatchEndTheJob() throws Exception {
        agree(sender, 1, ranks(0, 1));
        receiver.sends(new Agree(OneRelay.JOB, 0, 1, 1, Agree.Kind.SHRINK, 1, ranks(0, 1), ranks()).encode().slice());
        assertThat(relay.failure()).contains("takes part in SHRINK of ranks {0, 1}").contains("which is AGREE of ranks {0, 1} by rank 0");
    }

    @Test
    void wrongFramesOfRanksAreRefused() throws Exception {
        sender.isRefused(new Revocation(OneRelay.JOB, 2, ranks(1, 2)).encode().slice(), CloseReason.WRONG_RANK);
        sender.isRefused(new Revocation(OneRelay.JOB, 2, ranks(0, 5)).encode().slice(), CloseReason.WRONG_RANK);
        sender.isRefused(new Agree(OneRelay.JOB, 0, 1, 1, Agree.Kind.AGREE, 0, ranks(0, 1), ranks()).encode().slice(), CloseReason.WRONG_RANK);
        sender.isRefused(new Revocation(OneRelay.JOB, Mailbox.CONTEXTS_MAX + 2, ranks(0)).encode().slice(), CloseReason.LIMIT);
        for (int number = 1; number <= 64 * 1024; number++) {
            sender.sends(new Agree(OneRelay.JOB, 0, 0, number, Agree.Kind.AGREE, 0, ranks(0, 1), ranks()).encode().slice());
        }
        sender.isRefused(new Agree(OneRelay.JOB, 0, 0, 70_000, Agree.Kind.AGREE, 0, ranks(0, 1), ranks()).encode().slice(), CloseReason.LIMIT);
    }
}
