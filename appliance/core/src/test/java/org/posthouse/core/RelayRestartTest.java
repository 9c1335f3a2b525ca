package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A relay is started again on its log, or another one is: what comes back, what is said again, and who owes credit. */
final class RelayRestartTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    private final OneRelay relay;

    RelayRestartTest() throws Exception {
        relay = OneRelay.logged();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    /** Each rank has an array by these numbers. */
    @Test
    void theNumberOfAWayToARelayThatHasGoneIsUsedAgain() {
        ForwardCounts forwardCounts = new ForwardCounts();
        assertThat(forwardCounts.of(relay.there, false).index()).isZero();
        assertThat(forwardCounts.of(relay.there, true).index()).isEqualTo(1);
        assertThat(forwardCounts.of(relay.far, false).index()).isEqualTo(2);
        forwardCounts.forget(relay.there);
        assertThat(forwardCounts.of(relay.far, true).index()).isZero();
        assertThat(forwardCounts.of(relay.there, false).index()).isEqualTo(1);
    }

    private void restored(RecoveredRank... ranks) {
        relay.core.restore(relay.core.job(OneRelay.JOB), List.of(ranks));
    }

    private static RecoveredRank recovered(int rank, long deliveries, List<RecoveredRank.Channel> channels, Message... messages) {
        return new RecoveredRank(rank, 1, 0, false, deliveries, 0, 0, channels, List.of(), List.of(messages), false, List.of());
    }

    private Message message(FrameType form, boolean storable, int source, int destination, long sequence, long bytes, boolean delivered) {
        return Message.recovered(
                new Message.Logged(0, source, destination, 0, sequence, bytes, 1, 1, form, storable, sequence, relay.journal.pretend((int) bytes)),
                delivered);
    }

    private OneRelay.Rank comesAgain(int rank, long deliveries, StatePage.Entry... state) throws Refusal {
        OneRelay.Rank next = relay.new Rank();
        Hello hello = Hello.firstStart(OneRelay.JOB, rank).again(Hello.AGAIN, deliveries, 0, 0, 1, 1);
        relay.connect(hello, next, state);
        return next;
    }

    private void goesLive(OneRelay.Rank rank) throws WireException {
        relay.core.storage().historyRead(rank.rank, rank.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        rank.sends(relay.frames.live());
        rank.take();
    }

    private void posts(OneRelay.Rank rank, int source, int request) throws WireException {
        ByteBuffer post = relay.frames.post(0, source, rank.rank.rank(), 0, request, 0);
        new FrameView().wrap(post, 0).ordinal(request);
        rank.sends(post);
    }

    private static ByteBuffer again(ByteBuffer frame) {
        FrameView view = new FrameView().wrap(frame, 0);
        view.flags(view.flags() | FrameView.AGAIN);
        return frame;
    }

    private Frame unacknowledged(ByteBuffer frame) {
        return new TestFrame(frame, relay.ledger);
    }

    // ---- this relay

    @Test
    void aMailboxThatCameBackMatchesAsItWouldHave() throws Exception {
        restored(recovered(
                0, 3, List.of(new RecoveredRank.Channel(0, 1, 7), new RecoveredRank.Channel(0, 3, 2)),
                message(FrameType.SEND, false, 1, 0, 6, 10, false),
                message(FrameType.SEND, false, 3, 0, 2, 10, false),
                message(FrameType.SEND, false, 1, 0, 7, 10, false)));
        assertThat(relay.core.job(OneRelay.JOB).homed(0).state()).isEqualTo(RankState.AWAY);
        assertThat(relay.core.job(OneRelay.JOB).homed(1).state()).isEqualTo(RankState.WAITING);
        assertThat(relay.core.job(OneRelay.JOB).homed(0).receives().ahead()).as("what waits in the log has its limit as before").isEqualTo(3);
        OneRelay.Rank rank = comesAgain(0, 3);
        goesLive(rank);
        posts(rank, Wire.ANY, 1);
        posts(rank, Wire.ANY, 2);
        posts(rank, 1, 3);
        assertThat(rank.take())
                .containsExactly(
                        "deliver #6 from 1 to request 1", "deliver #2 from 3 to request 2", "deliver #7 from 1 to request 3");
        assertThat(rank.rank.deliveriesSent()).isEqualTo(6);
        assertThat(relay.sites).as("nobody is owed credit for them").isEmpty();
        assertThat(rank.rank.receives().ahead()).isZero();
        OneRelay.Rank other = relay.connect(1);
        other.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 8, 10));
        other.isRefused(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 10, 10), CloseReason.SEQUENCE_GAP);
    }

    @Test
    void aRankThatHadFinalizedIsNotAwaited() {
        restored(new RecoveredRank(2, 1, 0, true, 0, 0, 0, List.of(), List.of(), List.of(), false, List.of()));
        assertThat(relay.core.job(OneRelay.JOB).homed(2).state()).isEqualTo(RankState.FINALIZED);
    }

    @Test
    void offersThatCameBackAreClearedAgainAndTakenBackOnesStayGone() throws Exception {
        Message matched = message(FrameType.OFFER, false, 3, 0, 1, 40L * CHUNK, true);
        matched.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        RecoveredRank rank = new RecoveredRank(
                0, 1, 0, false, 1, 0, 0,
                List.of(new RecoveredRank.Channel(0, 3, 3), new RecoveredRank.Channel(0, 1, 1)),
                List.of(new RecoveredRank.Channel(0, 3, 2), new RecoveredRank.Channel(0, 1, 1)),
                List.of(matched, message(FrameType.OFFER, false, 3, 0, 3, 100, false)),
                false,
                List.of());
        restored(rank);
        assertThat(relay.sites).as("as far as it may have been").containsExactly("clear there 3->0 #1 up to " + 3 * CHUNK);
        assertThat(relay.core.underWayBytes()).as("so much may come").isEqualTo(2 * CHUNK);
        relay.sites.clear();
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 1, CHUNK, CHUNK));
        relay.fromSite("there", relay.frames.withdraw(0, 3, 0, 2, 0));
        relay.fromSite("there", relay.frames.withdraw(0, 3, 0, 3, 0));
        assertThat(relay.sites).containsExactly("withdrawn there 3->0 #2 true", "withdrawn there 3->0 #3 true");
        OneRelay.Rank source = comesAgain(1, 0);
        assertThat(OpenChannels.state(source.rank)).contains(new StatePage.Entry(StatePage.GONE, 0, 0, 1));
    }

    /** The next process would else take it for sent, as it is not above what the channel is known to have. */
    @Test
    void restartedRelayLearnsWithdrawnSendsFromTheRank() throws Exception {
        restored(recovered(0, 0, List.of()));
        StatePage.Entry gone = new StatePage.Entry(StatePage.GONE, 0, 3, 7);
        OneRelay.Rank rank = comesAgain(0, 0, gone);
        rank.sends(again(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 8, 10)));
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "died"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        assertThat(OpenChannels.state(next.rank)).contains(gone, new StatePage.Entry(StatePage.ACCEPTED, 0, 3, 8));
    }

    /** Else it could come again and again, each time with others. */
    @Test
    void noMoreIsLearnedThatWayThanCanBe() throws Exception {
        restored(recovered(0, 0, List.of()));
        StatePage.Entry known = new StatePage.Entry(StatePage.GONE, 0, 3, 1);
        OneRelay.Rank rank = comesAgain(0, 0, known);
        for (int sequence = 2; sequence < SuppressedSends.GONE_MAX; sequence++) {
            rank.rank.repeats().tookBack(new TransferId(0, 3, sequence));
        }
        StatePage.Entry last = new StatePage.Entry(StatePage.GONE, 0, 3, SuppressedSends.GONE_MAX);
        comesAgain(0, 0, known, new StatePage.Entry(StatePage.GONE, 0, 3, 2), last);
        assertThatThrownBy(() -> comesAgain(0, 0, known, new StatePage.Entry(StatePage.GONE, 1, 3, 1)))
                .isInstanceOfSatisfying(Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.LIMIT));
        assertThat(rank.rank.repeats().gone()).hasSize(SuppressedSends.GONE_MAX);
    }

    /** The process before had said no more than a part of its channel again, and the next begins all behind that but what it is told to be gone. */
    @Test
    void withdrawnSendsLeaveNoSequenceGapForTheNextProcess() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0, new StatePage.Entry(StatePage.GONE, 0, 3, 10));
        rank.sends(again(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 8, 10)));
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "died"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        next.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 9, 10));
        next.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 11, 10));
        assertThat(relay.sites).endsWith("forward there SEND 0->3 #9", "forward there SEND 0->3 #11");
        next.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 13, 10), CloseReason.SEQUENCE_GAP);
    }

    /** The host has lost the end of a message that a process before this one had got, and what that observed then comes only behind all of it. */
    @Test
    void lostEndOfMessageIsClearedBeforeTheRankIsLive() throws Exception {
        Message matched = message(FrameType.OFFER, false, 3, 0, 1, 9L * CHUNK, true);
        matched.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        restored(recovered(0, 1, List.of(new RecoveredRank.Channel(0, 3, 1)), matched));
        arrives(1, 2);
        assertThat(relay.sites).as("no more than it was cleared before").containsExactly("clear there 3->0 #1 up to " + 3 * CHUNK);
        relay.sites.clear();
        OneRelay.Rank rank = comesAgain(0, 1, new StatePage.Entry(StatePage.ARRIVING, 0, 3, 1, 1, 3 * CHUNK));
        assertThat(relay.sites).isEmpty();
        relay.core.storage().historyRead(rank.rank, rank.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        assertThat(relay.sites).as("a window, and what is lent").containsExactly("clear there 3->0 #1 up to " + 6 * CHUNK);
        rank.reads = false;
        arrives(3, 4);
        assertThat(relay.sites).as("it does not read").hasSize(1);
        rank.reads = true;
        relay.core.writable(rank.rank);
        assertThat(relay.sites).endsWith("clear there 3->0 #1 up to " + 8 * CHUNK).hasSize(2);
        arrives(5, 6, 7, 8);
        assertThat(relay.sites).endsWith("clear there 3->0 #1 up to " + 9 * CHUNK);
        assertThat(rank.rank.state()).isEqualTo(RankState.REPLAYING);
        assertThat(rank.take()).filteredOn(word -> word.startsWith("chunk")).hasSize(6);
    }

    /** It had all of the message, of which the host has lost the end, and the sender has been started again. */
    @Test
    void incompleteMessageToFinalizedRankIsReceivedToItsEnd() throws Exception {
        Message matched = message(FrameType.OFFER, false, 3, 0, 1, 9L * CHUNK, true);
        matched.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        restored(recovered(0, 1, List.of(new RecoveredRank.Channel(0, 3, 1)), matched));
        OneRelay.Rank rank = comesAgain(0, 1);
        goesLive(rank);
        rank.sends(relay.frames.finalizing(0));
        assertThat(rank.take()).containsExactly("finalized");
        arrives(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(relay.sites).endsWith("clear there 3->0 #1 up to " + 9 * CHUNK);
        assertThat(rank.rank.incoming().arriving()).isEmpty();
    }

    private void arrives(int... chunks) {
        for (int chunk : chunks) {
            relay.fromSite("there", relay.frames.chunk(0, 3, 0, 1, chunk * CHUNK, CHUNK));
        }
    }

    @Test
    void restartedRelayLearnsChannelsFromResentFrames() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0, new StatePage.Entry(StatePage.OFFERED, 0, 4, 1, 3, 3 * CHUNK));
        assertThat(OpenChannels.state(rank.rank)).as("the channel to 3 is not named").noneMatch(entry -> entry.kind() == StatePage.ACCEPTED);
        rank.sends(again(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 5, 10)));
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 8, 2 * CHUNK)));
        rank.sends(relay.frames.chunk(0, 0, 3, 8, 0, CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 4, 3, CHUNK, CHUNK));
        assertThat(relay.sites)
                .containsExactly(
                        "forward there SEND 0->3 #5", "forward there OFFER 0->3 #8", "forward there CHUNK 0->3 #8",
                        "forward far CHUNK 0->4 #3");
        relay.sites.clear();
        goesLive(rank);
        assertThat(relay.sites).as("how far it is cleared is asked").containsExactlyInAnyOrder("offer again there 0->3 #8", "offer again far 0->4 #3");
        relay.fromSite("far", relay.frames.clear(0, 0, 4, 3, 3 * CHUNK));
        assertThat(rank.take()).containsExactly("clear ->4 #3 up to " + 3 * CHUNK);
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 10, 10));
        assertThat(relay.sites).as("what is behind an offer that is said again may be safe").endsWith("forward there SEND 0->3 #10");
        rank.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 12, 10), CloseReason.SEQUENCE_GAP);
        assertThat(rank.rank.sends().offers()).isZero();
    }

    /** How far it was cleared, only the rank knows: what it may send is bounded by what is handled there. */
    @ParameterizedTest
    @EnumSource(names = {"CHUNK", "RESENT"})
    void rankIsHeavyWhileTooManyResentBytesAreUnhandled(FrameType what) throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 1L << 40)));
        int frames = 1;
        for (long sent = 0; !rank.rank.sends().isHeavy(); sent += CHUNK) {
            rank.sends(what == FrameType.CHUNK ? relay.frames.chunk(0, 0, 3, 1, sent, CHUNK) : relay.frames.resent(0, 3, 1));
            relay.sites.clear();
            frames++;
        }
        int bytes = (what == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES + CHUNK : Wire.MESSAGE_HEADER_BYTES) + Wire.MESSAGE_COST_BYTES;
        assertThat((long) frames * bytes).isBetween(StabilityTracker.UNHANDLED_BYTES_MAX, StabilityTracker.UNHANDLED_BYTES_MAX + 2L * bytes);
        List<String> lighter = new ArrayList<>();
        rank.rank.sends().whenLighter(() -> lighter.add("now"));
        relay.core.handled(relay.there, false, frames / 3);
        assertThat(lighter).isEmpty();
        relay.core.handled(relay.there, false, frames - frames / 3);
        assertThat(lighter).containsExactly("now");
        relay.core.handled(relay.there, false, frames);
        assertThat(rank.rank.sends().isHeavy()).isFalse();
        goesLive(rank);
    }

    /** Only a process that is gone has told of its offer; the next begins it anew, in whichever form. */
    @ParameterizedTest
    @CsvSource({"OFFER, 1", "OFFER, 0", "EAGER, 0"})
    void nextProcessRestartsOfferReportedByThePreviousOne(FrameType form, int chunks) throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0, new StatePage.Entry(StatePage.OFFERED, 0, 3, chunks, 1, 2 * CHUNK));
        assertThat(rank.rank.sends().offers()).isEqualTo(1 - chunks);
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        next.sends(again(relay.frames.message(form, 0, 0, 3, 0, 1, 2 * CHUNK)));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 2 * CHUNK));
        assertThat(next.take()).isEqualTo(form == FrameType.OFFER ? List.of("clear ->3 #1 up to " + 2 * CHUNK) : List.of());
        assertThat(next.rank.sends().offers()).isZero();
        next.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        next.sends(relay.frames.chunk(0, 0, 3, 1, CHUNK, CHUNK));
        assertThat(relay.sites).containsExactly("forward there " + form + " 0->3 #1", "forward there CHUNK 0->3 #1", "forward there CHUNK 0->3 #1");
        goesLive(next);
    }

    /** Its process before may have sent more than it had told this relay by now. */
    @Test
    void restartedRelayForwardsFramesAsPossiblyResent() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.take();
        rank.sends(again(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 5, 10)));
        assertThat(relay.flags).isEqualTo(FrameView.AGAIN);
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 6, 10));
        assertThat(relay.flags).isEqualTo(FrameView.AGAIN);
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 6, 10));
        assertThat(rank.take()).as("it was there").containsExactly("clear ->3 #6 up to 10");
        goesLive(rank);
    }

    /** Its process has not read the answer, and would take the other word for the end of its send. */
    @Test
    void anEmptyOfferThatWasTakenBackIsNotCleared() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, 0));
        rank.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(rank.take()).containsExactly("withdrawn ->1 #1 true");
        OneRelay.Rank again = comesAgain(0, 0, new StatePage.Entry(StatePage.OFFERED, 0, 1, 0, 1, 0));
        assertThat(again.take()).noneMatch(word -> word.startsWith("clear"));
    }

    /** The relay has forgotten that, and the process that has come has not come there yet. */
    @Test
    void anOfferThatWasTakenBackBeforeIsAnsweredWhenItsRankAsks() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.take();
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 10)));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, true));
        assertThat(rank.take()).isEmpty();
        assertThat(rank.rank.sends().offers()).isZero();
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #1 true");
        goesLive(rank);
    }

    /** A program does again what it did before, and waits for each answer. */
    @Test
    void replayedRankMayRequestUnlimitedAnswersWhileItReads() throws Exception {
        OneRelay.Rank rank = comesAgain(0, 0);
        for (int answers = 0; answers <= RankFrames.UNREAD_ANSWERS_MAX; answers++) {
            rank.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        }
        rank.reads = false;
        for (int answers = 0; answers < RankFrames.UNREAD_ANSWERS_MAX; answers++) {
            rank.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        }
        rank.isRefused(relay.frames.withdraw(0, 0, 1, 1, 0), CloseReason.LIMIT);
        relay.core.writable(rank.rank);
        rank.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
    }

    /** The answer to the process before may be lost with a relay, and is not waited for. */
    @Test
    void nextProcessRepeatsPendingWithdrawals() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
        OneRelay.Rank next = comesAgain(0, 0);
        next.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(relay.sites).containsExactly("withdraw there 0->3 #1", "withdraw there 0->3 #1");
        next.take();
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, false));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, false));
        assertThat(next.take()).containsExactly("withdrawn ->3 #1 false");
    }

    /** A process before has offered what is sent whole now, or the core counts it as sent for what it knows of later in its channel. */
    @Test
    void whetherAMessageWasTakenBackThatWasForgottenItsDestinationIsAsked() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.sends(again(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 2, 10)));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        rank.sends(relay.frames.withdraw(0, 0, 3, 2, 0));
        rank.isRefused(relay.frames.withdraw(0, 0, 3, 2, 0), CloseReason.NOT_EXPECTED);
        assertThat(relay.sites).endsWith("withdraw there 0->3 #1", "withdraw there 0->3 #2");
        relay.core.peerRestarted(relay.there, List.of());
        assertThat(relay.sites.subList(3, 5)).containsExactlyInAnyOrder("withdraw there 0->3 #1", "withdraw there 0->3 #2");
        rank.take();
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, true));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 2, false));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 2, false));
        assertThat(rank.take()).containsExactly("withdrawn ->3 #1 true", "withdrawn ->3 #2 false");
        assertThat(rank.rank.sends().offers()).isZero();
        assertThat(OpenChannels.state(rank.rank)).contains(new StatePage.Entry(StatePage.GONE, 0, 3, 1));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        assertThat(rank.take()).as("known by now").containsExactly("withdrawn ->3 #1 true");
        goesLive(rank);
    }

    @Test
    void boundsPendingWithdrawals() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        goesLive(rank);
        for (int sequence = 1; sequence <= SendSide.OFFERS_MAX; sequence++) {
            rank.sends(relay.frames.withdraw(0, 0, 3, sequence, 0));
        }
        rank.isRefused(relay.frames.withdraw(0, 0, 3, SendSide.OFFERS_MAX + 1, 0), CloseReason.LIMIT);
    }

    /** The process that asked has ended, and the next has said the offer anew: it gets an answer of its own. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void withdrawalOfRestartedOfferIsAnswered(boolean gone, boolean early) throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0, new StatePage.Entry(StatePage.OFFERED, 0, 3, 0, 1, 10));
        rank.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "died"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        next.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 10)));
        next.take();
        if (early) {
            relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, gone));
        }
        next.sends(relay.frames.withdraw(0, 0, 3, 1, 0));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 1, gone));
        assertThat(next.take()).containsExactly("withdrawn ->3 #1 " + gone);
        goesLive(next);
    }

    /** The host has lost the end of the log, and with it that the offer was matched. */
    @Test
    void offerContinuesUpToTheClearItsRankReceived() throws Exception {
        restored(recovered(
                0, 0, List.of(new RecoveredRank.Channel(0, 1, 1)), message(FrameType.OFFER, false, 1, 0, 1, 2 * CHUNK, false)));
        OneRelay.Rank source = comesAgain(1, 0);
        source.sends(again(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, 2 * CHUNK)));
        source.take();
        source.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        assertThat(source.take()).containsExactly("clear ->0 #1 up to " + 2 * CHUNK);
        source.sends(again(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 2, 100)));
        source.sends(relay.frames.chunk(0, 1, 0, 2, 0, 100));
        goesLive(source);
        OneRelay.Rank rank = comesAgain(0, 0);
        goesLive(rank);
        posts(rank, 1, 1);
        posts(rank, 1, 2);
        assertThat(rank.take()).containsExactly(
                "deliver #1 from 1 to request 1", "chunk of " + CHUNK, "deliver #2 from 1 to request 2", "chunk of 100");
        source.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
        assertThat(rank.take()).containsExactly("chunk of " + CHUNK);
    }

    /** A process before has sent all of it, the host has lost that it was matched, and the next process is cleared as that was. */
    @Test
    void anOfferThatIsClearedIsNotTakenBackAnyMore() throws Exception {
        Message offer = message(FrameType.OFFER, false, 1, 0, 1, CHUNK, false);
        offer.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        restored(recovered(0, 0, List.of(new RecoveredRank.Channel(0, 1, 1)), offer));
        OneRelay.Rank source = comesAgain(1, 0);
        source.take();
        source.sends(again(relay.frames.message(FrameType.OFFER, 0, 1, 0, 0, 1, CHUNK)));
        source.sends(relay.frames.withdraw(0, 1, 0, 1, 0));
        source.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        assertThat(source.take()).containsExactly("clear ->0 #1 up to " + CHUNK, "withdrawn ->0 #1 false");
        OneRelay.Rank rank = comesAgain(0, 0);
        goesLive(rank);
        posts(rank, 1, 1);
        assertThat(rank.take()).containsExactly("deliver #1 from 1 to request 1", "chunk of " + CHUNK);
        assertThat(source.rank.sends().offers()).isZero();
    }

    // ---- a host that lost the end of its log, of which ranks know more

    /** Rank 0 has got all of a message of rank 1, of which the log has one chunk of two. */
    private OneRelay.Rank hasMoreThanTheLog() throws Exception {
        Message message = message(FrameType.OFFER, false, 1, 0, 1, 2 * CHUNK, true);
        message.loggedPiece(CHUNK, relay.journal.pretend(CHUNK));
        restored(recovered(0, 1, List.of(new RecoveredRank.Channel(0, 1, 1)), message));
        OneRelay.Rank rank = comesAgain(0, 1);
        goesLive(rank);
        return rank;
    }

    private void says(OneRelay.Rank rank, CheckpointNotice.Kind kind, long bytes) throws WireException {
        relay.pointed(rank.rank, new CheckpointNotice(OneRelay.JOB, kind, 0, 0, bytes, 0, 0, 0, 0, 0));
    }

    private void sendsTheRest() throws Exception {
        OneRelay.Rank source = comesAgain(1, 0);
        source.sends(relay.frames.chunk(0, 1, 0, 1, CHUNK, CHUNK));
    }

    /** A start from an image is given nothing of what stands behind the end of the prologue. */
    @Test
    void aPrologueEndsBehindAllThatCameInIt() throws Exception {
        OneRelay.Rank rank = hasMoreThanTheLog();
        says(rank, CheckpointNotice.Kind.READY, 0);
        assertThat(rank.take()).isEmpty();
        assertThat(relay.journal.events).isEmpty();
        assertThatExceptionOfType(WireException.class).as("it waits").isThrownBy(() -> says(rank, CheckpointNotice.Kind.READY, 0));
        sendsTheRest();
        long next = relay.journal.position() + 1;
        assertThat(relay.journal.events).singleElement().asString().contains("RecoveryPoint[pin=" + next + ", deliveries=1,").endsWith("null");
        assertThat(rank.take()).containsExactly("chunk of " + CHUNK, "point SAVED 0 0, 0 events, 0 failed polls");
    }

    /** A process that starts from the image would be sent a part of a message of which it knows nothing. */
    @Test
    void anImageEndsBehindAllThatCameBeforeIt() throws Exception {
        OneRelay.Rank rank = hasMoreThanTheLog();
        says(rank, CheckpointNotice.Kind.SAVE, 10);
        rank.sends(relay.frames.image(0, 10));
        assertThat(relay.images.take()).containsExactly("begin rank 0 #1: 10", "put rank 0 #1: 10");
        sendsTheRest();
        assertThat(relay.images.take()).containsExactly("end rank 0 #1");
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 10, 7));
        assertThat(rank.take()).endsWith("point SAVED 1 0, 0 events, 0 failed polls");
    }

    @Test
    void aPrologueDoesNotEndWhileItsRankIsAway() throws Exception {
        OneRelay.Rank rank = hasMoreThanTheLog();
        says(rank, CheckpointNotice.Kind.READY, 0);
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
        sendsTheRest();
        assertThat(relay.journal.events).isEmpty();
        assertThat(relay.images.take()).isEmpty();
        OneRelay.Rank again = comesAgain(0, 1);
        goesLive(again);
        says(again, CheckpointNotice.Kind.READY, 0);
        assertThat(again.take()).containsExactly("point SAVED 0 0, 0 events, 0 failed polls");
    }

    /** What has not been received belongs to what comes later. */
    @Test
    void unexpectedMessageDelaysNoCheckpoint() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        OneRelay.Rank source = relay.connect(1);
        source.sends(relay.frames.message(FrameType.EAGER, 0, 1, 0, 0, 1, 2 * CHUNK));
        source.sends(relay.frames.chunk(0, 1, 0, 1, 0, CHUNK));
        says(rank, CheckpointNotice.Kind.READY, 0);
        assertThat(rank.take()).containsExactly("point SAVED 0 0, 0 events, 0 failed polls");
    }

    /** The host has lost that the offer of a rank of another core was matched, and not the piece of it that had come before. */
    @Test
    void anOfferOfWhichSomethingCameWasCleared() throws Exception {
        Message offer = message(FrameType.OFFER, false, 0, 3, 1, 100, false);
        offer.loggedPiece(100, relay.journal.pretend(100));
        restored(
                recovered(0, 0, List.of()),
                new RecoveredRank(3, 1, 0, false, 0, 0, 0, List.of(new RecoveredRank.Channel(0, 0, 1)), List.of(), List.of(offer), false, List.of()));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 100));
        assertThat(relay.failure()).isNull();
    }

    /** Both relays were started again: its destination's knows of less than it had cleared. */
    @Test
    void offerOverLinkContinuesUpToTheClearItsRankReceived() throws Exception {
        restored(recovered(0, 0, List.of()));
        OneRelay.Rank rank = comesAgain(0, 0);
        rank.sends(again(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 3 * CHUNK)));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, CHUNK));
        relay.sites.clear();
        rank.sends(relay.frames.chunk(0, 0, 3, 1, 0, CHUNK));
        rank.sends(relay.frames.chunk(0, 0, 3, 1, CHUNK, CHUNK));
        assertThat(relay.sites).containsExactly("forward there CHUNK 0->3 #1", "forward there CHUNK 0->3 #1");
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 2 * CHUNK));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, 3 * CHUNK));
        assertThat(rank.take()).endsWith("clear ->3 #1 up to " + 3 * CHUNK);
        assertThat(relay.failure()).isNull();
    }

    // ---- a message said again over a link

    @Test
    void aDuplicateWithAgainReturnsItsCreditAndOneWithoutDoesNot() throws Exception {
        relay.connect(0);
        relay.journal.ample = false;
        ByteBuffer message = relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 60_000);
        relay.fromSite("there", message.duplicate());
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 60_000));
        assertThat(relay.sites).isEmpty();
        for (int times = 0; times < 12 && relay.sites.isEmpty(); times++) {
            relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 60_000)));
        }
        assertThat(relay.sites.getFirst()).startsWith("credit there rank 3");
    }

    @Test
    void resentOfferIsAnsweredWithItsClear() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100));
        relay.fromSite("there", again(relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.sites).as("nothing has matched it").isEmpty();
        posts(rank, 3, 1);
        relay.sites.clear();
        relay.fromSite("there", again(relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.sites).containsExactly("clear there 3->0 #1 up to 100");
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 1, 0, 100));
        relay.fromSite("there", again(relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.sites).as("it is over").hasSize(2).endsWith("clear there 3->0 #1 up to 100");
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 1, 0, 100));
        assertThat(rank.take()).containsExactly("deliver #1 from 3 to request 1", "chunk of 100");
    }

    /** A process that is started with its relay has other credit than the one before. */
    @Test
    void offeredMessageMayBeResentInOneFrame() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100));
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 2, 2 * CHUNK));
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        long logged = relay.journal.position();
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.journal.position()).as("it is logged once").isEqualTo(logged);
        relay.fromSite("there", again(relay.frames.message(FrameType.EAGER, 0, 3, 0, 0, 2, 2 * CHUNK)));
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 2, 0, CHUNK));
        posts(rank, 3, 1);
        posts(rank, 3, 2);
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 2, CHUNK, CHUNK));
        assertThat(rank.take())
                .containsExactly(
                        "deliver #1 from 3 to request 1", "chunk of 100",
                        "deliver #2 from 3 to request 2", "chunk of " + CHUNK, "chunk of " + CHUNK);
    }

    /** That has a limit. Its receiver may be away, or still be handed its history, or have been handed all of it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void offerResentInOneFrameIsNoLongerSpilled(int stepsBack) throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.fromSite("there", relay.frames.storable(0, 3, 0, 0, 1, 100));
        posts(rank, 3, 1);
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
        OneRelay.Rank next = stepsBack > 0 ? comesAgain(0, 1) : null;
        if (stepsBack > 1) {
            relay.core.storage().historyRead(rank.rank, rank.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        }
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        if (stepsBack == 1) {
            goesLive(next);
        }
        assertThat(rank.rank.receives().ahead()).isZero();
    }

    /** It is a part of the history that the next process gets. */
    @Test
    void offerResentInOneFrameIsLoggedWhileReceiverIsAway() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        posts(rank, 3, 1);
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100));
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "died"));
        long before = relay.journal.position();
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.journal.position()).isEqualTo(before + 1);
        assertThat(rank.rank.receives().openMessage(0, 3, 1)).as("all of it is here").isNull();
    }

    /** The relay of its rank has forgotten of which length it was. */
    @ParameterizedTest
    @CsvSource({"OFFER, OFFER", "EAGER, EAGER", "OFFER, EAGER"})
    void resentMessageOfAnotherLengthEndsTheJob(FrameType before, FrameType now) throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        posts(rank, 3, 1);
        relay.fromSite("there", relay.frames.message(before, 0, 3, 0, 0, 1, 2 * CHUNK));
        relay.sites.clear();
        relay.fromSite("there", again(relay.frames.message(now, 0, 3, 0, 0, 1, CHUNK + 5)));
        assertThat(relay.failure()).startsWith("has diverged in message 1 to rank 0 in context 0,");
        assertThat(relay.events.getLast().rank()).isEqualTo(3);
        assertThat(relay.sites).as("its rank is told nothing").isEmpty();
    }

    /** Others of its sender's offers wait for the room that it leaves. */
    @Test
    void offerResentInOneFrameFreesItsWindow() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        long[] chunks = {1, 10, 1};
        for (int sequence = 1; sequence <= chunks.length; sequence++) {
            posts(rank, 3, sequence);
            relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, sequence, chunks[sequence - 1] * CHUNK));
        }
        assertThat(relay.sites).containsExactly("clear there 3->0 #1 up to " + CHUNK, "clear there 3->0 #2 up to " + 3 * CHUNK);
        assertThat(relay.core.sendersThatWait()).isOne();
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, CHUNK)));
        assertThat(relay.sites).endsWith("clear there 3->0 #3 up to " + CHUNK);
        assertThat(relay.core.underWayBytes()).isEqualTo(4L * CHUNK);
    }

    /** A checkpoint waits for it. */
    @Test
    void checkpointWaitsForOfferResentInOneFrame() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        posts(rank, 3, 1);
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 100));
        says(rank, CheckpointNotice.Kind.READY, 0);
        rank.take();
        assertThat(relay.journal.events).isEmpty();
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        assertThat(relay.journal.events).hasSize(1);
        assertThat(rank.take()).containsExactly("chunk of 100", "point SAVED 0 0, 0 events, 0 failed polls");
    }

    /** Its relay has forgotten that it was begun in two frames, to be kept, and the second is lost with that relay's host. */
    @Test
    void eagerMessageMayBeResentInOneFrame() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.fromSite("there", again(relay.frames.message(FrameType.EAGER, 0, 3, 0, 0, 1, 100)));
        relay.fromSite("there", again(relay.frames.message(FrameType.EAGER, 0, 3, 0, 0, 2, 200)));
        posts(rank, 3, 1);
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 100)));
        relay.fromSite("there", again(relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 2, 200)));
        posts(rank, 3, 2);
        relay.fromSite("there", relay.frames.chunk(0, 3, 0, 1, 0, 100));
        assertThat(rank.take())
                .containsExactly("deliver #1 from 3 to request 1", "chunk of 100", "deliver #2 from 3 to request 2", "chunk of 200");
    }

    // ---- another relay

    @Test
    void unhandledFramesAreResentToRestartedPeer() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 100));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 2, 200));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 3, 100));
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 4, 100));
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 4, 0, 1, 300));
        rank.sends(relay.frames.withdraw(0, 0, 3, 4, 0));
        relay.core.handled(relay.there, false, 1);
        rank.take();
        relay.sites.clear();
        ByteBuffer second = relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 2, 200);
        relay.core.peerRestarted(
                relay.there,
                List.of(unacknowledged(second), unacknowledged(relay.frames.credit(3, 1_000, 1)),
                        unacknowledged(relay.frames.withdraw(0, 0, 3, 4, 0))));
        assertThat(relay.failure()).as("the job goes on").isNull();
        assertThat(new FrameView().wrap(second, 0).flags()).isEqualTo(FrameView.AGAIN);
        assertThat(relay.sites)
                .containsExactlyInAnyOrder(
                        "forward there SEND 0->3 #2", "offer again there 0->3 #3", "offer again there 0->3 #4",
                        "withdraw there 0->3 #4");
        assertThat(rank.take()).as("what it had handled gives nothing back any more").containsExactly("credit 356 bytes 1 messages");
        assertThat(rank.rank.sends().creditBytesUsed()).isEqualTo(Wire.cost(200) + Wire.cost(300));
        rank.sends(relay.frames.finalizing(0));
        relay.core.handled(relay.far, false, 1);
        assertThat(rank.take()).as("what was said again is not safe yet").isEmpty();
        relay.core.handled(relay.there, false, 2);
        assertThat(rank.take()).containsExactly("finalized");
    }

    /** The peer gave credit back for a message, and its word that it has handled it was lost with it. */
    @Test
    void creditThatComesBackTwiceIsTakenOnce() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 100));
        relay.fromSite("there", relay.frames.credit(0, Wire.cost(100), 1));
        rank.take();
        relay.core.peerRestarted(
                relay.there, List.of(unacknowledged(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 100))));
        relay.fromSite("there", relay.frames.credit(0, Wire.cost(100), 1));
        assertThat(rank.take()).isEmpty();
        assertThat(relay.failure()).isNull();
        assertThat(rank.rank.sends().creditBytesUsed()).isZero();
    }

    @Test
    void messagesOfAPeerThatRestartsOweNothing() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.journal.ample = false;
        for (int sequence = 1; sequence <= 12; sequence++) {
            relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, sequence, 60_000));
        }
        relay.core.peerRestarted(relay.there, List.of());
        for (int request = 1; request <= 12; request++) {
            posts(rank, 3, request);
        }
        assertThat(rank.take()).hasSize(12);
        assertThat(relay.sites).isEmpty();
    }

    @Test
    void messagesThatTheirReceiverHasNotReadOweAPeerThatRestartsNothing() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.reads = false;
        for (int sequence = 1; sequence <= 12; sequence++) {
            posts(rank, 3, sequence);
            relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, sequence, 60_000));
        }
        assertThat(relay.sites).as("it does not read").isEmpty();
        relay.core.peerRestarted(relay.there, List.of());
        rank.reads = true;
        relay.core.writable(rank.rank);
        assertThat(rank.take()).hasSize(12);
        assertThat(relay.sites).isEmpty();
    }

    @Test
    void creditThatWaitsForARankToReadComesBackOnceWhenItIsCutOff() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.reads = false;
        posts(rank, 3, 1);
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 60_000));
        assertThat(relay.sites).isEmpty();
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
        assertThat(relay.sites).containsExactly("credit there rank 3 " + Wire.cost(60_000) + " bytes 1 messages");
        goesLive(comesAgain(0, 1));
        assertThat(relay.sites).hasSize(1);
    }

    /** Their credit is back before, but for the log, which has no room. */
    @Test
    void messagesWhoseCreditIsHeldOweAPeerThatRestartsNothing() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.journal.holds = true;
        for (int sequence = 1; sequence <= 12; sequence++) {
            posts(rank, 3, sequence);
            relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, sequence, 60_000));
        }
        posts(rank, 4, 13);
        relay.fromSite("far", relay.frames.message(FrameType.SEND, 0, 4, 0, 0, 1, 60_000));
        assertThat(rank.take()).hasSize(13);
        relay.core.peerRestarted(relay.there, List.of());
        relay.journal.holds = false;
        relay.core.roomChanged(false, "");
        assertThat(relay.sites).containsExactly("credit far rank 4 " + Wire.cost(60_000) + " bytes 1 messages");
    }

    /** What may be lent is for all jobs. */
    @Test
    void aJobThatEndsWhileSendersAreHeldHasNothingUnderWay() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        relay.journal.holds = true;
        posts(rank, 3, 1);
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, 1, 2 * CHUNK));
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 0, -1, ""));
        relay.journal.holds = false;
        relay.core.roomChanged(false, "");
        assertThat(relay.sites).isEmpty();
        assertThat(relay.core.underWayBytes()).isZero();
    }

    @Test
    void answersThatComeTwiceChangeNothing() throws Exception {
        OneRelay.Rank rank = relay.connect(0);
        rank.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 1, 2 * CHUNK));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, CHUNK));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, CHUNK));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 9, CHUNK));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 9, true));
        assertThat(rank.take()).containsExactly("clear ->3 #1 up to " + CHUNK);
        assertThat(relay.failure()).isNull();
        assertThat(rank.rank.sends().offers()).isZero();
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 0, -1, ""));
    }
}
