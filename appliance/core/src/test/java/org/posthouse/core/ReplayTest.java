package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank of a logged job dies and comes again: what it is told, what it is given again and in which order, what goes on. */
final class ReplayTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    private static final CloseNotice GONE = CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended");

    private final OneRelay relay;
    private final OneRelay.Rank peer;
    private OneRelay.Rank rank;

    ReplayTest() throws Exception {
        relay = OneRelay.logged();
        rank = relay.connect(0);
        peer = relay.connect(1);
        relay.events.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    // ---- what happens

    private void dies() {
        relay.core.disconnected(rank.rank, rank, GONE);
        assertThat(rank.rank.state()).isEqualTo(RankState.AWAY);
    }

    private void comes(int incarnation) throws Refusal {
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, incarnation), next);
        rank = next;
    }

    @Test
    void aProcessWhoseComingCannotBeLoggedIsRefusedByNameAndItsJobEnds() {
        dies();
        relay.journal.full = true;
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> comes(2))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.LOG_BROKEN));
        assertThat(relay.failure()).startsWith("LOG_BROKEN: incarnation 2 of rank 0");
    }

    private void past(HistoryStep... steps) {
        relay.core.storage().historyRead(rank.rank, rank.rank.replay().number(), List.of(steps));
    }

    private HistoryStep.End end() {
        return new HistoryStep.End(rank.rank.job().journal().position());
    }

    private void goesLive() throws WireException {
        past(end());
        assertThat(rank.heard).contains("end of history, 0 failed polls");
        rank.heard.removeIf(heard -> heard.startsWith("end of history"));
        rank.sends(relay.frames.live());
    }

    private void posts(int request, long ordinal) throws WireException {
        posts(1, request, ordinal);
    }

    private void posts(int source, int request, long ordinal) throws WireException {
        ByteBuffer post = relay.frames.post(0, source, 0, 0, request, 0);
        new FrameView().wrap(post, 0).ordinal(ordinal);
        rank.sends(post);
    }

    private void peerSends(long sequence, int bytes) throws WireException {
        peer.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, sequence, bytes));
    }

    private static HistoryStep.Delivered delivered(long number, long ordinal, Message message) {
        return new HistoryStep.Delivered(number, ordinal, message, message.arrived());
    }

    /** A short message to the rank that the log has. */
    private Message logged(int source, long sequence) {
        return logged(FrameType.SEND, source, sequence, 10);
    }

    private Message logged(FrameType form, int source, long sequence, long bytes) {
        return Message.of(new Message.Logged(
                0, source, 0, 0, sequence, bytes, 1, 1, form, false, 1_000 + sequence, relay.journal.pretend((int) bytes)));
    }

    // ---- the tests

    @Test
    void aRankWhoseConnectionEndsIsAwaited() throws Exception {
        posts(1, 1);
        dies();
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.AWAY);
        assertThat(rank.rank.mailbox().posted()).as("receives end with their process").isZero();
        peerSends(1, 10);
        assertThat(peer.take()).as("it is stored").containsExactly("credit 266 bytes 1 messages");
        comes(2);
        assertThat(rank.rank.state()).isEqualTo(RankState.REPLAYING);
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.AWAY, JobEvent.REPLAYING);
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1");
        assertThat(rank.take()).as("new messages wait for the end of the history").isEmpty();
        goesLive();
        posts(1, 1);
        assertThat(rank.take()).containsExactly("deliver #1 from 1 to request 1");
        assertThat(rank.rank.state()).isEqualTo(RankState.CONNECTED);
        assertThat(relay.events).extracting(JobEvent::kind).endsWith(JobEvent.CAUGHT_UP);
    }

    @Test
    void itGetsItsDeliveriesAgainInTheOrderOfTheLog() throws Exception {
        peerSends(1, 10);
        peerSends(2, 10);
        posts(1, 1);
        posts(2, 2);
        dies();
        comes(2);
        assertThat(rank.welcome.deliveries()).isEqualTo(2);
        past(delivered(1, 2, logged(1, 1)), delivered(2, 1, logged(1, 2)));
        assertThat(rank.take()).as("unasked").containsExactly("push #1 from 1 to receive 2", "push #2 from 1 to receive 1");
        goesLive();
        peerSends(3, 10);
        posts(7, 3);
        assertThat(rank.take()).containsExactly("deliver #3 from 1 to request 7");
        assertThat(rank.rank.deliveriesSent()).isEqualTo(3);
    }

    /** What it posts could only match something else than it did. */
    @Test
    void aRankThatIsReplayedAsksForNothing() throws Exception {
        dies();
        comes(2);
        rank.isRefused(relay.frames.post(0, 1, 0, 0, 7, 0), CloseReason.NOT_EXPECTED);
        rank.isRefused(relay.frames.cancel(0, 1, 0, 0, 7, 0), CloseReason.NOT_EXPECTED);
        rank.isRefused(relay.frames.probe(false, 0, 1, 0, 0, 1, 0), CloseReason.NOT_EXPECTED);
        peerSends(1, 10);
        past(end());
        assertThat(rank.take()).containsExactly("end of history, 0 failed polls");
        rank.isRefused(relay.frames.post(0, 1, 0, 0, 7, 0), CloseReason.NOT_EXPECTED);
        rank.sends(relay.frames.live());
        posts(7, 1);
        posts(8, 2);
        assertThat(rank.take()).containsExactly("deliver #1 from 1 to request 7");
        assertThat(rank.rank.mailbox().posted()).isEqualTo(1);
    }

    /** What the log has is not read faster than the rank reads. */
    @Test
    void theHistoryGoesOutAsTheRankReads() throws Exception {
        dies();
        comes(2);
        relay.historySource.take();
        rank.reads = false;
        HistoryStep[] steps = new HistoryStep[Replay.AHEAD_MIN];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = delivered(i + 1, i + 1, logged(1, i + 1));
        }
        past(steps);
        assertThat(rank.take()).isEmpty();
        assertThat(relay.historySource.take()).as("it has enough").isEmpty();
        rank.reads = true;
        relay.core.writable(rank.rank);
        assertThat(rank.take()).hasSize(steps.length).endsWith("push #512 from 1 to receive 512");
        assertThat(relay.historySource.take()).containsExactly("more rank 0 #1");
    }

    @Test
    void eventsComeBetweenDeliveriesAsTheyWere() throws Exception {
        rank.sends(relay.frames.events(1, 2));
        rank.sends(relay.frames.events(3, 1));
        rank.isRefused(relay.frames.events(5, 1), CloseReason.SEQUENCE_GAP);
        rank.isRefused(relay.frames.events(3, 2), CloseReason.SEQUENCE_GAP);
        assertThat(relay.journal.events).containsExactly("rank 0 events 1 to 2", "rank 0 events 3 to 3");
        dies();
        comes(2);
        assertThat(rank.welcome.events()).isEqualTo(3);
        past(
                new HistoryStep.Events(1, 2, ByteBuffer.allocate(32)),
                delivered(1, 1, logged(1, 1)),
                new HistoryStep.Events(3, 1, ByteBuffer.allocate(16)));
        assertThat(rank.take())
                .containsExactly("events 1 to 2, 0 failed polls", "push #1 from 1 to receive 1", "events 3 to 3, 0 failed polls");
        goesLive();
        rank.sends(relay.frames.events(4, 1));
    }

    /** Else a rank that has polled in vain would have to read on to know it, past what it receives later. */
    @Test
    void failedPollsAreReplayedBeforeLaterEvents() throws Exception {
        dies();
        comes(2);
        past(
                new HistoryStep.Polls(3),
                new HistoryStep.Events(1, 1, ByteBuffer.allocate(16)),
                new HistoryStep.Polls(5),
                delivered(1, 1, logged(1, 1)),
                new HistoryStep.Polls(9),
                new HistoryStep.Polls(11),
                delivered(2, 2, logged(1, 2)));
        assertThat(rank.take())
                .containsExactly(
                        "events 1 to 1, 3 failed polls",
                        "events 2 to 1, 5 failed polls",
                        "push #1 from 1 to receive 1",
                        "events 2 to 1, 11 failed polls",
                        "push #2 from 1 to receive 2");
        goesLive();
    }

    /** 32 bits of them are told. */
    @Test
    void largeFailedPollCountsAreReplayedInSteps() throws Exception {
        dies();
        comes(2);
        past(new HistoryStep.Polls(5L << 30), new HistoryStep.Events(1, 1, ByteBuffer.allocate(16)));
        assertThat(rank.take())
                .containsExactly(
                        "events 1 to 0, " + (1 << 30) + " failed polls",
                        "events 1 to 0, " + (2 << 30) + " failed polls",
                        "events 1 to 0, " + (3 << 30) + " failed polls",
                        "events 1 to 0, 0 failed polls",
                        "events 1 to 1, " + (1 << 30) + " failed polls");
        goesLive();
    }

    /** However long ago it had said that: what a process says again adds none. */
    @Test
    void repeatedFailedPollCountsAddNone() throws Exception {
        rank.rank.learnFailedPolls(1 << 30);
        rank.rank.learnFailedPolls(2 << 30);
        rank.rank.learnFailedPolls(3 << 30);
        dies();
        comes(2);
        rank.rank.learnFailedPolls(5);
        assertThat(rank.rank.counters().failedPolls()).isEqualTo(3L << 30);
        past(end());
        rank.take();
        rank.sends(relay.frames.live());
        rank.rank.learnFailedPolls((3 << 30) + 1);
        assertThat(rank.rank.counters().failedPolls()).isEqualTo((3L << 30) + 1);
    }

    @Test
    void replayLimitIsReportedAndLogged() throws Exception {
        ByteBuffer limit = relay.frames.events(1, 2);
        limit.put(Wire.EVENTS_HEADER_BYTES + Wire.EVENT_BYTES + 4, (byte) Wire.EVENT_LIMIT);
        limit.putLong(Wire.EVENTS_HEADER_BYTES + Wire.EVENT_BYTES + 8, ReplayLimit.THREADS.code());
        rank.sends(limit);
        assertThat(relay.journal.events).containsExactly("rank 0 events 1 to 2, limited");
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.LIMITED);
        assertThat(relay.events).extracting(JobEvent::text).containsExactly(ReplayLimit.THREADS.text());
    }

    @Test
    void divergenceIsReportedToTheLauncher() throws Exception {
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 1, 10));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 10));
        dies();
        comes(2);
        relay.historySource.take();
        relay.sites.clear();
        rank.sends(relay.frames.resent(0, 1, 1));
        rank.sends(relay.frames.resent(0, 3, 1));
        assertThat(relay.historySource.take()).containsExactly("resent by 0 #1 to 1");
        assertThat(relay.sites).as("compared where it is logged").containsExactly("forward there RESENT 0->3 #1");
        relay.fromSite("there", relay.frames.resent(3, 1, 4));
        assertThat(relay.historySource.take()).containsExactly("resent by 3 #4 to 1");
        relay.core.storage().diverged(OneRelay.JOB, 0, new ResendClaim(0, 1, 1, 0, 10, 10, 1, 0), "bytes 10 instead of 12");
        assertThat(relay.events.getLast().text())
                .isEqualTo("was restarted and does not send what it sent before: message 1 to rank 1 in context 0 has bytes 10"
                        + " instead of 12");
        goesLive();
    }

    @Test
    void aHistoryWithAGapEndsTheJob() throws Exception {
        dies();
        comes(2);
        past(delivered(2, 2, logged(1, 2)));
        assertThat(relay.failure()).contains("LOG_DAMAGED", "delivery 2 where 1 was expected");
        assertThat(rank.take()).isEmpty();
        past(new HistoryStep.Events(2, 1, ByteBuffer.allocate(16)));
        assertThat(rank.take()).isEmpty();
        assertThat(relay.journal.isBroken(OneRelay.JOB)).as("so that no other core of the relay takes for safe what this one drops").isTrue();
    }

    @Test
    void aHistoryThatCannotBeReadEndsTheJob() throws Exception {
        dies();
        comes(2);
        relay.core.storage().historyUnreadable(rank.rank, rank.rank.replay().number(), "page 3 is damaged");
        assertThat(relay.failure()).contains("LOG_DAMAGED: the history of", "rank 0: page 3 is damaged");
        assertThat(relay.journal.isBroken(OneRelay.JOB)).as("so that no other core of the relay takes for safe what this one drops").isTrue();
    }

    @Test
    void anAbortIsReportedAlthoughTheLogHasFailedAndOtherFramesAreDropped() throws Exception {
        relay.journal.giveUp(OneRelay.JOB, "the disk is full");
        relay.events.clear();
        relay.trace.clear();
        relay.sites.clear();
        relay.blocked(rank.rank, new BlockedReport(OneRelay.JOB, 0, 0, 5, 0, 1, "Recv(source 1, tag 7)", 0));
        relay.pointed(rank.rank, new CheckpointNotice(OneRelay.JOB, CheckpointNotice.Kind.SAVE, 0, 1, 100, 0, 0, 0, 0, 0));
        rank.sends(relay.frames.finalizing(0));
        assertThat(relay.events).isEmpty();
        assertThat(relay.sites).isEmpty();
        assertThat(relay.trace).isEmpty();
        rank.sends(new CloseNotice(OneRelay.JOB, 3, 0, "the program gives up").encode(FrameType.ABORT).slice());
        assertThat(relay.events).hasSize(1).first().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(JobEvent.ABORTED);
            assertThat(event.code()).isEqualTo(3);
            assertThat(event.text()).isEqualTo("the program gives up");
        });
    }

    @Test
    void gapInLoggedEventsEndsTheJob() throws Exception {
        dies();
        comes(2);
        past(new HistoryStep.Events(2, 1, ByteBuffer.allocate(16)));
        assertThat(relay.failure()).contains("LOG_DAMAGED", "event 2 where 1 was expected");
        assertThat(rank.take()).isEmpty();
    }

    @Test
    void aLongMessageComesInItsPiecesAsTheRankReads() throws Exception {
        dies();
        comes(2);
        Message message = logged(FrameType.EAGER, 1, 1, 2 * CHUNK + 3);
        message.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        rank.reads = false;
        past(delivered(1, 1, message));
        assertThat(rank.take()).as("it does not read").isEmpty();
        rank.reads = true;
        relay.core.writable(rank.rank);
        assertThat(rank.take()).containsExactly("push #1 from 1 to receive 1", "chunk of " + CHUNK);
        past(
                new HistoryStep.Piece(message, CHUNK, CHUNK, relay.journal.pretend(CHUNK)),
                new HistoryStep.Piece(message, 2 * CHUNK, 3, relay.journal.pretend(3)));
        assertThat(rank.take()).containsExactly("chunk of " + CHUNK, "chunk of 3");
        goesLive();
    }

    /** What arrives of a matched message while its receiver is away is logged, and is a part of its history. */
    @Test
    void aMessageThatIsHalfWayGoesOnBehindTheHistory() throws Exception {
        posts(1, 1);
        peer.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, 40 * CHUNK));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        assertThat(peer.take()).endsWith("clear ->0 #1 up to " + 3 * CHUNK);
        dies();
        peer.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
        peer.take();
        comes(2);
        assertThat(peer.take()).isEmpty();
        past(end());
        assertThat(rank.take()).containsExactly("end of history, 0 failed polls");
        assertThat(peer.take()).as("its sender may go on").containsExactly("clear ->0 #1 up to " + 4 * CHUNK);
        rank.sends(relay.frames.live());
        assertThat(peer.take()).isEmpty();
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 2 * CHUNK, CHUNK));
        assertThat(rank.take()).containsExactly("chunk of " + CHUNK);
    }

    @Test
    void chunksBetweenEndOfHistoryAndLiveAreForwarded() throws Exception {
        posts(1, 1);
        peer.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, 2 * CHUNK));
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        dies();
        comes(2);
        past(end());
        peer.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
        assertThat(rank.take()).containsExactly("end of history, 0 failed polls", "chunk of " + CHUNK);
        rank.sends(relay.frames.live());
        assertThat(rank.rank.incoming().arriving()).isEmpty();
    }

    @Test
    void historyGoesOnUntilNothingWasLoggedBehindIt() throws Exception {
        posts(1, 1);
        peer.sends(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, 4 * CHUNK));
        dies();
        comes(2);
        relay.historySource.take();
        HistoryStep.End early = end();
        peer.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        past(early);
        assertThat(rank.take()).isEmpty();
        assertThat(relay.historySource.take()).containsExactly("more rank 0 #1");
        rank.isRefused(relay.frames.live(), CloseReason.NOT_EXPECTED);
        goesLive();
    }

    @Test
    void restartedRankReceivesTheStateOfItsChannels() throws Exception {
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 1, 10));
        rank.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 2, 2 * CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 1, 2, 0, CHUNK));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 10));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 2, 100));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 3, 0));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 4, 100));
        rank.sends(relay.frames.withdraw(0, 0, 1, 4, 0));
        dies();
        comes(2);
        assertThat(OpenChannels.state(rank.rank))
                .containsExactlyInAnyOrder(
                        new StatePage.Entry(StatePage.ACCEPTED, 0, 1, 4),
                        new StatePage.Entry(StatePage.OPEN, 0, 1, FrameType.EAGER.id(), 2, CHUNK),
                        new StatePage.Entry(StatePage.OPEN, 0, 1, FrameType.OFFER.id(), 3, 0),
                        new StatePage.Entry(StatePage.GONE, 0, 1, 4),
                        new StatePage.Entry(StatePage.ACCEPTED, 0, 3, 2),
                        new StatePage.Entry(StatePage.OPEN, 0, 3, FrameType.EAGER.id(), 1, 0),
                        new StatePage.Entry(StatePage.OPEN, 0, 3, FrameType.OFFER.id(), 2, 0));
        goesLive();
    }

    /** If this relay died, too, nobody else would have what is on its way. */
    @Test
    void restartedRankResendsMessagesUnhandledByAnotherRelay() throws Exception {
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 10));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 2, 10));
        dies();
        comes(2);
        StatePage.Entry accepted = new StatePage.Entry(StatePage.ACCEPTED, 0, 3, 2);
        StatePage.Entry second = new StatePage.Entry(StatePage.OPEN, 0, 3, FrameType.EAGER.id(), 2, 0);
        assertThat(OpenChannels.state(rank.rank))
                .containsExactlyInAnyOrder(accepted, new StatePage.Entry(StatePage.OPEN, 0, 3, FrameType.EAGER.id(), 1, 0), second);
        relay.core.handled(relay.there, false, 1);
        assertThat(OpenChannels.state(rank.rank)).containsExactlyInAnyOrder(accepted, second);
        relay.sites.clear();
        rank.sends(again(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 2, 10)));
        rank.sends(relay.frames.chunk(0, 0, 3, 2, 0, 10));
        assertThat(relay.sites).as("it is on its way").isEmpty();
        dies();
        comes(3);
        assertThat(OpenChannels.state(rank.rank)).as("nobody has heard of it since").containsExactlyInAnyOrder(accepted, second);
        relay.core.handled(relay.there, false, 2);
        assertThat(OpenChannels.state(rank.rank)).containsExactly(accepted);
        goesLive();
    }

    /** It was offered, cleared and sent, and has not been handled there: only its rank can keep it, and begins it again as an offer for its length. */
    @Test
    void itSaysAgainAndKeepsALongMessageThatAnotherRelayHasNotHandled() throws Exception {
        int bytes = Wire.EAGER_BYTES_MAX + CHUNK;
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, bytes));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, bytes));
        for (int from = 0; from < bytes; from += CHUNK) {
            rank.sends(relay.frames.chunk(0, 0, 3, 1, from, CHUNK));
        }
        dies();
        comes(2);
        StatePage.Entry accepted = new StatePage.Entry(StatePage.ACCEPTED, 0, 3, 1);
        StatePage.Entry kept = new StatePage.Entry(StatePage.OPEN, 0, 3, FrameType.EAGER.id(), 1, 0);
        assertThat(OpenChannels.state(rank.rank)).containsExactlyInAnyOrder(accepted, kept);
        relay.sites.clear();
        rank.take();
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, bytes)));
        assertThat(rank.take()).containsExactly("clear ->3 #1 up to " + bytes);
        for (int from = 0; from < bytes; from += CHUNK) {
            rank.sends(relay.frames.chunk(0, 0, 3, 1, from, CHUNK));
        }
        assertThat(relay.sites).as("it is on its way").isEmpty();
        relay.core.handled(relay.there, false, 1 + bytes / CHUNK);
        assertThat(OpenChannels.state(rank.rank)).containsExactly(accepted);
        goesLive();
    }

    /** The answer to the process before comes between what this one is told and what it says: to go on would be to send what nobody waits for. */
    @Test
    void anOfferThatWasTakenBackMeanwhileDoesNotGoOn() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 10));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        dies();
        comes(2);
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, true));
        rank.take();
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 10)));
        assertThat(rank.take()).isEmpty();
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #1 true");
        goesLive();
    }

    @Test
    void anEagerMessageOfWhichHalfCameIsCompletedByItsRepetition() throws Exception {
        rank.sends(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, 2 * CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        dies();
        comes(2);
        Welcome welcome = rank.welcome;
        assertThat(welcome.creditBytes()).isEqualTo(relay.config.creditBytes() - Wire.cost(2 * CHUNK));
        rank.sends(again(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, 2 * CHUNK)));
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, CHUNK));
        assertThat(rank.take())
                .as("what it took when it was begun first")
                .containsExactly("credit " + Wire.cost(2 * CHUNK) + " bytes 1 messages");
        peer.sends(relay.frames.post(0, 0, 1, 0, 5, 0));
        assertThat(peer.take())
                .containsExactly("deliver #1 from 0 to request 5", "chunk of " + CHUNK, "chunk of " + CHUNK);
        goesLive();
    }

    /** Nobody has the bytes that are missing, and what the other process has are others: it cannot be started often enough. */
    @ParameterizedTest
    @CsvSource({"OFFER, OFFER, 1", "OFFER, OFFER, 300", "EAGER, EAGER, 1", "EAGER, EAGER, 3", "EAGER, SEND, 0"})
    void aMessageOfWhichAPartIsThereEndsTheJobIfItHasAnotherLengthNow(FrameType before, FrameType now, int chunks) throws Exception {
        for (int to : new int[] {1, 3}) {
            rank.sends(relay.frames.message(before, 0, 0, to, 0, 1, 2 * CHUNK));
        }
        peer.sends(relay.frames.post(0, 0, 1, 0, 5, 0));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, CHUNK));
        dies();
        for (int to : new int[] {1, 3}) {
            comes(to + 1);
            relay.events.clear();
            rank.isRefused(again(relay.frames.message(now, 0, 0, to, 0, 1, chunks * CHUNK)), CloseReason.CANNOT_RESUME);
            assertThat(rank.take()).as("no word on a message that it does not have").isEmpty();
            assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.DIVERGED, JobEvent.ABORTED);
            assertThat(relay.events).extracting(JobEvent::rank).containsOnly(0);
            assertThat(relay.events.getLast().code()).as("not a status to be started again with").isEqualTo(71);
            assertThat(relay.failure()).isEqualTo("has diverged in message 1 to rank " + to + " in context 0, which it had begun to send with "
                    + 2 * CHUNK + " bytes and now has with " + chunks * CHUNK + ": nobody has the rest");
            dies();
        }
    }

    private static ByteBuffer again(ByteBuffer frame) {
        FrameView view = new FrameView().wrap(frame, 0);
        view.flags(view.flags() | FrameView.AGAIN);
        return frame;
    }

    /** The word was held while the log had no room; the process that came meanwhile has heard it otherwise, and is done with the message. */
    @Test
    void discardsHeldClearOfAnEndedProcess() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 100));
        relay.journal.holds = true;
        peer.sends(relay.frames.post(0, 0, 1, 0, 1, 0));
        assertThat(rank.take()).isEmpty();
        dies();
        comes(2);
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 100)));
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, 100));
        goesLive();
        assertThat(rank.take()).containsExactly("clear ->1 #1 up to 100");
        relay.journal.holds = false;
        relay.core.roomChanged(false, "");
        assertThat(rank.take()).isEmpty();
    }

    /** One that is held for a process that is still there is said. */
    @Test
    void sendsHeldClearWhenTheLogHasRoom() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 100));
        relay.journal.holds = true;
        peer.sends(relay.frames.post(0, 0, 1, 0, 1, 0));
        relay.journal.holds = false;
        relay.core.roomChanged(false, "");
        assertThat(rank.take()).containsExactly("clear ->1 #1 up to 100");
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, 100));
    }

    @Test
    void anOfferThatIsMatchedBeforeItsRepetitionIsClearedThen() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 100));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 0));
        dies();
        comes(2);
        peer.sends(relay.frames.post(0, 0, 1, 0, 5, 0));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 0));
        assertThat(rank.take()).as("it knows of no offer yet").isEmpty();
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 100)));
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 0)));
        assertThat(rank.take()).containsExactly("clear ->1 #1 up to 100", "clear ->3 #1 up to 0");
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, 100));
        assertThat(peer.take()).containsExactly("deliver #1 from 0 to request 5", "chunk of 100");
        assertThat(rank.rank.sends().offers()).isZero();
        goesLive();
    }

    @Test
    void anOfferThatWasMatchedBeforeIsClearedAgain() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 2 * CHUNK));
        peer.sends(relay.frames.post(0, 0, 1, 0, 5, 0));
        assertThat(rank.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
        rank.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        dies();
        comes(2);
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 2 * CHUNK)));
        assertThat(rank.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
        for (int offset = 0; offset < 2 * CHUNK; offset += CHUNK) {
            rank.sends(relay.frames.chunk(0, 0, 1, 1, offset, CHUNK));
        }
        assertThat(peer.take())
                .containsExactly(
                        "deliver #1 from 0 to request 5", "chunk of " + CHUNK, "chunk of " + CHUNK);
        goesLive();
    }

    /** The other relay has what was passed on; the rest follows. */
    @Test
    void forwardedChunksAreNotForwardedAgain() throws Exception {
        rank.sends(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 1, 2 * CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        dies();
        comes(2);
        relay.sites.clear();
        rank.sends(again(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 1, 2 * CHUNK)));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        assertThat(relay.sites).isEmpty();
        rank.sends(relay.frames.chunk(0, 0, 3, 1, CHUNK, CHUNK));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 2, 10));
        assertThat(relay.sites).containsExactly("forward there CHUNK 0->3 #1", "forward there SEND 0->3 #2");
        goesLive();
    }

    @Test
    void anOfferTakenBackStaysTakenBack() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 100));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 2, 100));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        rank.sends(relay.frames.withdraw(0, 0, 3, 2, 0));
        dies();
        comes(2);
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, true));
        assertThat(rank.take()).as("nobody has asked for it").isEmpty();
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #1 true");
        relay.sites.clear();
        rank.sends(relay.frames.withdraw(0, 0, 3, 2, 0));
        assertThat(relay.sites).as("it is asked for already").isEmpty();
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 2, true));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #2 true");
        assertThat(rank.rank.sends().offers()).isZero();
        goesLive();
    }

    /** The next one asks for itself: nothing is under way any more. */
    @Test
    void anAnswerThatNobodyIsThereToHearIsOver() throws Exception {
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 100));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        dies();
        comes(2);
        dies();
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 100));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, false));
        comes(3);
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 100)));
        assertThat(rank.take()).containsExactly("clear ->3 #1 up to 100");
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #1 false");
        goesLive();
    }

    @Test
    void anOldProcessIsFencedAndItsEndChangesNothing() throws Exception {
        OneRelay.Rank old = rank;
        comes(3);
        assertThat(old.take()).containsExactly("close FENCED");
        relay.core.disconnected(old.rank, old, GONE);
        assertThat(rank.rank.state()).isEqualTo(RankState.REPLAYING);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> relay.connect(Hello.start(OneRelay.JOB, 0, 3), relay.new Rank()))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
        goesLive();
    }

    @Test
    void itMayDieAgainDuringItsReplay() throws Exception {
        dies();
        comes(2);
        dies();
        assertThat(relay.historySource.take()).containsExactly("begin rank 0 #1", "end rank 0 #1");
        relay.core.storage().historyRead(rank.rank, 1, List.of(delivered(1, 1, logged(1, 1))));
        comes(3);
        relay.core.storage().historyRead(rank.rank, 1, List.of(delivered(1, 1, logged(1, 1))));
        assertThat(rank.take()).as("an answer to the one before").isEmpty();
        past(delivered(1, 1, logged(1, 1)));
        assertThat(rank.take()).containsExactly("push #1 from 1 to receive 1");
        goesLive();
    }

    @Test
    void aRankThatHasFinalizedMayComeAgain() throws Exception {
        rank.sends(relay.frames.finalizing(0));
        assertThat(rank.take()).containsExactly("finalized");
        comes(2);
        rank.isRefused(relay.frames.finalizing(0), CloseReason.NOT_EXPECTED);
        goesLive();
        rank.sends(relay.frames.finalizing(0));
        assertThat(rank.take()).containsExactly("finalized");
        assertThat(rank.rank.state()).isEqualTo(RankState.FINALIZED);
    }

    @Test
    void aJobMayEndWhileARankIsAwayOrReplayed() throws Exception {
        relay.core.disconnected(peer.rank, peer, GONE);
        dies();
        comes(2);
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 3, -1, "ended"));
        assertThat(rank.take()).containsExactly("aborted 3");
        assertThat(relay.historySource.take()).contains("end rank 0 #1");
    }
}
