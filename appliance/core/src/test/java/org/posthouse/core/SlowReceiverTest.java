package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Wire;

/** What a receiver that is slow, leaves or never comes does to credit, offers and memory. */
final class SlowReceiverTest extends TwoRanks {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    SlowReceiverTest() throws Exception {
        super(new OneRelay());
    }

    private void post(int source, int request) throws Exception {
        receiver.sends(relay.frames.post(0, source, 1, 0, request, 0));
    }

    private void send(long sequence, int bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, sequence, bytes));
    }

    private void offer(long sequence, long bytes) throws Exception {
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, sequence, bytes));
    }

    private void chunk(long sequence, long offset, int bytes) throws Exception {
        sender.sends(relay.frames.chunk(0, 0, 1, sequence, offset, bytes));
    }

    @Test
    void deliversToSlowReceiverButKeepsItsSendersCredit() throws Exception {
        receiver.reads = false;
        post(0, 1);
        send(1, 10);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1");
        assertThat(sender.take()).isEmpty();
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).as("still slow").isEmpty();
        receiver.reads = true;
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).containsExactly("credit 266 bytes 1 messages");
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).as("once only").isEmpty();
        assertThat(sender.rank.sends().creditBytesUsed()).isZero();
    }

    @Test
    void clearsOfferWhenSlowReceiverReadsAgain() throws Exception {
        receiver.reads = false;
        post(0, 1);
        offer(1, 3L * CHUNK);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 1");
        assertThat(sender.take()).isEmpty();
        receiver.reads = true;
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
    }

    @Test
    void keepsAtMostOneWindowUnderWay() throws Exception {
        post(0, 1);
        offer(1, 10L * CHUNK + 5);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
        chunk(1, 0, CHUNK);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + 3 * CHUNK);
        receiver.reads = false;
        chunk(1, CHUNK, CHUNK);
        chunk(1, 2L * CHUNK, CHUNK);
        assertThat(sender.take()).isEmpty();
        receiver.reads = true;
        relay.core.writable(receiver.rank);
        assertThat(sender.take()).as("one word for all that was put off").containsExactly("clear ->1 #1 up to " + 5 * CHUNK);
        assertThat(receiver.take()).hasSize(4);
    }

    @Test
    void clearsUpToTheLastByteAndNoFurther() throws Exception {
        post(0, 1);
        offer(1, CHUNK + 5);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to " + (CHUNK + 5));
        chunk(1, 0, CHUNK);
        chunk(1, CHUNK, 5);
        assertThat(sender.take()).isEmpty();
        assertThat(sender.rank.sends().creditBytesUsed()).as("an offer takes no credit").isZero();
    }

    @Test
    void answersEmptyOfferWithClearOfNothing() throws Exception {
        offer(1, 0);
        post(0, 1);
        post(0, 2);
        offer(2, 0);
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to 0", "clear ->1 #2 up to 0");
        assertThat(receiver.take()).hasSize(2);
    }

    @Test
    void clearsAcrossSites() throws Exception {
        receiver.sends(relay.frames.post(0, 3, 1, 0, 1, 0));
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 1, 0, 1, 10));
        relay.fromSite("there", relay.frames.chunk(0, 3, 1, 1, 0, 10));
        receiver.sends(relay.frames.post(0, 3, 1, 0, 2, 0));
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 1, 0, 2, 10));
        assertThat(relay.sites)
                .containsExactly("clear there 3->1 #1 up to 10", "credit there rank 3 266 bytes 1 messages");
        assertThat(relay.failure()).isNull();
    }

    @Test
    void givesBackCreditOfReceiverThatFinalizesBeforeItReads() throws Exception {
        receiver.reads = false;
        post(0, 1);
        send(1, 10);
        receiver.sends(relay.frames.finalizing(0));
        assertThat(sender.take()).containsExactly("credit 266 bytes 1 messages");
        assertThat(sender.rank.sends().creditBytesUsed()).isZero();
    }

    @Test
    void givesBackCreditOfMessageWhoseReceiverWasLostOnTheWay() throws Exception {
        post(0, 1);
        sender.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, CHUNK + 1));
        chunk(1, 0, CHUNK);
        relay.core.disconnected(receiver.rank, receiver, CloseNotice.closing(0, CloseReason.NORMAL, "cut"));
        chunk(1, CHUNK, 1);
        assertThat(sender.take()).containsExactly("credit " + (CHUNK + 1 + 256) + " bytes 1 messages");
        assertThat(relay.ledger.open()).as("chunks for nobody").isZero();
    }

    @Test
    void disconnectLeavesNoReceiveBehind() throws Exception {
        post(0, 1);
        receiver.sends(relay.frames.post(0, Wire.ANY, 1, Wire.ANY, 2, 0));
        receiver.sends(relay.frames.post(1, Wire.ANY, 1, Wire.ANY, 3, 0));
        receiver.sends(relay.frames.probe(true, 0, 2, 1, 0, 4, 0));
        receiver.sends(relay.frames.probe(true, 0, Wire.ANY, 1, Wire.ANY, 5, 0));
        assertThat(receiver.rank.mailbox().posted()).isEqualTo(5);
        relay.core.disconnected(receiver.rank, receiver, CloseNotice.closing(0, CloseReason.TIMEOUT, "silent"));
        assertThat(receiver.rank.mailbox().posted()).isZero();
        send(1, 10);
        sender.sends(relay.frames.message(FrameType.SEND, 1, 0, 1, 7, 1, 10));
        assertThat(receiver.take()).isEmpty();
        assertThat(receiver.rank.mailbox().unexpected()).isEqualTo(2);
        assertThat(relay.events).last().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(JobEvent.LOST);
            assertThat(event.code()).isEqualTo(CloseReason.TIMEOUT.code());
        });
    }

    @Test
    void storesForRankThatHasNotComeYet() throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 2, 0, 1, 10));
        assertThat(relay.core.statistics().stored()).isEqualTo(1);
        OneRelay.Rank late = relay.connect(2);
        late.sends(relay.frames.post(0, 0, 2, 0, 8, 0));
        assertThat(late.take()).containsExactly("deliver #1 from 0 to request 8");
        assertThat(relay.core.statistics().matched()).isEqualTo(1);
    }

    @Test
    void blockingProbesWaitForMessageThatNoReceiveTakes() throws Exception {
        receiver.sends(relay.frames.probe(true, 0, 0, 1, 0, 10, 0));
        receiver.sends(relay.frames.probe(true, 0, Wire.ANY, 1, Wire.ANY, 11, 0));
        post(0, 12);
        send(1, 0);
        assertThat(receiver.take()).containsExactly("deliver #1 from 0 to request 12");
        send(2, 0);
        assertThat(receiver.take()).containsExactly("probe 10 #2 from 0", "probe 11 #2 from 0");
        receiver.sends(relay.frames.probe(true, 0, 0, 1, 0, 13, 0));
        assertThat(receiver.take()).containsExactly("probe 13 #2 from 0");
    }

    @Test
    void closeJobReleasesEveryParcelAndNotifiesConnectedRanks() throws Exception {
        send(1, 100);
        sender.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 2, 2 * CHUNK));
        chunk(2, 0, CHUNK);
        offer(3, 1L << 40);
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 5, 3, 1, 0, 1, 100));
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 2, 0, 1, 100));
        assertThat(relay.ledger.open()).isEqualTo(6);
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 3, -1, "enough"));
        assertThat(relay.ledger.open()).isZero();
        assertThat(List.of(sender.take(), receiver.take())).containsOnly(List.of("aborted 3"));
        assertThat(relay.core.job(OneRelay.JOB)).isNull();
        sender.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 4, 0), CloseReason.NOT_EXPECTED);
        relay.core.writable(receiver.rank);
        relay.core.disconnected(sender.rank, sender, CloseNotice.closing(0, CloseReason.NORMAL, ""));
        assertThat(relay.events).extracting(JobEvent::kind).containsOnly(JobEvent.CONNECTED, JobEvent.LOST);
    }

    /** The relay's next process may go on with it. */
    @Test
    void aLogThatFailsEndsTheJobOrLeavesItIfThatHasAFolder() throws Exception {
        assertThat(arrivesInVain(new JournalBroken("read-only", null), logged(6))).isFalse();
        assertThat(arrivesInVain(new JournalBroken("read-only", null), logged(7).keepingOutput())).isFalse();
        assertThat(relay.failure()).startsWith("LOG_BROKEN: read-only; ");
        assertThat(arrivesInVain(new JournalDamaged("unreadable", null), logged(8).keepingOutput())).isFalse();
        assertThat(relay.events).filteredOn(event -> event.kind() == JobEvent.ABORTED).extracting(JobEvent::code)
                .containsExactly(1, JobEvent.STANDS, JobEvent.STANDS);
        assertThat(relay.ledger.open()).isZero();
    }

    private static JobOpen logged(long job) {
        JobOpen opening = OneRelay.opening(job);
        return new JobOpen(job, opening.token(), true, "logged", opening.homes(), opening.homeOf());
    }

    /** @return whether the frame counts as handled, and the one behind it, of which nothing is told */
    private boolean arrivesInVain(JournalFailure why, JobOpen job) throws Exception {
        Journal broken = new TableJournal(relay.ledger, relay.frames, relay.trace) {
            @Override
            public void arrival(long id, Message message, Parcel head) {
                throw why;
            }
        };
        RelayCore core = new RelayCore("relay-here", relay.config, 1, UnexpectedPool.own(relay.config, 1), System::nanoTime, relay.historySource, relay.images);
        core.openJob(job, relay::peerOf, relay.events::add, broken);
        boolean handled = core.fromPeer(relay.there, new TestFrame(new Frames(job.job()).message(FrameType.SEND, 0, 3, 1, 0, 1, 4), relay.ledger));
        int told = relay.events.size();
        if (!handled) {
            assertThat(core.fromPeer(relay.there, new TestFrame(new Frames(job.job()).message(FrameType.SEND, 0, 3, 1, 0, 2, 4), relay.ledger))).isFalse();
            assertThat(relay.events).as("it is no gap").hasSize(told);
        }
        return handled;
    }
}
