package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.events;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.channel.CollectiveThread;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/** What a rank says to the relay of a job that is logged, and when: of its history, and of what it sent before a restart. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RestartedRankTest extends OneRank {
    private static final byte[] NONE = {};

    RestartedRankTest() throws IOException {}

    // ---- what a rank does

    /** A process of the rank that is greeted so. */
    private CompletableFuture<RelayEndpoint> connecting(int incarnation, StatePage... pages) throws Exception {
        ByteBuffer[] answer = new ByteBuffer[1 + pages.length];
        answer[0] = welcome(incarnation, pages.length);
        for (int i = 0; i < pages.length; i++) {
            answer[1 + i] = pages[i].encode();
        }
        return connecting(Hello.start(ScriptedRelay.JOB, 0, incarnation), new Settings(1 << 18), answer);
    }

    private void connect(int incarnation, StatePage.Entry... known) throws Exception {
        StatePage[] pages = known.length == 0 ? new StatePage[0] : new StatePage[] {page(0, known)};
        endpoint = connecting(incarnation, pages).get();
    }

    private static StatePage page(int left, StatePage.Entry... entries) {
        return new StatePage(ScriptedRelay.JOB, left, List.of(entries));
    }

    private static ByteBuffer welcome(int incarnation, int pages) {
        return ScriptedRelay.welcome(incarnation, true, 0, pages);
    }

    private static StatePage.Entry open(FrameType form, long sequence) {
        return new StatePage.Entry(StatePage.OPEN, CONTEXT, 1, form.id(), sequence, 0);
    }

    private static StatePage.Entry known(int kind, int destination, long sequence) {
        return new StatePage.Entry(kind, CONTEXT, destination, sequence);
    }

    private Operation receive() {
        return endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, new byte[10], 0, 10));
    }

    private Operation send(int destination, byte[] bytes, SendMode mode) {
        return endpoint.send(CONTEXT, destination, TAG, Plain.content(Base.BYTE, bytes, 0, bytes.length), mode);
    }

    private Operation send(int destination) {
        return send(destination, new byte[] {5}, SendMode.STANDARD);
    }

    // ---- what its relay does

    private static ByteBuffer history(int polls, int... kinds) {
        return events(1, items(polls, kinds), polls, FrameView.END);
    }

    /** The rank's next frame tells these events, numbered from {@code first}. */
    private void hearEvents(long first, int... kinds) throws Exception {
        ByteBuffer frame = line.hear(FrameType.EVENTS);
        assertThat(view(frame).firstEvent()).isEqualTo(first);
        List<Integer> heard = new ArrayList<>();
        for (int at = Wire.EVENTS_HEADER_BYTES; at < frame.capacity(); at += Wire.EVENT_BYTES) {
            heard.add((int) frame.get(at + Integer.BYTES));
        }
        assertThat(heard).containsExactly(Arrays.stream(kinds).boxed().toArray(Integer[]::new));
    }

    // ---- telling

    @Test
    void observedEventsAreSentBeforeTheNextFrame() throws Exception {
        connect(1);
        Operation receive = receive();
        assertThat(endpoint.test(receive)).isFalse();
        line.say(delivered(line.hear(FrameType.POST), 1, new byte[1], 1));
        while (!endpoint.test(receive)) {
            Thread.onSpinWait();
        }
        assertThat(endpoint.test(receive)).as("known, so no event").isTrue();
        Operation known = send(1);
        endpoint.await(known);
        assertThat(endpoint.test(known)).isTrue();
        hearEvents(1, DeterminantLog.DONE);
        line.hear(FrameType.SEND);
        assertThat(endpoint.awaitAny(new Operation[] {null, receive})).as("no choice").isEqualTo(1);
        assertThat(endpoint.awaitAny(new Operation[] {known, receive})).isZero();
        endpoint.value(() -> 17);
        assertThat(endpoint.cancel(receive)).isFalse();
        line.hearNothing();
        send(2);
        hearEvents(2, DeterminantLog.ANY, DeterminantLog.VALUE, DeterminantLog.TAKEN);
        line.hear(FrameType.SEND);
        endpoint.value(() -> 18);
        start(() -> {
            endpoint.close();
            return null;
        });
        hearEvents(5, DeterminantLog.VALUE);
        line.hear(FrameType.FINALIZE);
    }

    @Test
    void fullEventBufferIsSentImmediately() throws Exception {
        connect(1);
        for (int i = 0; i < Wire.EVENTS_MAX - 3; i++) {
            endpoint.value(() -> 17);
        }
        line.hearNothing();
        endpoint.value(() -> 17);
        assertThat(view(line.hear(FrameType.EVENTS)).events()).isEqualTo(Wire.EVENTS_MAX - 3);
        line.hearNothing();
    }

    @Test
    void receivesAreNumberedInEachContext() throws Exception {
        connect(1);
        Operation first = receive();
        receive();
        endpoint.receive(CONTEXT + 1, 1, TAG, Plain.sink(Base.BYTE, NONE, 0, 0));
        start(() -> endpoint.cancel(first));
        for (int ordinal : new int[] {1, 2, 1}) {
            assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(ordinal);
        }
        assertThat(view(line.hear(FrameType.CANCEL)).ordinal()).isEqualTo(1);
    }

    // ---- limits

    @Test
    void twoThreadsInsideAtOnceAreALimit() throws Exception {
        connect(1);
        Operation errand = endpoint.begin();
        Thread inside = new Thread(() -> endpoint.await(errand));
        inside.start();
        while (inside.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        send(1);
        send(1);
        hearEvents(1, DeterminantLog.LIMIT);
        line.hear(FrameType.SEND);
        line.hear(FrameType.SEND);
        endpoint.end(errand);
        inside.join();
    }

    /** A history without the order of two threads is not enough for a follower. */
    @Test
    void twoThreadsInsideAtOnceEndAJobWhoseRanksRunMoreThanOnce() throws Exception {
        connect(
                Hello.firstStart(ScriptedRelay.JOB, 0), new Settings(1 << 18, 0, Settings.KEPT_BYTES_LEAST, 60, true, true), welcome(1, 0));
        Operation errand = endpoint.begin();
        Thread inside = new Thread(() -> endpoint.await(errand));
        inside.setDaemon(true); // The process would have ended with it.
        inside.start();
        while (inside.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        start(() -> send(1));
        CloseNotice abort = CloseNotice.decode(line.hear(FrameType.ABORT));
        assertThat(abort.text())
                .isEqualTo("cannot run more than once (posthouse run -r): several of its threads were inside MPI calls at once;"
                        + " let one thread at a time call MPI, or run it without -r");
        assertThat(end.how.get()).isEqualTo("exit 1");
    }

    @Test
    void aCollectiveBesideTheProgramIsNone() throws Exception {
        connect(1);
        Thread collective = new CollectiveThread(() -> endpoint.await(receive()), "collective");
        collective.start();
        line.hear(FrameType.POST);
        send(1);
        line.hear(FrameType.SEND);
    }

    @Test
    void aMismatchThatIsBelievedIsALimit() throws Exception {
        connect(1);
        CollectivePosition collectivePosition = new CollectivePosition(endpoint.presences(), CONTEXT, new int[] {0, 1}, 0);
        collectivePosition.enter("Bcast", 0, false);
        endpoint.presences().stays(collectivePosition, false);
        BlockedReport blockedReport = BlockedReport.decode(line.hear(FrameType.BLOCKED));
        Operation receive = receive();
        line.hear(FrameType.POST);
        line.say(blockedReport.encode(FrameType.MISMATCH));
        endpoint.await(receive);
        endpoint.send(CONTEXT + 1, 1, TAG, Plain.content(Base.BYTE, NONE, 0, 0));
        hearEvents(1, DeterminantLog.LIMIT);
    }

    // ---- replay

    @Test
    void liveIsSentWhileRankWaitsForNewMessage() throws Exception {
        connect(2);
        CompletableFuture<Void> program = start(() -> {
            endpoint.await(receive());
            endpoint.await(receive());
            return null;
        });
        line.say(pushed(CONTEXT, TAG, 1, 1, new byte[1], 1));
        line.hearNothing();
        line.say(history(0));
        line.hear(FrameType.LIVE);
        ByteBuffer second = line.hear(FrameType.POST);
        assertThat(view(second).ordinal()).isEqualTo(2);
        line.say(delivered(second, 2, new byte[1], 1));
        program.get();
    }

    @Test
    void liveIsSentWithTheLastReplayedEvent() throws Exception {
        connect(2);
        line.say(history(2, DeterminantLog.VALUE, DeterminantLog.VALUE));
        assertThat(endpoint.tryProbe(CONTEXT, 1, TAG)).as("failed before").isNull();
        assertThat(endpoint.tryProbe(CONTEXT, 1, TAG)).as("failed before").isNull();
        assertThat(endpoint.value(() -> 17)).isEqualTo(1);
        line.hearNothing();
        assertThat(endpoint.value(() -> 17)).isEqualTo(1);
        line.hear(FrameType.LIVE);
        assertThat(endpoint.value(() -> 17)).as("a new one").isEqualTo(17);
        CompletableFuture<Envelope> probe = start(() -> endpoint.tryProbe(CONTEXT, 1, TAG));
        hearEvents(3, DeterminantLog.VALUE);
        line.say(ScriptedRelay.nothingFound(line.hear(FrameType.PROBE)));
        assertThat(probe.get()).isNull();
    }

    /** The events are over before the failed polls are. */
    @Test
    void pollsFailAgainBehindTheLastEvent() throws Exception {
        connect(2);
        Operation receive = receive();
        line.say(pushed(CONTEXT, TAG, 1, 1, new byte[1], 1), history(3));
        for (int i = 0; i < 3; i++) {
            assertThat(endpoint.test(receive)).isFalse();
        }
        assertThat(endpoint.test(receive)).isTrue();
        line.hear(FrameType.LIVE);
        send(1);
        hearEvents(1, DeterminantLog.DONE);
        assertThat(view(line.hear(FrameType.SEND)).failedPolls()).isEqualTo(3);
    }

    @Test
    void aRankThatOnlySendsComesToItsEndToo() throws Exception {
        connect(2);
        send(1);
        line.hear(FrameType.SEND);
        line.say(history(0));
        CompletableFuture<Void> sending = start(() -> {
            while (!end.how.isDone()) {
                send(1, NONE, SendMode.SYNCHRONOUS);
                TimeUnit.MILLISECONDS.sleep(1);
            }
            return null;
        });
        ByteBuffer frame = line.hearAny();
        while (view(frame).type() == FrameType.OFFER) {
            frame = line.hearAny();
        }
        assertThat(view(frame).type()).isSameAs(FrameType.LIVE);
        end.how.complete("enough");
        sending.get();
    }

    @Test
    void finalizeIsNewToo() throws Exception {
        connect(2);
        start(() -> {
            endpoint.close();
            return null;
        });
        line.hearNothing();
        line.say(history(0));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.FINALIZE);
    }

    @Test
    void liveIsSentOnTheNextConnectionAfterMove() throws Exception {
        connect(2);
        CompletableFuture<Void> program = start(() -> {
            endpoint.await(receive());
            return null;
        });
        line.say(endOfHistory(DeterminantLog.LIMIT), ScriptedRelay.move());
        line.hear(FrameType.MOVE);
        line.hearNothing();
        line.say(ScriptedRelay.closing(CloseReason.MOVED));
        line.hearEnd();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).events()).isEqualTo(1);
        line.say(welcome(2, 0));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        assertThat(program).isNotDone();
    }

    @Test
    void aRankThatReplaysIsNotBlocked() throws Exception {
        connect(2);
        CollectivePosition collectivePosition = new CollectivePosition(endpoint.presences(), CONTEXT, new int[] {0, 1}, 0);
        collectivePosition.enter("Bcast", 0, false);
        endpoint.presences().stays(collectivePosition, false);
        line.hearNothing();
        line.say(history(0));
        receive();
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        endpoint.presences().stays(collectivePosition, true);
        line.hear(FrameType.BLOCKED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a test", "a wait for any of 2", "a probe", "a cancel", "Wtime", "Finalize"})
    void aRankThatDoesSomethingElseEndsTheJob(String call) throws Exception {
        connect(2);
        line.say(history(0, call.equals("a probe") ? DeterminantLog.DONE : DeterminantLog.FOUND));
        start(() -> {
            Operation one = receive();
            switch (call) {
                case "a test" -> endpoint.test(one);
                case "a probe" -> endpoint.probe(CONTEXT, 1, TAG);
                case "a cancel" -> endpoint.cancel(one);
                case "Wtime" -> endpoint.nanoTime();
                case "Finalize" -> endpoint.close();
                default -> endpoint.awaitAny(new Operation[] {one, one});
            }
            return null;
        });
        CloseNotice abort = CloseNotice.decode(line.hear(FrameType.ABORT));
        assertThat(abort.code()).isEqualTo(71);
        assertThat(abort.text()).contains(" as event 1 after 0 failed polls, found " + call + " after event 0");
        assertThat(end.how.get()).isEqualTo("exit 71");
    }

    // ---- what was sent before

    @Test
    void suppressedSendTransmitsOnlyItsChecksum() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 4), open(FrameType.OFFER, 3));
        byte[] large = new byte[70_000];
        large[69_999] = 1;
        Operation synchronous = send(1, NONE, SendMode.SYNCHRONOUS);
        assertThat(synchronous.isDone()).isTrue();
        send(1, large, SendMode.STANDARD);
        line.hearNothing();
        send(1);
        assertThat(view(line.hear(FrameType.RESENT)).checksum()).as("with what somebody waits for").isZero();
        FrameView resent = view(line.hear(FrameType.RESENT));
        MessageChecksum checksum = new MessageChecksum();
        checksum.add(MessageChecksum.piece(ByteBuffer.wrap(large, 0, 65_536)));
        checksum.add(MessageChecksum.piece(ByteBuffer.wrap(large, 65_536, 70_000 - 65_536)));
        assertThat(resent.checksum()).isEqualTo(checksum.value());
        assertThat(resent.sequence()).isEqualTo(2);
        assertThat(resent.messageBytes()).isEqualTo(70_000);
        assertThat(resent.tag()).isEqualTo(TAG);
        assertThat(view(line.hear(FrameType.OFFER)).flags())
                .as("it was offered, whatever the credit is now")
                .isEqualTo(FrameView.AGAIN | FrameView.STORABLE);
        send(1);
        send(1);
        line.hear(FrameType.RESENT);
        FrameView fresh = view(line.hear(FrameType.SEND));
        assertThat(fresh.flags()).isZero();
        assertThat(fresh.sequence()).isEqualTo(5);
        send(1);
        line.hear(FrameType.SEND);
        send(1);
        assertThat(view(line.hear(FrameType.OFFER)).flags()).as("two messages of credit").isEqualTo(FrameView.STORABLE);
    }

    /** Its credit is still out, at the relay. */
    @Test
    void partlyArrivedEagerMessagesAreResentWithoutCredit() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 3), open(FrameType.EAGER, 1), open(FrameType.EAGER, 2), open(FrameType.EAGER, 3));
        for (int i = 0; i < 3; i++) {
            assertThat(send(1, new byte[70_000], SendMode.STANDARD).isDone()).isTrue();
            assertThat(view(line.hear(FrameType.EAGER)).flags()).isEqualTo(FrameView.AGAIN);
            line.hear(FrameType.CHUNK);
            assertThat(view(line.hear(FrameType.CHUNK)).offset()).isEqualTo(Wire.PAYLOAD_BYTES_MAX);
        }
        send(1);
        line.hear(FrameType.SEND);
        send(1);
        line.hear(FrameType.SEND);
        send(1);
        line.hear(FrameType.OFFER);
    }

    @Test
    void anEmptyMessageIsBegunAgainInOneFrame() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 1), open(FrameType.EAGER, 1));
        send(1, NONE, SendMode.STANDARD);
        assertThat(view(line.hear(FrameType.SEND)).flags()).isEqualTo(FrameView.AGAIN);
    }

    /** EAGER has a limit, and of an offer that was wholly sent nothing is left but that nobody keeps it. */
    @Test
    void oneTooLongForThatIsOfferedAgain() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 1), open(FrameType.EAGER, 1));
        int bytes = Wire.EAGER_BYTES_MAX + 1;
        Operation send = send(1, new byte[bytes], SendMode.STANDARD);
        FrameView offer = view(line.hear(FrameType.OFFER));
        assertThat(offer.flags()).isEqualTo(FrameView.AGAIN);
        assertThat(offer.messageBytes()).isEqualTo(bytes);
        assertThat(send.isDone()).isFalse();
    }

    @Test
    void aChannelThatNothingIsKnownOfIsSentAgain() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 4));
        send(2);
        assertThat(view(line.hear(FrameType.SEND)).flags()).isEqualTo(FrameView.AGAIN);
    }

    @Test
    void aFirstProcessSendsNothingAgain() throws Exception {
        connect(1);
        send(1);
        assertThat(view(line.hear(FrameType.SEND)).flags()).isZero();
    }

    @Test
    void withdrawnSendIsWithdrawnAgainInReplay() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 2), known(StatePage.GONE, 1, 1), known(StatePage.GONE, 1, 2));
        line.say(history(0, DeterminantLog.TAKEN));
        Operation[] gone = {send(1, new byte[1], SendMode.SYNCHRONOUS), send(1, new byte[1], SendMode.SYNCHRONOUS)};
        assertThat(gone[0].isDone()).isFalse();
        assertThat(endpoint.cancel(gone[0])).isTrue();
        line.hear(FrameType.LIVE);
        assertThat(endpoint.cancel(gone[1])).as("nobody had been told").isTrue();
        send(1);
        hearEvents(2, DeterminantLog.TAKEN);
        assertThat(view(line.hear(FrameType.SEND)).sequence()).isEqualTo(3);
    }

    /** Nothing would ever end the wait. */
    @Test
    void waitForAWithdrawnSendIsDivergence() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 1), known(StatePage.GONE, 1, 1));
        Operation gone = send(1, new byte[1], SendMode.SYNCHRONOUS);
        start(() -> {
            endpoint.await(gone);
            return null;
        });
        line.say(history(0));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.EVENTS);
        line.say(ScriptedRelay.ack(0, 1)); // Nobody has died, and no communicator is revoked.
        CloseNotice abort = CloseNotice.decode(line.hear(FrameType.ABORT));
        assertThat(abort.text()).contains("found a wait for what it had taken back then, after event 0");
        assertThat(end.how.get()).isEqualTo("exit 71");
    }

    /** Its relay may have been started again, and know of what came later in the channel; and what had to be offered then may be sent whole now. */
    @Test
    void completedSendCanStillBeWithdrawnInReplay() throws Exception {
        connect(2, known(StatePage.ACCEPTED, 1, 2));
        line.say(history(0, DeterminantLog.TAKEN));
        Operation accepted = send(1, new byte[1], SendMode.SYNCHRONOUS);
        Operation whole = send(2);
        assertThat(accepted.isDone()).isTrue();
        assertThat(whole.isDone()).isTrue();
        CompletableFuture<Boolean> again = start(() -> endpoint.cancel(accepted));
        line.hear(FrameType.RESENT);
        line.hear(FrameType.SEND);
        line.hear(FrameType.LIVE);
        line.say(ScriptedRelay.withdrawn(line.hear(FrameType.WITHDRAW), true));
        assertThat(again.get()).as("as before").isTrue();
        CompletableFuture<Boolean> untold = start(() -> endpoint.cancel(whole));
        line.say(ScriptedRelay.withdrawn(line.hear(FrameType.WITHDRAW), true));
        assertThat(untold.get()).as("nobody had been told").isTrue();
        assertThat(whole.isCancelled()).isTrue();
        Operation late = send(1);
        CompletableFuture<Boolean> tooLate = start(() -> endpoint.cancel(late));
        hearEvents(2, DeterminantLog.TAKEN);
        line.hear(FrameType.RESENT);
        line.hear(FrameType.WITHDRAW);
        assertThat(breakLine()).contains(known(StatePage.GONE, 1, 1), known(StatePage.GONE, 2, 1));
        line.say(greeting(2, 0));
        line.say(events(3, NONE, 0, FrameView.END));
        hearEvents(2, DeterminantLog.TAKEN);
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POLLS);
        line.say(ScriptedRelay.withdrawn(line.hear(FrameType.WITHDRAW), false));
        assertThat(tooLate.get()).isFalse();
    }

    /** It is not live before it has observed what follows, and does not come to that before it has the answer. */
    @Test
    void pendingWithdrawalIsRepeatedBeforeLive() throws Exception {
        connect(2);
        line.say(events(1, items(0, DeterminantLog.TAKEN, DeterminantLog.VALUE), 0, 0));
        Operation offer = send(1, new byte[] {5}, SendMode.SYNCHRONOUS);
        CompletableFuture<Long> next = start(() -> endpoint.cancel(offer) ? endpoint.value(() -> 17) : -1);
        line.hear(FrameType.OFFER);
        line.hear(FrameType.WITHDRAW);
        breakLine();
        line.say(greeting(2, 0));
        assertThat(view(line.hear(FrameType.OFFER)).flags()).isEqualTo(FrameView.AGAIN);
        line.say(ScriptedRelay.withdrawn(line.hear(FrameType.WITHDRAW), true), events(3, NONE, 0, FrameView.END));
        assertThat(next.get()).as("as it was").isEqualTo(1);
        line.hear(FrameType.LIVE);
    }

    /** A connection that breaks under a rank that does again what it did leaves it with no question. */
    @Test
    void probeAfterReplayIsSentOnce() throws Exception {
        connect(2);
        Operation receive = receive();
        CompletableFuture<Envelope> probed = start(() -> {
            endpoint.await(receive);
            endpoint.value(() -> 17);
            return endpoint.probe(CONTEXT, 1, TAG);
        });
        breakLine();
        line.say(greeting(2, 1));
        line.say(pushed(CONTEXT, TAG, 1, 1, new byte[1], 1), endOfHistory(DeterminantLog.VALUE));
        line.hear(FrameType.LIVE);
        ByteBuffer probe = line.hear(FrameType.PROBE);
        line.say(ScriptedRelay.credit(1, 1));
        line.hearNothing();
        ByteBuffer answer = ScriptedRelay.nothingFound(probe);
        view(answer).flags(FrameView.FOUND).address(CONTEXT, 1, 0, TAG).content(1, 1, 1);
        line.say(answer);
        assertThat(probed.get().tag()).isEqualTo(TAG);
    }

    // ---- where a program asks whether it is restored

    private static ByteBuffer point(CheckpointNotice.Kind kind) {
        return new CheckpointNotice(ScriptedRelay.JOB, kind, 0, 0, 0, 0, 0, 0, 0, 0).encode();
    }

    @Test
    void nobodyIsRestoredWhileAReceiveIsUnderWay() throws Exception {
        connect(1);
        Operation receive = receive();
        ByteBuffer post = line.hear(FrameType.POST);
        assertThatThrownBy(endpoint.vault()::restored).isInstanceOf(IllegalStateException.class).hasMessageStartingWith("a receive is under way");
        line.say(delivered(post, 1, new byte[1], 1));
        endpoint.await(receive);
        CompletableFuture<Object> restored = start(endpoint.vault()::restored);
        line.hear(FrameType.POINT);
        line.say(point(CheckpointNotice.Kind.SAVED));
        assertThat(restored.get()).isNull();
    }

    @Test
    void earlierMessagesAreReplayedBeforeRestoredReturns() throws Exception {
        connect(2);
        receive();
        CompletableFuture<Object> restored = start(endpoint.vault()::restored);
        line.hearNothing();
        assertThat(restored).isNotDone();
        line.say(pushed(CONTEXT, TAG, 1, 1, new byte[1], 1), point(CheckpointNotice.Kind.READY), endOfHistory());
        assertThat(restored.get()).isNull();
        line.hear(FrameType.LIVE);
    }

    @Test
    void theRankWaitsForAllThatItsRelayKnows() throws Exception {
        CompletableFuture<RelayEndpoint> connecting = connecting(2);
        endpoint = connecting.get();
        line.close();
        CompletableFuture<RelayEndpoint> again = start(() -> RelayEndpoint.connect(
                relay.address(), TOKEN, Hello.start(ScriptedRelay.JOB, 0, 3), new Settings(1 << 18), end));
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(welcome(3, 2), page(1, known(StatePage.ACCEPTED, 1, 1)).encode());
        line.say(page(0, known(StatePage.ACCEPTED, 2, 1)).encode());
        endpoint = again.get();
        send(2);
        send(1);
        start(() -> endpoint.probe(CONTEXT, 1, TAG));
        line.hear(FrameType.RESENT);
        line.hear(FrameType.RESENT);
    }

    /** The relay did not know it yet when it told the process what was there; when that comes again it does. */
    @Test
    void offerAcceptedFromPreviousIncarnationCompletesAfterReconnect() throws Exception {
        connect(2, open(FrameType.OFFER, 1), known(StatePage.ACCEPTED, 1, 1));
        Operation send = send(1, LONG, SendMode.SYNCHRONOUS);
        CompletableFuture<Void> sent = start(() -> {
            endpoint.await(send);
            return null;
        });
        line.hear(FrameType.OFFER);
        assertThat(breakLine()).extracting(StatePage.Entry::kind).contains(StatePage.SENT);
        line.say(greeting(2, 0, known(StatePage.ACCEPTED, 1, 1)));
        sent.get();
        assertThat(endpoint.isClosed()).isFalse();
    }

    @Test
    void pagesThatAreNotThoseAnnouncedEndTheRank() throws Exception {
        assertThatThrownBy(connecting(2, page(3, known(StatePage.ACCEPTED, 1, 1)))::get)
                .hasMessageContaining("sent a bad frame: STATE with 3 pages left, expected 0");
    }
}
