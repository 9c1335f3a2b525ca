package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** Messages of a job without a log that nobody receives yet: as long as their relay has memory for them their senders are done with them. */
final class UnexpectedMemoryTest extends TwoRanks {
    private static final int BYTES = 8;
    private static final int TAKES = UnexpectedBudget.MESSAGE_BYTES + BYTES + BYTES / 4;
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    UnexpectedMemoryTest() throws Exception {
        super(OneRelay.remembering(4 * TAKES));
    }

    private void send(int destination, long sequence, int bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, destination, 0, sequence, bytes));
    }

    private void post(int request) throws Exception {
        receiver.sends(relay.frames.post(0, 0, 1, 0, request, 0));
    }

    /** Three quarters of the memory are for one rank. */
    @Test
    void creditComesBackAtOnceWhileThereIsMemory() throws Exception {
        for (int sequence = 1; sequence <= 5; sequence++) {
            send(1, sequence, BYTES);
        }
        assertThat(sender.take()).as("one mailbox has no more").hasSize(3);
        send(2, 1, BYTES);
        send(2, 2, BYTES);
        assertThat(sender.take()).as("all of it is used").hasSize(1);
        assertThat(receiver.rank.receives().aheadBytes()).isEqualTo(3 * TAKES);
        for (int request = 1; request <= 3; request++) {
            post(request);
        }
        assertThat(receiver.take()).hasSize(3);
        assertThat(sender.take()).as("it has that back").isEmpty();
        send(2, 3, BYTES);
        assertThat(sender.take()).as("there is room again").hasSize(1);
        post(4);
        post(5);
        assertThat(sender.take()).as("of the two that waited").hasSize(2);
        assertThat(receiver.rank.receives().aheadBytes()).isZero();
    }

    /** What was offered for want of credit is asked for, and waits like any other; nobody takes it back then. */
    @Test
    void storableOfferIsClearedAndCannotBeWithdrawn() throws Exception {
        sender.sends(relay.frames.storable(0, 0, 1, 0, 1, BYTES));
        sender.sends(relay.frames.storable(0, 0, 1, 0, 2, 0));
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + BYTES, "clear ->1 #2 up to 0");
        assertThat(sender.rank.sends().offers()).as("its places are free").isZero();
        sender.sends(relay.frames.withdraw(0, 0, 1, 2, 0));
        assertThat(sender.take()).as("too late").containsExactly("withdrawn ->1 #2 false");
        sender.sends(relay.frames.chunk(0, 0, 1, 1, 0, BYTES));
        assertThat(receiver.rank.receives().ahead()).isEqualTo(2);
        post(1);
        post(2);
        assertThat(receiver.take()).hasSize(3);
        assertThat(receiver.rank.receives().ahead()).isZero();
        assertThat(receiver.rank.receives().aheadBytes()).isZero();
        assertThat(sender.take()).as("an offer takes no credit").isEmpty();
    }

    @Test
    void offerWithoutMemoryStaysARendezvous() throws Exception {
        sender.sends(relay.frames.storable(0, 0, 1, 0, 1, 4 * CHUNK));
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 2, BYTES));
        assertThat(sender.take()).isEmpty();
        assertThat(sender.rank.sends().offers()).isEqualTo(2);
    }

    @Test
    void theMemoryOfAJobIsFreeWhenItEnds() throws Exception {
        for (int sequence = 1; sequence <= 3; sequence++) {
            send(1, sequence, BYTES);
        }
        send(2, 1, BYTES);
        assertThat(sender.take()).hasSize(4);
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 0, -1, ""));
        relay.core.fromPeer(relay.there, new TestFrame(new Frames(OneRelay.OTHER_JOB).message(FrameType.SEND, 0, 3, 1, 0, 1, BYTES), relay.ledger));
        assertThat(relay.sites).containsExactly("credit there rank 3 " + (BYTES + 256) + " bytes 1 messages");
    }
}
