package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/** Messages of a logged job that nobody receives yet: where they are, when credit comes back, how they are read back. */
final class LoggedWaitingTest extends TwoRanks {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    LoggedWaitingTest() throws Exception {
        super(OneRelay.logged());
    }

    @AfterEach
    void nothingIsInMemory() {
        assertThat(relay.ledger.open()).as("parcels in memory at rest").isZero();
    }

    private void post(int request) throws Exception {
        receiver.sends(relay.frames.post(0, 0, 1, 0, request, 0));
    }

    private void send(int destination, long sequence, int bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, destination, 0, sequence, bytes));
    }

    private void eager(long sequence, int bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, sequence, bytes));
    }

    private void chunk(long sequence, long offset, int bytes) throws Exception {
        sender.sends(relay.frames.chunk(0, 0, 1, sequence, offset, bytes));
    }

    private void readsAgain() {
        receiver.reads = true;
        relay.core.writable(receiver.rank);
    }

    @Test
    void creditComesBackWhenTheMessageIsStored() throws Exception {
        send(1, 1, 10);
        assertThat(sender.take()).containsExactly("credit 266 bytes 1 messages");
        eager(2, CHUNK + 1);
        chunk(2, 0, CHUNK);
        assertThat(sender.take()).as("not before all of it is there").isEmpty();
        chunk(2, CHUNK, 1);
        assertThat(sender.take()).containsExactly("credit " + (CHUNK + 1 + 256) + " bytes 1 messages");
        post(1);
        post(2);
        assertThat(receiver.take())
                .containsExactly(
                        "deliver #1 from 0 to request 1", "deliver #2 from 0 to request 2", "chunk of " + CHUNK, "chunk of 1");
        assertThat(sender.take()).as("once only").isEmpty();
        assertThat(receiver.rank.receives().ahead()).isZero();
    }

    @Test
    void messageThatMeetsItsReceiveIsNotReadBack() throws Exception {
        post(1);
        post(2);
        send(1, 1, 10);
        eager(2, CHUNK + 1);
        chunk(2, 0, CHUNK);
        chunk(2, CHUNK, 1);
        assertThat(receiver.take()).hasSize(4);
        assertThat(relay.journal.reads).isZero();
        assertThat(sender.take()).hasSize(2);
    }

    @Test
    void pastTheLimitOfOneMailboxCreditWaitsForTheDelivery() throws Exception {
        int max = relay.config.storedMessagesMax();
        for (int sequence = 1; sequence <= max + 2; sequence++) {
            send(1, sequence, 0);
        }
        assertThat(sender.take()).hasSize(max);
        assertThat(receiver.rank.receives().ahead()).isEqualTo(max);
        send(2, 1, 0);
        assertThat(sender.take()).as("another mailbox has room").hasSize(1);
        for (int request = 1; request <= max; request++) {
            post(request);
        }
        assertThat(sender.take()).isEmpty();
        send(1, max + 3, 0);
        assertThat(sender.take()).as("there is room again").hasSize(1);
        post(max + 1);
        post(max + 2);
        post(max + 3);
        assertThat(sender.take()).as("of the two that waited").hasSize(2);
        assertThat(sender.rank.sends().creditMessagesUsed()).isZero();
    }

    @Test
    void pastTheLimitOfTheRelayCreditWaitsTooUntilAJobIsOver() throws Exception {
        int total = relay.config.storedMessagesMaxTotal();
        for (int sequence = 1; sequence <= total / 2; sequence++) {
            send(1, sequence, 0);
            send(2, sequence, 0);
        }
        assertThat(sender.take()).hasSize(total);
        send(1, total / 2 + 1, 0);
        assertThat(sender.take()).isEmpty();
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 0, -1, ""));
        relay.core.fromPeer(relay.there, new TestFrame(new Frames(OneRelay.OTHER_JOB).message(FrameType.SEND, 0, 3, 1, 0, 1, 4), relay.ledger));
        assertThat(relay.sites).containsExactly("credit there rank 3 260 bytes 1 messages");
    }

    @Test
    void creditWaitsForTheDeliveryWhileTheDiskIsNearlyFull() throws Exception {
        relay.journal.ample = false;
        for (int sequence = 1; sequence <= 16; sequence++) {
            send(1, sequence, 0);
        }
        assertThat(sender.take()).isEmpty();
        sender.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 17, 0), CloseReason.CREDIT_EXCEEDED);
        post(1);
        assertThat(sender.take()).hasSize(1);
    }

    @Test
    void slowReceiverHearsOfItsDeliveriesInOrderAndGetsThePayloadWhenItReads() throws Exception {
        send(1, 1, 10);
        send(1, 2, 20);
        sender.take();
        receiver.reads = false;
        post(1);
        post(2);
        post(3);
        receiver.sends(relay.frames.cancel(0, 0, 1, 0, 2, 0));
        send(1, 3, 30);
        assertThat(receiver.take())
                .containsExactly(
                        "deliver #1 from 0 to request 1 without payload",
                        "deliver #2 from 0 to request 2 without payload",
                        "cancelled 2 false",
                        "deliver #3 from 0 to request 3");
        assertThat(relay.journal.reads).isZero();
        assertThat(receiver.rank.receives().ahead()).as("not read yet").isEqualTo(2);
        readsAgain();
        assertThat(receiver.take()).containsExactly("chunk of 10", "chunk of 20");
        assertThat(receiver.rank.receives().ahead()).isZero();
        assertThat(sender.take()).as("of the third, which never waited in the log").containsExactly("credit 286 bytes 1 messages");
        readsAgain();
        assertThat(receiver.take()).isEmpty();
    }

    @Test
    void chunksThatArriveBehindOnesInTheLogStayBehindThem() throws Exception {
        eager(1, 4 * CHUNK);
        chunk(1, 0, CHUNK);
        receiver.reads = false;
        post(1);
        chunk(1, CHUNK, CHUNK);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1");
        readsAgain();
        assertThat(receiver.take()).containsExactly("chunk of " + CHUNK, "chunk of " + CHUNK);
        assertThat(relay.journal.reads).isEqualTo(2);
        chunk(1, 2L * CHUNK, CHUNK);
        assertThat(receiver.take()).containsExactly("chunk of " + CHUNK);
        receiver.reads = false;
        chunk(1, 3L * CHUNK, CHUNK);
        assertThat(receiver.take()).as("nothing of it is in the log alone any more").containsExactly("chunk of " + CHUNK);
        assertThat(relay.journal.reads).isEqualTo(2);
        assertThat(sender.take()).isEmpty();
        readsAgain();
        assertThat(sender.take()).containsExactly("credit " + (4 * CHUNK + 256) + " bytes 1 messages");
    }

    @Test
    void messageThatIsWholeWhileItIsReadBackGivesItsCreditBackOnce() throws Exception {
        eager(1, 2 * CHUNK);
        chunk(1, 0, CHUNK);
        receiver.reads = false;
        post(1);
        chunk(1, CHUNK, CHUNK);
        assertThat(sender.take()).containsExactly("credit " + (2 * CHUNK + 256) + " bytes 1 messages");
        readsAgain();
        assertThat(receiver.take()).hasSize(3);
        assertThat(sender.take()).isEmpty();
        assertThat(sender.rank.sends().creditBytesUsed()).isZero();
    }

    @Test
    void receiverThatLeavesBeforeItReadsLeavesNothing() throws Exception {
        send(1, 1, 10);
        eager(2, 2 * CHUNK);
        chunk(2, 0, CHUNK);
        sender.take();
        receiver.reads = false;
        post(1);
        post(2);
        relay.core.disconnected(receiver.rank, receiver, CloseNotice.closing(0, CloseReason.NORMAL, "cut"));
        assertThat(receiver.rank.receives().ahead()).isZero();
        chunk(2, CHUNK, CHUNK);
        assertThat(sender.take()).containsExactly("credit " + (2 * CHUNK + 256) + " bytes 1 messages");
        relay.core.writable(receiver.rank);
        assertThat(relay.journal.reads).isZero();
    }

    @Test
    void offersLeaveMemoryTooAndAreClearedWhenMatched() throws Exception {
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 10L * CHUNK));
        assertThat(relay.ledger.open()).isZero();
        assertThat(sender.take()).isEmpty();
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 2, 0));
        sender.sends(relay.frames.withdraw(0, 0, 1, 2, 0));
        assertThat(sender.take()).containsExactly("withdrawn ->1 #2 true");
        post(1);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1");
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
    }

    @Test
    void boundsTheOffersThatWereTakenBackAndAreRemembered() throws Exception {
        SuppressedSends suppressedSends = sender.rank.repeats();
        for (int sequence = 1; sequence < SuppressedSends.GONE_MAX; sequence++) {
            suppressedSends.tookBack(new TransferId(9, 1, sequence));
        }
        for (int sequence = 1; sequence <= 2; sequence++) {
            sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, sequence, 0));
        }
        sender.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(sender.take()).containsExactly("withdrawn ->1 #1 true");
        sender.isRefused(relay.frames.withdraw(0, 0, 1, 2, 0), CloseReason.LIMIT);
        sender.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(sender.take()).as("what was taken back stays so").containsExactly("withdrawn ->1 #1 true");
    }

    private void tookBack(int context, int count) {
        for (int sequence = 1; sequence <= count; sequence++) {
            sender.rank.repeats().tookBack(new TransferId(context, 1, sequence));
        }
    }

    private static Hello next(int incarnation) {
        return Hello.start(OneRelay.JOB, 0, incarnation);
    }

    /** Each process that comes is told of them, and of its channels, of which there is one here. */
    @Test
    void refusesRankWithTooManyWithdrawnSendsAfterNotifyingLauncher() throws Exception {
        tookBack(8, SuppressedSends.GONE_MAX - StatePage.ENTRIES_MAX - 2);
        relay.events.clear();
        for (int sequence = 1; sequence <= 2; sequence++) {
            assertThat(relay.events).isEmpty();
            sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, sequence, 0));
            sender.sends(relay.frames.withdraw(0, 0, 1, sequence, 0));
        }
        JobEvent limited = new JobEvent(OneRelay.JOB, JobEvent.LIMITED, 0, 0, OpenChannels.FULL);
        assertThat(relay.events).containsExactly(limited);
        relay.pointed(sender.rank, new CheckpointNotice(OneRelay.JOB, CheckpointNotice.Kind.SAVE, 0, 0, 100, 0, 11, 12, 8, 9));
        sender.sends(relay.frames.image(0, 100));
        relay.core.storage().imageStored(sender.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(sender.rank.checkpoints().outputNotesTold()).as("an image is no help").hasSize(2).last().isEqualTo(limited);

        relay.core.disconnected(sender.rank, sender, CloseNotice.closing(0, CloseReason.NORMAL, "died"));
        tookBack(9, StatePage.ENTRIES_MAX - 1);
        OneRelay.Rank second = relay.new Rank();
        relay.connect(next(2), second);
        assertThat(second.welcome.pages()).isEqualTo(Hello.PAGES_MAX);
        relay.core.disconnected(second.rank, second, CloseNotice.closing(0, CloseReason.NORMAL, "died"));
        tookBack(9, StatePage.ENTRIES_MAX);
        relay.events.clear();
        assertThatThrownBy(() -> relay.connect(next(3), relay.new Rank()))
                .isInstanceOfSatisfying(Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.LIMIT))
                .hasMessageContaining("of " + (SuppressedSends.GONE_MAX + 1) + " channels");
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.REPLAYING, JobEvent.AWAY, JobEvent.REFUSED);
        assertThat(sender.rank.state()).isEqualTo(RankState.AWAY);
    }

    @Test
    void storableOfferIsClearedAndSpilledToTheLog() throws Exception {
        sender.sends(relay.frames.storable(0, 0, 1, 0, 1, 4L * CHUNK));
        sender.sends(relay.frames.storable(0, 0, 1, 0, 2, 0));
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK, "clear ->1 #2 up to 0");
        assertThat(sender.rank.sends().offers()).as("its places are free").isZero();
        receiver.reads = false;
        chunk(1, 0, CHUNK);
        assertThat(sender.take()).as("whether the receiver reads or not").containsExactly("clear ->1 #1 up to " + 3 * CHUNK);
        sender.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        sender.sends(relay.frames.withdraw(0, 0, 1, 2, 0));
        assertThat(sender.take()).as("too late").containsExactly("withdrawn ->1 #1 false", "withdrawn ->1 #2 false");
        post(1);
        post(2);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1", "deliver #2 from 0 to request 2");
        chunk(1, CHUNK, CHUNK);
        assertThat(sender.take()).as("it goes behind the first, into the log").containsExactly("clear ->1 #1 up to " + 4 * CHUNK);
        chunk(1, 2L * CHUNK, CHUNK);
        assertThat(receiver.rank.receives().ahead()).isEqualTo(2);
        readsAgain();
        assertThat(receiver.take()).hasSize(3);
        chunk(1, 3L * CHUNK, CHUNK);
        assertThat(receiver.take()).hasSize(1);
        assertThat(receiver.rank.receives().ahead()).isZero();
        assertThat(sender.take()).as("an offer takes no credit").isEmpty();
        assertThat(sender.rank.sends().offers()).isZero();
    }

    @Test
    void offerThatFindsNoRoomInTheLogWaitsForItsReceive() throws Exception {
        relay.journal.ample = false;
        sender.sends(relay.frames.storable(0, 0, 1, 0, 1, CHUNK));
        assertThat(sender.take()).isEmpty();
        sender.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(sender.take()).containsExactly("withdrawn ->1 #1 true");
        sender.sends(relay.frames.storable(0, 0, 1, 0, 2, CHUNK));
        post(1);
        assertThat(sender.take()).containsExactly("clear ->1 #2 up to " + CHUNK);
        chunk(2, 0, CHUNK);
        assertThat(relay.journal.reads).isZero();
        assertThat(sender.rank.sends().offers()).isZero();
    }

    @Test
    void damagedRecordFailsTheJobByNameWhenItIsMatched() throws Exception {
        send(1, 1, 10);
        relay.journal.damaged = true;
        post(1);
        assertThat(relay.failure()).startsWith("LOG_DAMAGED: the record at place 1");
    }

    @Test
    void ignoresFramesOfJobGivenUpByAnotherCore() throws Exception {
        relay.journal.giveUp(OneRelay.JOB, "a record of another core's");
        post(1);
        send(1, 1, 10);
        assertThat(receiver.take()).isEmpty();
        assertThat(relay.journal.position()).isZero();
    }

    @Test
    void damagedRecordFailsTheJobByNameWhenItsReceiverReadsOnAndNothingThatComesThenHasAnEffect() throws Exception {
        send(1, 1, 10);
        send(1, 2, 10);
        receiver.reads = false;
        post(1);
        relay.journal.damaged = true;
        readsAgain();
        assertThat(relay.failure()).startsWith("LOG_DAMAGED: the record at place 1");
        relay.events.clear();
        relay.journal.damaged = false;
        readsAgain();
        receiver.take();
        post(2);
        assertThat(receiver.take()).as("what is behind a record that is missing").isEmpty();
        assertThat(relay.failure()).isNull();
    }
}
