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
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank's connection breaks and the same process comes again: what it gets again, what it may say again, what is safe. */
final class ComingAgainTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    private final OneRelay relay;
    private final OneRelay.Rank peer;
    private OneRelay.Rank rank;

    ComingAgainTest() throws Exception {
        relay = OneRelay.logged();
        rank = relay.connect(0);
        peer = relay.connect(1);
        relay.events.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private void isCut() {
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
    }

    private void comesAgain(long deliveries, long events, long kept, StatePage.Entry... state) throws Refusal {
        comes(Hello.firstStart(OneRelay.JOB, 0).again(Hello.AGAIN, deliveries, 0, events, kept, 1), state);
    }

    private void comes(Hello hello, StatePage.Entry... state) throws Refusal {
        OneRelay.Rank next = relay.new Rank();
        relay.connect(hello, next, state);
        rank = next;
    }

    private void past(HistoryStep... steps) {
        relay.core.storage().historyRead(rank.rank, rank.rank.replay().number(), List.of(steps));
    }

    private void goesLive() throws WireException {
        past(new HistoryStep.End(rank.rank.job().journal().position()));
        rank.sends(relay.frames.live());
        rank.heard.removeIf(heard -> heard.startsWith("end of history"));
    }

    private void posts(OneRelay.Rank who, int source, int request, long ordinal) throws WireException {
        ByteBuffer post = relay.frames.post(0, source, who.rank.rank(), 0, request, 0);
        new FrameView().wrap(post, 0).ordinal(ordinal);
        who.sends(post);
    }

    private ByteBuffer send(int to, long sequence, int bytes) {
        return relay.frames.message(FrameType.SEND, 0, 0, to, 0, sequence, bytes);
    }

    private static ByteBuffer again(ByteBuffer frame) {
        FrameView view = new FrameView().wrap(frame, 0);
        view.flags(view.flags() | FrameView.AGAIN);
        return frame;
    }

    private Message logged(FrameType form, long sequence, long bytes) {
        return Message.of(new Message.Logged(
                0, 1, 0, 0, sequence, bytes, 1, 1, form, false, 1_000 + sequence, relay.journal.pretend((int) Math.min(bytes, CHUNK))));
    }

    /** Else it would stay where the mode of before has placed it. */
    @Test
    void replayedRankIsAskedToMoveOnceLive() throws Exception {
        isCut();
        comesAgain(0, 0, 0);
        rank.take();
        assertThat(relay.core.move(rank.rank)).as("it will").isTrue();
        rank.isRefused(relay.frames.moving(), CloseReason.NOT_EXPECTED);
        assertThat(rank.take()).isEmpty();
        goesLive();
        assertThat(rank.take()).containsExactly("move");
        rank.sends(relay.frames.moving());
        assertThat(rank.rank.state()).isEqualTo(RankState.MOVING);
    }

    // ---- what it has not read

    @Test
    void cutLosesOnlyFramesInFlight() throws Exception {
        posts(rank, 1, 1, 1);
        posts(rank, 1, 2, 2);
        posts(rank, 1, 3, 3);
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 2, 10));
        isCut();
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 3, 10));
        comesAgain(1, 0, 1);
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1 behind delivery 1, event 0");
        assertThat(relay.events).extracting(JobEvent::a).as("deliveries to come").containsExactly(0L, 1L);
        past(
                new HistoryStep.Delivered(1, 1, logged(FrameType.SEND, 1, 10), 10),
                new HistoryStep.Delivered(2, 2, logged(FrameType.SEND, 2, 10), 10));
        assertThat(rank.take()).as("the first it has").containsExactly("ack 0 safe, 0 handled", "push #2 from 1 to receive 2");
        relay.historySource.take();
        goesLive();
        assertThat(relay.historySource.take()).as("nothing is kept open for it").containsExactly("end rank 0 #1");
        posts(rank, 1, 3, 3);
        assertThat(rank.take()).as("what came meanwhile").containsExactly("deliver #3 from 1 to request 3");
        assertThat(rank.rank.deliveriesSent()).isEqualTo(3);
    }

    @Test
    void aMessageThatItHasInPartGoesOnWhereItIs() throws Exception {
        posts(rank, 1, 1, 1);
        peer.sends(relay.frames.message(FrameType.EAGER, 0, 1, 0, 0, 1, 2 * CHUNK + 3));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
        isCut();
        comesAgain(1, 0, 1, new StatePage.Entry(StatePage.ARRIVING, 0, 1, 1, 1, CHUNK));
        assertThat(relay.historySource.take()).as("read from that delivery on").containsExactly("begin rank 0 #1");
        Message message = logged(FrameType.EAGER, 1, 2 * CHUNK + 3);
        past(
                new HistoryStep.Delivered(1, 1, message, 0),
                new HistoryStep.Piece(message, 0, CHUNK, relay.journal.pretend(CHUNK)),
                new HistoryStep.Piece(message, CHUNK, CHUNK, relay.journal.pretend(CHUNK)));
        assertThat(rank.heard).contains("chunk of " + CHUNK).hasSize(2);
        past(new HistoryStep.End(rank.rank.job().journal().position()));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 2 * CHUNK, 3));
        assertThat(rank.take()).as("one chunk of the history, one that has just come").endsWith("end of history, 0 failed polls", "chunk of 3");
        rank.sends(relay.frames.live());
    }

    @Test
    void longMessagesThatItGotUnaskedComeOnceMoreAndTheNextIsAskedFor() throws Exception {
        posts(rank, 1, 1, 1);
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        rank.sends(relay.frames.ahead(0, 1, 0, 1 << 20, false));
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 2, CHUNK));
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 3, CHUNK));
        assertThat(rank.take()).containsExactly("deliver #1 from 1 to request 1", "push #2 from 1", "push #3 from 1");
        isCut();
        comesAgain(2, 0, 1);
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1 behind delivery 2, event 0");
        past(
                new HistoryStep.Delivered(2, 0, logged(FrameType.SEND, 2, CHUNK), CHUNK),
                new HistoryStep.Delivered(3, 0, logged(FrameType.SEND, 3, CHUNK), CHUNK));
        assertThat(rank.take()).as("one frame, the first it has").containsExactly("ack 0 safe, 0 handled", "push #3 from 1");
        goesLive();
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 4, CHUNK));
        assertThat(rank.take()).as("the round has ended with the connection").isEmpty();
        posts(rank, 1, 2, 4);
        assertThat(rank.take()).containsExactly("deliver #4 from 1 to request 2");
    }

    /** A process that was started again is given its history before it asks, and its connection breaks in the middle of a message of several chunks. */
    @Test
    void aLongMessageOfItsHistoryGoesOnWhereItIs() throws Exception {
        posts(rank, 1, 1, 1);
        posts(rank, 1, 2, 2);
        peer.sends(relay.frames.message(FrameType.EAGER, 0, 1, 0, 0, 1, 2 * CHUNK + 3));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 2 * CHUNK, 3));
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 2, CHUNK));
        isCut();
        Hello start = Hello.start(OneRelay.JOB, 0, 2);
        comes(start);
        Message begun = logged(FrameType.EAGER, 1, 2 * CHUNK + 3);
        past(new HistoryStep.Delivered(1, 1, begun, 0), new HistoryStep.Piece(begun, 0, CHUNK, relay.journal.pretend(CHUNK)));
        assertThat(rank.take()).containsExactly("push #1 from 1 to receive 1", "chunk of " + CHUNK);
        isCut();
        relay.historySource.take();
        comes(start.again(Hello.AGAIN, 1, 0, 0, 1, 1), new StatePage.Entry(StatePage.ARRIVING, 0, 1, 1, 1, CHUNK));
        assertThat(relay.historySource.take()).as("read from that delivery on").containsExactly("begin rank 0 #2");
        Message whole = logged(FrameType.EAGER, 1, 2 * CHUNK + 3);
        whole.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        whole.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        past(
                new HistoryStep.Delivered(1, 1, whole, 2 * CHUNK),
                new HistoryStep.Piece(whole, 2 * CHUNK, 3, relay.journal.pretend(3)),
                new HistoryStep.Delivered(2, 2, logged(FrameType.SEND, 2, CHUNK), CHUNK));
        assertThat(rank.take()).endsWith("chunk of " + CHUNK, "chunk of 3", "push #2 from 1 to receive 2").hasSize(4);
        goesLive();
    }

    @Test
    void eventsResentBeforeLiveAreNotReplayed() throws Exception {
        rank.sends(relay.frames.events(1, 1));
        isCut();
        comesAgain(0, 2, 1);
        rank.take();
        rank.sends(relay.frames.events(1, 1));
        rank.sends(relay.frames.events(2, 1));
        rank.sends(relay.frames.events(3, 1));
        assertThat(relay.journal.events).as("each once").hasSize(3);
        past(
                new HistoryStep.Events(1, 1, ByteBuffer.allocate(16)),
                new HistoryStep.Events(2, 1, ByteBuffer.allocate(16)),
                new HistoryStep.Events(3, 1, ByteBuffer.allocate(16)));
        assertThat(rank.take()).isEmpty();
        goesLive();
    }

    @Test
    void replaysEventsFromTheResumePoint() throws Exception {
        rank.sends(relay.frames.events(1, 2));
        rank.sends(relay.frames.events(3, 1));
        isCut();
        comesAgain(0, 2, 1);
        rank.take();
        past(new HistoryStep.Events(1, 2, ByteBuffer.allocate(32)), new HistoryStep.Events(3, 1, ByteBuffer.allocate(16)));
        assertThat(rank.take()).containsExactly("events 3 to 3, 0 failed polls");
        goesLive();
    }

    // ---- what it says again

    @Test
    void resentFramesAreHandledOnce() throws Exception {
        rank.sends(send(1, 1, 10));
        rank.sends(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 1, 2 * CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        isCut();
        relay.sites.clear();
        peer.take();
        long used = rank.rank.sends().creditBytesUsed();
        comesAgain(0, 0, 4);
        rank.sends(again(send(1, 1, 10)));
        rank.sends(again(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 1, 2 * CHUNK)));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        assertThat(rank.rank.sends().creditBytesUsed()).as("no credit twice").isEqualTo(used);
        assertThat(relay.sites).isEmpty();
        rank.sends(relay.frames.chunk(0, 0, 3, 1, CHUNK, CHUNK));
        assertThat(relay.sites).containsExactly("forward there CHUNK 0->3 #1");
        posts(peer, 0, 5, 1);
        posts(peer, 0, 6, 2);
        assertThat(peer.take()).containsExactly("deliver #1 from 0 to request 5");
        goesLive();
    }

    @Test
    void onlyResentFramesMayExceedCredit() throws Exception {
        isCut();
        comesAgain(0, 0, 1);
        int bytes = 60_000;
        long sequence = 0;
        while (rank.rank.sends().credit().has(Wire.cost(bytes), relay.config)) {
            rank.sends(again(send(3, ++sequence, bytes)));
        }
        rank.sends(again(send(3, ++sequence, bytes)));
        assertThat(rank.rank.sends().creditMessagesUsed()).isGreaterThan(relay.config.creditMessages());
        rank.isRefused(send(3, ++sequence, bytes), CloseReason.CREDIT_EXCEEDED);
        goesLive();
    }

    @Test
    void returningRankReceivesClearsOfItsOffers() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 2 * CHUNK));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 2 * CHUNK));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 2, 0));
        isCut();
        posts(peer, 0, 5, 1);
        posts(peer, 0, 6, 2);
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 2 * CHUNK));
        comesAgain(
                0, 0, 4,
                new StatePage.Entry(StatePage.OFFERED, 0, 1, 0, 1, 2 * CHUNK),
                new StatePage.Entry(StatePage.OFFERED, 0, 3, 0, 1, 2 * CHUNK),
                new StatePage.Entry(StatePage.OFFERED, 0, 1, 0, 2, 0));
        assertThat(rank.take())
                .contains("clear ->1 #1 up to " + 2 * CHUNK, "clear ->3 #1 up to " + 2 * CHUNK, "clear ->1 #2 up to 0");
        goesLive();
    }

    /** What is said of a rank that does not exist says nothing. */
    @Test
    void clearOfOfferToRankZeroIsSentToo() throws Exception {
        peer.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, CHUNK));
        relay.core.disconnected(peer.rank, peer, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
        posts(rank, 1, 1, 1);
        OneRelay.Rank next = relay.new Rank();
        relay.connect(
                Hello.firstStart(OneRelay.JOB, 1).again(Hello.AGAIN, 0, 0, 0, 2, 1),
                next,
                new StatePage.Entry(StatePage.OFFERED, 0, 0, 0, 1, CHUNK),
                new StatePage.Entry(StatePage.OFFERED, 0, 5, 0, 1, CHUNK),
                new StatePage.Entry(StatePage.OFFERED, 0, -1, 0, 1, CHUNK));
        assertThat(next.take()).contains("clear ->0 #1 up to " + CHUNK).hasSize(2);
    }

    // ---- who may come

    @Test
    void aRelayThatKnowsLessThanTheRankTellsItToBeRestarted() {
        isCut();
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> comesAgain(1, 0, 1))
                .withMessageStartingWith("restart")
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.CANNOT_RESUME));
    }

    /** The host has lost that it was let in: it must be known from now on, and may know nothing that was lost with that, nor have let go of what it has sent. */
    @Test
    void aNewerProcessThanIsKnownIsLetInIfItKnowsNothing() throws Exception {
        isCut();
        relay.journal.incarnations.clear();
        Hello start = Hello.start(OneRelay.JOB, 0, 2);
        for (Hello knows : List.of(start.again(Hello.AGAIN, 0, 1, 0, 1, 1), start.again(Hello.AGAIN, 0, 0, 1, 1, 1), start.again(Hello.AGAIN, 0, 0, 0, 2, 1))) {
            assertThatExceptionOfType(Refusal.class).isThrownBy(() -> comes(knows)).withMessageStartingWith("restart");
        }
        assertThat(relay.journal.incarnations).isEmpty();
        comes(start.again(Hello.AGAIN, 0, 0, 0, 1, 1));
        assertThat(relay.journal.incarnations).containsExactly(2);
        isCut();
        comes(start.again(Hello.AGAIN, 0, 0, 0, 1, 1));
        assertThat(relay.journal.incarnations).as("known").containsExactly(2);
        goesLive();
    }

    @Test
    void anOldConnectionThatHangsIsReplaced() throws Exception {
        OneRelay.Rank old = rank;
        comesAgain(0, 0, 1);
        assertThat(old.take()).containsExactly("close FENCED");
        relay.core.disconnected(old.rank, old, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "late"));
        assertThat(rank.rank.state()).isEqualTo(RankState.REPLAYING);
        goesLive();
        assertThat(rank.rank.state()).isEqualTo(RankState.CONNECTED);
    }

    @Test
    void aRankThatHasFinalizedComesAgainAndFinalizesAgain() throws Exception {
        rank.sends(relay.frames.finalizing(0));
        assertThat(rank.take()).containsExactly("finalized");
        comesAgain(0, 0, 1);
        goesLive();
        rank.take();
        rank.sends(relay.frames.finalizing(0));
        assertThat(rank.take()).containsExactly("finalized");
    }

    @Test
    void anOlderIncarnationIsFenced() throws Exception {
        isCut();
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> comesAgain(0, 0, 1))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
    }

    @Test
    void aProcessWhoseWelcomeWasLostIsNoStranger() throws Exception {
        Hello hello = Hello.firstStart(OneRelay.JOB, 0);
        assertThatExceptionOfType(Refusal.class).as("beside one that is there").isThrownBy(() -> comes(hello));
        isCut();
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> comes(hello))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.REFUSED, JobEvent.AWAY);
        comes(Hello.start(OneRelay.JOB, 0, 2));
        isCut();
        assertThatExceptionOfType(Refusal.class).as("an older process").isThrownBy(() -> comes(hello));
        assertThat(relay.events).last().extracting(JobEvent::kind).isEqualTo(JobEvent.REFUSED);
    }

    // ---- what is safe

    @Test
    void acknowledgesLocallyLoggedFramesInBatchesOrOnRequest() throws Exception {
        for (int event = 1; event <= 255; event++) {
            rank.sends(relay.frames.events(event, 1));
        }
        assertThat(rank.take()).isEmpty();
        rank.sends(relay.frames.events(256, 1));
        assertThat(rank.take()).containsExactly("ack 256 safe, 256 handled");
        ByteBuffer asks = relay.frames.events(257, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW);
        rank.sends(asks);
        assertThat(rank.take()).containsExactly("ack 257 safe, 257 handled");
        for (int event = 258; event <= 512; event++) {
            rank.sends(relay.frames.events(event, 1));
        }
        assertThat(rank.take()).isEmpty();
        rank.sends(relay.frames.events(513, 1));
        assertThat(rank.take()).containsExactly("ack 513 safe, 513 handled");
    }

    @Test
    void acknowledgesLocallyLoggedFramesEachMebibyte() throws Exception {
        for (int told = 0; told < 48; told += 16) {
            observes(told, 15);
            assertThat(rank.take()).isEmpty();
            observes(told + 15, 1);
            assertThat(rank.take()).containsExactly("ack " + (told + 16) + " safe, " + (told + 16) + " handled");
        }
    }

    /** What the rank prints behind its answer may follow from them. */
    @Test
    void pollsThatFailedBehindTheLastEventAreLoggedBeforeItIsAnswered() throws Exception {
        ByteBuffer asks = relay.frames.events(1, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW).events(1, 1, 7);
        rank.sends(asks);
        assertThat(rank.take()).containsExactly("ack 1 safe, 1 handled");
        assertThat(rank.rank.counters().failedPolls()).isEqualTo(7);
        assertThat(relay.journal.polls).isEqualTo(7);
    }

    @Test
    void frameToAnotherRelayIsSafeOnceHandledThere() throws Exception {
        rank.sends(send(3, 1, 10));
        rank.sends(relay.frames.events(1, 1));
        ByteBuffer asks = relay.frames.events(2, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW);
        rank.sends(asks);
        assertThat(rank.take()).containsExactly("ack 0 safe, 3 handled");
        relay.core.handled(relay.there, false, 1);
        assertThat(rank.take()).as("it had asked").containsExactly("ack 3 safe, 3 handled");
    }

    @Test
    void nothingIsSafeBehindTheFirstThatIsNot() throws Exception {
        rank.sends(send(3, 1, 10));
        rank.sends(send(4, 1, 10));
        rank.sends(send(4, 2, 10));
        relay.core.handled(relay.far, false, 1);
        asks();
        assertThat(rank.take()).containsExactly("ack 0 safe, 4 handled");
        relay.core.handled(relay.there, false, 1);
        asks();
        assertThat(rank.take()).containsExactly("ack 2 safe, 5 handled");
        relay.core.handled(relay.far, false, 2);
        assertThat(rank.take()).containsExactly("ack 5 safe, 5 handled");
    }

    private void asks() throws WireException {
        ByteBuffer asks = relay.frames.events(rank.rank.counters().events() + 1, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW);
        rank.sends(asks);
    }

    @Test
    void acknowledgesFramesToLocalRanksInBatches() throws Exception {
        for (int sequence = 1; sequence <= 256; sequence++) {
            assertThat(rank.take()).noneMatch(heard -> heard.startsWith("ack"));
            posts(peer, 0, sequence, sequence);
            rank.sends(send(1, sequence, 10));
        }
        assertThat(rank.take()).endsWith("ack 256 safe, 256 handled");
    }

    /** A site that is cut off holds up what was sent there, and nothing that was sent later and to others. */
    @Test
    void acknowledgesOtherFramesThoughOneSiteHandlesNothing() throws Exception {
        rank.sends(send(3, 1, 10));
        rank.sends(send(4, 1, 10));
        observes(0, 16);
        assertThat(rank.take()).containsExactly("ack 0 safe, 18 handled, not safe from [19, 1, 2]");
        relay.core.handled(relay.far, false, 1);
        rank.sends(send(4, 2, 10));
        observes(16, 16);
        assertThat(rank.take()).containsExactly("ack 0 safe, 35 handled, not safe from [36, 1, 19]");
        relay.core.handled(relay.far, false, 2);
        relay.core.handled(relay.there, false, 1);
        assertThat(rank.take()).containsExactly("ack 35 safe, 35 handled");
    }

    /** Much of it is held up, but there is nothing to tell. */
    @Test
    void sendsNoAcknowledgementWhenNoFrameIsSafe() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 40 * CHUNK));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 40 * CHUNK));
        rank.take();
        for (int chunk = 0; chunk < 40; chunk++) {
            rank.sends(relay.frames.chunk(0, 0, 3, 1, chunk * CHUNK, CHUNK));
        }
        assertThat(rank.take()).isEmpty();
    }

    /** So many frames of 65,568 bytes that are for the relay alone. */
    private void observes(int before, int frames) throws Exception {
        for (int i = before; i < before + frames; i++) {
            rank.sends(relay.frames.events(1 + i * Wire.EVENTS_MAX, Wire.EVENTS_MAX));
        }
    }

    @Test
    void finalizeWaitsUntilAllSentFramesAreSafe() throws Exception {
        rank.sends(send(3, 1, 10));
        rank.sends(send(3, 2, 10));
        rank.sends(relay.frames.finalizing(0));
        relay.core.handled(relay.there, false, 1);
        assertThat(rank.take()).isEmpty();
        assertThat(rank.rank.state()).isEqualTo(RankState.CONNECTED);
        relay.core.handled(relay.there, false, 2);
        assertThat(rank.take()).containsExactly("finalized");
        assertThat(rank.rank.state()).isEqualTo(RankState.FINALIZED);
    }

    /** Frames of the connection before that were not safe stand before those of this one. */
    @Test
    void safetyGoesOnOverConnections() throws Exception {
        rank.sends(send(3, 1, 10));
        isCut();
        comesAgain(0, 0, 8);
        goesLive();
        rank.sends(send(1, 1, 10));
        rank.take();
        relay.core.handled(relay.there, false, 1);
        assertThat(rank.take()).containsExactly("ack 8 safe, 8 handled");
    }

    /** It numbers its frames from 1, and would forget those that are not safe yet. */
    @Test
    void acknowledgementsStartAnewForTheNextProcess() throws Exception {
        for (int event = 1; event <= 3; event++) {
            rank.sends(relay.frames.events(event, 1));
        }
        rank.sends(send(3, 1, 10));
        isCut();
        comes(Hello.start(OneRelay.JOB, 0, 2));
        rank.take();
        ByteBuffer asks = relay.frames.events(1, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW);
        rank.sends(asks);
        assertThat(rank.take()).containsExactly("ack 0 safe, 1 handled");
        relay.core.handled(relay.there, false, 1);
        assertThat(rank.take()).containsExactly("ack 1 safe, 1 handled");
        goesLive();
    }

    /** It is told to begin again what nobody else keeps; by the time that it does that was handled, and no other word of it comes. */
    @Test
    void resentMessageAlreadyHandledIsSafeAtOnce() throws Exception {
        rank.sends(send(3, 1, 10));
        isCut();
        comes(Hello.start(OneRelay.JOB, 0, 2));
        relay.core.handled(relay.there, false, 1);
        rank.take();
        rank.sends(again(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 1, 10)));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, 10));
        ByteBuffer asks = relay.frames.events(1, 1);
        new FrameView().wrap(asks, 0).flags(FrameView.ACK_NOW);
        rank.sends(asks);
        assertThat(rank.take()).containsExactly("ack 3 safe, 3 handled");
        goesLive();
    }
}
