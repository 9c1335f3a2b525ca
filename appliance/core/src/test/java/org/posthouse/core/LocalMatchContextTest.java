package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank lets a context run ahead: what is pushed, in which order, and what ends that. */
final class LocalMatchContextTest {
    private static final int CONTEXT = 4;
    private static final long COST = 10 + Wire.MESSAGE_COST_BYTES;

    private final OneRelay relay;
    private OneRelay.Rank zero;
    private OneRelay.Rank one;

    LocalMatchContextTest() throws Exception {
        relay = new OneRelay();
    }

    /** Rank 0 has received one message in the context, from rank 1. */
    @BeforeEach
    void theContextIsUsed() throws Exception {
        zero = relay.connect(0);
        one = relay.connect(1);
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 0, 1, 0));
        send(1, 10);
        assertThat(zero.take()).containsExactly("deliver #1 from 1 to request 1");
        one.take();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(relay.failure()).isNull();
        relay.end();
    }

    private void send(long sequence, int bytes) throws WireException {
        one.sends(relay.frames.message(FrameType.SEND, CONTEXT, 1, 0, 0, sequence, bytes));
    }

    private void ahead(int round, long upTo) throws WireException {
        zero.sends(relay.frames.ahead(CONTEXT, round, 0, upTo, false));
    }

    private void post(int source, int tag, int request) throws WireException {
        zero.sends(relay.frames.post(CONTEXT, source, 0, tag, request, 0));
    }

    @Test
    void arrivingMessagesArePushedAndCountAsDelivered() throws Exception {
        ahead(1, 100_000);
        send(2, 10);
        send(3, Wire.PAYLOAD_BYTES_MAX);
        relay.fromSite("there", relay.frames.message(FrameType.SEND, CONTEXT, 3, 0, 7, 1, 0));
        assertThat(zero.take()).containsExactly("push #2 from 1", "push #3 from 1", "push #1 from 3");
        assertThat(zero.rank.counters().messagesDelivered()).isEqualTo(4);
        assertThat(relay.core.statistics().matched()).isEqualTo(4);
        assertThat(relay.core.statistics().pushed()).isEqualTo(3);
        assertThat(zero.rank.mailbox().unexpected()).isZero();
        assertThat(one.rank.sends().creditMessagesUsed()).as("what is pushed is paid for no more").isZero();
    }

    @Test
    void aPostedReceiveComesFirst() throws Exception {
        post(Wire.ANY, 5, 2);
        post(1, 0, 3);
        ahead(1, 10_000);
        send(2, 10);
        send(3, 10);
        one.sends(relay.frames.message(FrameType.SEND, CONTEXT, 1, 0, 5, 4, 10));
        assertThat(zero.take())
                .containsExactly("deliver #2 from 1 to request 3", "push #3 from 1", "deliver #4 from 1 to request 2");
    }

    @Test
    void unexpectedMessagesArePushedFirst() throws Exception {
        send(2, 10);
        send(3, 10);
        ahead(1, 10_000);
        send(4, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "push #3 from 1", "push #4 from 1");
    }

    @Test
    void unpushableUnexpectedMessageKeepsTheContextClosed() throws Exception {
        send(2, 10);
        one.sends(relay.frames.message(FrameType.OFFER, CONTEXT, 1, 0, 0, 3, 10));
        send(4, 10);
        ahead(1, 10_000);
        send(5, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "ended 4 round 1 NOT_PUSHED at " + COST);
        post(Wire.ANY, Wire.ANY, 2);
        post(Wire.ANY, Wire.ANY, 3);
        assertThat(zero.take()).as("a synchronous send is not done before its receive").containsExactly(
                "deliver #3 from 1 to request 2", "deliver #4 from 1 to request 3");
        one.sends(relay.frames.chunk(CONTEXT, 1, 0, 3, 0, 10));
        assertThat(zero.take()).containsExactly("chunk of 10");
    }

    @ParameterizedTest
    @CsvSource({"EAGER, 70000", "OFFER, 10"})
    void unpushableMessageEndsThePushRoundAndWaits(FrameType form, int bytes) throws Exception {
        ahead(1, 10_000);
        send(2, 10);
        one.sends(relay.frames.message(form, CONTEXT, 1, 0, 0, 3, bytes));
        send(4, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "ended 4 round 1 NOT_PUSHED at " + COST);
        assertThat(zero.rank.mailbox().unexpected()).isEqualTo(2);
        post(1, 0, 2);
        assertThat(zero.take()).first().asString().startsWith("deliver #3 from 1 to request 2");
    }

    @Test
    void theBoundEndsTheRound() throws Exception {
        ahead(1, 2 * COST);
        send(2, 10);
        send(3, 10);
        send(4, 0);
        assertThat(zero.take()).containsExactly("push #2 from 1", "push #3 from 1", "ended 4 round 1 BOUND at " + 2 * COST);
        ahead(2, 3 * COST);
        assertThat(zero.take()).containsExactly("push #4 from 1");
    }

    @Test
    void aHigherBoundLetsTheRoundGoOn() throws Exception {
        ahead(1, COST);
        send(2, 10);
        ahead(1, 2 * COST);
        send(3, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "push #3 from 1");
    }

    @Test
    void aSlowReaderIsNotPushedTo() throws Exception {
        ahead(1, 10_000);
        zero.reads = false;
        send(2, 10);
        send(3, 10);
        assertThat(zero.take()).containsExactly("ended 4 round 1 SLOW at 0");
        ahead(2, 10_000);
        assertThat(zero.take()).containsExactly("ended 4 round 2 SLOW at 0");
        zero.reads = true;
        ahead(3, 10_000);
        assertThat(zero.take()).containsExactly("push #2 from 1", "push #3 from 1");
    }

    @Test
    void theRankMayWantNoMore() throws Exception {
        ahead(1, 10_000);
        zero.sends(relay.frames.ahead(CONTEXT, 1, 0, 10_000, true));
        assertThat(zero.take()).containsExactly("ended 4 round 1 ASKED at 0");
        send(2, 10);
        assertThat(zero.take()).isEmpty();
    }

    @Test
    void ignoresRequestsThatCrossTheEndOfARound() throws Exception {
        ahead(1, COST);
        send(2, 10);
        send(3, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "ended 4 round 1 BOUND at " + COST);
        ahead(1, 2 * COST);
        zero.sends(relay.frames.ahead(CONTEXT, 1, 0, 2 * COST, true));
        assertThat(zero.take()).as("its end was told").isEmpty();
        post(1, 0, 2);
        assertThat(zero.take()).containsExactly("deliver #3 from 1 to request 2");
        ahead(2, 2 * COST);
        send(4, 10);
        assertThat(zero.take()).containsExactly("push #4 from 1");
    }

    @Test
    void aProbeThatWaitsKeepsTheContextClosed() throws Exception {
        zero.sends(relay.frames.probe(true, CONTEXT, 1, 0, 0, 2, 0));
        ahead(1, 10_000);
        send(2, 10);
        assertThat(zero.take()).containsExactly("ended 4 round 1 ASKED at 0", "probe 2 #2 from 1");
        ahead(2, 10_000);
        assertThat(zero.take()).containsExactly("push #2 from 1");
    }

    @Test
    void otherContextsAndRanksAreNotConcerned() throws Exception {
        ahead(1, 10_000);
        one.sends(relay.frames.message(FrameType.SEND, CONTEXT + 1, 1, 0, 0, 1, 10));
        zero.sends(relay.frames.message(FrameType.SEND, CONTEXT, 0, 1, 0, 1, 10));
        assertThat(zero.take()).isEmpty();
        assertThat(one.take()).isEmpty();
        zero.sends(relay.frames.post(CONTEXT + 1, 1, 0, 0, 2, 0));
        assertThat(zero.take()).containsExactly("deliver #1 from 1 to request 2");
    }

    @Test
    void movedRankReceivesRoundEndAfterItsWelcome() throws Exception {
        ahead(1, 10_000);
        send(2, 10);
        relay.core.move(zero.rank);
        zero.sends(relay.frames.moving());
        send(3, 10);
        send(4, 10);
        assertThat(zero.take()).containsExactly("push #2 from 1", "move", "close MOVED");
        OneRelay.Rank next = relay.new Rank();
        Hello again = Hello.firstStart(OneRelay.JOB, 0).again(Hello.MOVED, 2, 0, 0, 1, 1);
        relay.connect(again, next, new StatePage.Entry[0]);
        assertThat(next.take()).containsExactly("ended 4 round 1 SLOW at " + COST);
        next.sends(relay.frames.post(CONTEXT, 1, 0, 0, 2, 0));
        next.sends(relay.frames.ahead(CONTEXT, 2, 0, 10_000, false));
        assertThat(next.take()).containsExactly("deliver #3 from 1 to request 2", "push #4 from 1");
    }

    /** All that came has been pushed, so the rank knows what it waits for; of a closed context the relay does. */
    @Test
    void reportsFinalizedPeerOnlyWhileContextIsOpen() throws Exception {
        BlockedReport blockedReport = new BlockedReport(OneRelay.JOB, CONTEXT, 99, 1, 0, 1, "Barrier");
        ahead(1, 10_000);
        one.sends(relay.frames.finalizing(0));
        relay.blocked(zero.rank, blockedReport);
        assertThat(zero.take()).singleElement().asString().startsWith("mismatch at 4 number 1");
        zero.sends(relay.frames.ahead(CONTEXT, 1, 0, 10_000, true));
        relay.blocked(zero.rank, blockedReport);
        assertThat(zero.take()).as("it has asked for nothing yet").containsExactly("ended 4 round 1 ASKED at 0");
    }

    @Test
    void refusesInvalidAheadFrames() throws Exception {
        zero.isRefused(relay.frames.ahead(CONTEXT, 1, 1, 1_000, false), CloseReason.WRONG_RANK);
        zero.isRefused(relay.frames.ahead(CONTEXT + 1, 1, 0, 1_000, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 0, 0, 1_000, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 2, 0, 1_000, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 1, 0, Wire.PUSHED_COST_MAX + 1, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 1, 0, -1, false), CloseReason.MALFORMED_FRAME);
        ahead(1, Wire.PUSHED_COST_MAX);
        send(2, 10);
        zero.isRefused(relay.frames.ahead(CONTEXT, 2, 0, Wire.PUSHED_COST_MAX, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 1, 0, Wire.PUSHED_COST_MAX - 1, false), CloseReason.MALFORMED_FRAME);
        zero.isRefused(relay.frames.ahead(CONTEXT, 1, 0, Wire.PUSHED_COST_MAX + COST + 1, false), CloseReason.MALFORMED_FRAME);
        ahead(1, Wire.PUSHED_COST_MAX + COST);
        zero.isRefused(relay.frames.post(CONTEXT, 1, 0, 0, 2, 0), CloseReason.NOT_EXPECTED);
        zero.isRefused(relay.frames.probe(false, CONTEXT, 1, 0, 0, 2, 0), CloseReason.NOT_EXPECTED);
        zero.isRefused(relay.frames.cancel(CONTEXT, 1, 0, 0, 2, 0), CloseReason.NOT_EXPECTED);
        zero.take();
    }

}
