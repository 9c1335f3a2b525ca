package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** Receives and offers that are taken back: before they were matched, after, twice, and by whom they are not. */
final class TakingBackTest extends TwoRanks {
    TakingBackTest() throws Exception {
        super(new OneRelay());
    }

    @AfterEach
    void theJobGoesOn() {
        assertThat(relay.failure()).isNull();
    }

    private void post(int source, int request) throws Exception {
        receiver.sends(relay.frames.post(0, source, 1, 4, request, 0));
    }

    private void cancel(int source, int request) throws Exception {
        receiver.sends(relay.frames.cancel(0, source, 1, 4, request, 0));
    }

    private void offer(int destination, long sequence, long bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, destination, 4, sequence, bytes));
    }

    private void withdraw(int destination, long sequence) throws Exception {
        sender.sends(relay.frames.withdraw(0, 0, destination, sequence, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Wire.ANY})
    void cancelledReceiveGetsNothing(int source) throws Exception {
        post(source, 1);
        post(source, 2);
        post(source, 3);
        cancel(source, 2);
        cancel(source, 3);
        assertThat(receiver.take()).containsExactly("cancelled 2 true", "cancelled 3 true");
        assertThat(receiver.rank.mailbox().posted()).isEqualTo(1);
        post(source, 5);
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 1, 7));
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 2, 7));
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1", "deliver #2 from 0 to request 5");
        assertThat(receiver.rank.mailbox().posted()).isZero();
    }

    @Test
    void cancelAfterTheMatchSaysSo() throws Exception {
        post(0, 1);
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 1, 7));
        cancel(0, 1);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1", "cancelled 1 false");
        receiver.sends(relay.frames.cancel(77, 0, 1, 4, 1, 0));
        assertThat(receiver.take()).as("a context that never was").containsExactly("cancelled 1 false");
    }

    @Test
    void withdrawnOfferIsNotFoundAndNotReceived() throws Exception {
        offer(1, 1, 1 << 20);
        offer(1, 2, 0);
        assertThat(relay.ledger.open()).isEqualTo(2);
        withdraw(1, 1);
        withdraw(1, 1);
        assertThat(sender.take()).containsExactly("withdrawn ->1 #1 true", "withdrawn ->1 #1 false");
        assertThat(relay.ledger.open()).isEqualTo(1);
        offer(1, 1, 1 << 20);
        assertThat(receiver.rank.mailbox().unexpected()).as("a late duplicate").isEqualTo(1);
        receiver.sends(relay.frames.probe(false, 0, 0, 1, 4, 9, 0));
        post(0, 1);
        assertThat(receiver.take()).containsExactly("probe 9 #2 from 0", "deliver #2 from 0 to request 1");
        assertThat(sender.take()).containsExactly("clear ->1 #2 up to 0");
    }

    @Test
    void withdrawalAfterTheMatchSaysSoAlthoughTheReceiverIsSlow() throws Exception {
        receiver.reads = false;
        post(0, 1);
        offer(1, 1, 100);
        withdraw(1, 1);
        assertThat(sender.take()).containsExactly("withdrawn ->1 #1 false");
        receiver.reads = true;
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to 100");
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 0, 100));
    }

    @Test
    void sentMessagesAreNotWithdrawn() throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 1, 7));
        withdraw(1, 1);
        assertThat(sender.take()).containsExactly("withdrawn ->1 #1 false");
        assertThat(receiver.rank.mailbox().unexpected()).isEqualTo(1);
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 4, 1, 7));
        withdraw(3, 1);
        assertThat(sender.take()).as("nobody else knows better").containsExactly("withdrawn ->3 #1 false");
    }

    @Test
    void withdrawsAtAnotherSite() throws Exception {
        offer(3, 1, 100);
        withdraw(3, 1);
        assertThat(sender.take()).isEmpty();
        assertThat(relay.sites).containsExactly("forward there OFFER 0->3 #1", "withdraw there 0->3 #1");
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, true));
        assertThat(sender.take()).containsExactly("withdrawn ->3 #1 true");
        sender.isRefused(relay.frames.chunk(0, 0, 3, 1, 0, 100), CloseReason.NOT_EXPECTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void clearThatCrossesTheWithdrawalHolds(int bytes) throws Exception {
        offer(3, 1, bytes);
        withdraw(3, 1);
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, bytes));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, false));
        assertThat(sender.take()).containsExactly("clear ->3 #1 up to " + bytes, "withdrawn ->3 #1 false");
        if (bytes > 0) {
            sender.sends(relay.frames.chunk(0, 0, 3, 1, 0, bytes));
        }
        withdraw(3, 1);
        assertThat(sender.take()).as("nothing is kept of what is over").containsExactly("withdrawn ->3 #1 false");
    }

    @Test
    void aSitesWithdrawalIsAnswered() throws Exception {
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 1, 4, 1, 100));
        relay.fromSite("there", relay.frames.withdraw(0, 3, 1, 1, 0));
        relay.fromSite("there", relay.frames.withdraw(0, 3, 1, 1, 0));
        assertThat(relay.sites).containsExactly("withdrawn there 3->1 #1 true", "withdrawn there 3->1 #1 false");
        assertThat(receiver.rank.mailbox().unexpected()).isZero();
    }

    @Test
    void refusesWithdrawalsThatBreakTheProtocol() throws Exception {
        sender.isRefused(relay.frames.withdraw(0, 1, 2, 1, 0), CloseReason.WRONG_RANK);
        sender.isRefused(relay.frames.withdraw(0, 0, 5, 1, 0), CloseReason.WRONG_RANK);
        sender.isRefused(relay.frames.cancel(0, 5, 0, 4, 1, 0), CloseReason.MALFORMED_FRAME);
        sender.isRefused(relay.frames.cancel(0, 1, 1, 4, 1, 0), CloseReason.WRONG_RANK);
        offer(3, 1, 100);
        withdraw(3, 1);
        sender.isRefused(relay.frames.withdraw(0, 0, 3, 1, 0), CloseReason.NOT_EXPECTED);
        sender.sends(relay.frames.message(FrameType.EAGER, 0, 0, 3, 4, 2, 100));
        sender.isRefused(relay.frames.withdraw(0, 0, 3, 2, 0), CloseReason.NOT_EXPECTED);
    }

    @Test
    void boundsTheOffersThatNobodyReceives() throws Exception {
        for (int sequence = 1; sequence <= SendSide.OFFERS_MAX; sequence++) {
            offer(sequence % 2 == 0 ? 1 : 3, (sequence + 1) / 2, 0);
        }
        long next = SendSide.OFFERS_MAX / 2 + 1;
        sender.isRefused(relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, next, 0), CloseReason.LIMIT);
        withdraw(1, 1);
        offer(1, 1, 0);
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 0));
        post(0, 1);
        assertThat(sender.rank.sends().offers()).as("one withdrawn, one matched here, one there; a duplicate is none")
                .isEqualTo(SendSide.OFFERS_MAX - 3);
        for (int i = 0; i < 3; i++) {
            offer(1, next + i, 0);
        }
        sender.isRefused(relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, next + 3, 0), CloseReason.LIMIT);
    }

    @Test
    void boundsTheAnswersThatAreNotRead() throws Exception {
        sender.reads = false;
        for (int i = 0; i < RankFrames.UNREAD_ANSWERS_MAX; i++) {
            if (i % 2 == 0) {
                withdraw(1, 1);
            } else {
                sender.sends(relay.frames.cancel(0, 1, 0, 4, 1, 0));
            }
        }
        sender.isRefused(relay.frames.withdraw(0, 0, 1, 1, 0), CloseReason.LIMIT);
        sender.isRefused(relay.frames.cancel(0, 1, 0, 4, 1, 0), CloseReason.LIMIT);
    }
}
