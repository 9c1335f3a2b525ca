package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.posthouse.mpj.ScriptedRelay.events;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/** Messages of the past come unasked, early or late: each gets to its receive, whole and once, and nothing is posted before LIVE. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReplayMatcherTest extends OneRank {
    private static final byte[] NONE = {};

    /** A receive of the program, and the array that it fills. */
    private final class Received {
        private final byte[] bytes;
        private final Operation operation;

        Received(int context, int bytesMax) {
            this(context, bytesMax, Wire.ANY);
        }

        Received(int context, int bytesMax, int tag) {
            bytes = new byte[bytesMax];
            operation = endpoint.receive(context, Wire.ANY, tag, Plain.sink(Base.BYTE, bytes, 0, bytesMax));
        }

        byte[] await() {
            endpoint.await(operation);
            assertThat(operation.failure()).isNull();
            return Arrays.copyOf(bytes, (int) operation.envelope().bytes());
        }
    }

    ReplayMatcherTest() throws IOException {}

    private void connect(int incarnation, StatePage.Entry... known) throws Exception {
        connect(Hello.start(ScriptedRelay.JOB, 0, incarnation), new Settings(1 << 18), greeting(incarnation, 1_000, known));
    }

    private static ByteBuffer push(int context, int ordinal, int... bytes) {
        byte[] payload = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            payload[i] = (byte) bytes[i];
        }
        return pushed(context, TAG, ordinal, ordinal, payload, payload.length);
    }

    /** Waits until the rank has read all that was said; a value of the past is read behind it. */
    private void isRead() throws IOException {
        line.say(events(1, new byte[] {0, 0, 0, 0, DeterminantLog.VALUE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0, 0));
        assertThat(endpoint.value(() -> 17)).isEqualTo(1);
    }

    /** Waits until the rank has told that it goes on: a value is a new one. */
    private void isLive() throws Exception {
        assertThat(endpoint.value(() -> 17)).as("a new one").isEqualTo(17);
        line.hear(FrameType.LIVE);
    }

    // ---- early and late

    @Test
    void messagesWaitForTheirReceives() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 2, 22), push(CONTEXT + 1, 1, 11, 12), push(CONTEXT, 1), push(CONTEXT, 3, 33));
        isRead();
        assertThat(new Received(CONTEXT, 10).await()).as("an empty one").isEmpty();
        assertThat(new Received(CONTEXT, 10).await()).containsExactly(22);
        assertThat(new Received(CONTEXT + 1, 10).await()).containsExactly(11, 12);
        assertThat(new Received(CONTEXT, 10).await()).containsExactly(33);
        line.hearNothing();
    }

    @Test
    void receivesWaitForTheirMessages() throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10, TAG + 1);
        Received second = new Received(CONTEXT, 10);
        Received other = new Received(CONTEXT + 1, 10);
        line.say(push(CONTEXT, 2, 22), push(CONTEXT + 1, 1, 11), pushed(CONTEXT, TAG + 1, 1, 1, new byte[] {33}, 1));
        assertThat(second.await()).containsExactly(22);
        assertThat(first.await()).containsExactly(33);
        assertThat(other.await()).containsExactly(11);
        line.hearNothing();
    }

    @Test
    void aLongMessageGoesOnInItsReceive() throws Exception {
        connect(2);
        line.say(
                pushed(CONTEXT, TAG, 1, 7, LONG, 0),
                ScriptedRelay.chunk(CONTEXT, 7, LONG, 0),
                ScriptedRelay.chunk(CONTEXT, 7, LONG, Wire.PAYLOAD_BYTES_MAX));
        isRead();
        Received receive = new Received(CONTEXT, LONG.length);
        line.say(
                ScriptedRelay.chunk(CONTEXT, 7, LONG, 2 * Wire.PAYLOAD_BYTES_MAX),
                ScriptedRelay.chunk(CONTEXT, 7, LONG, 3 * Wire.PAYLOAD_BYTES_MAX));
        assertThat(Arrays.mismatch(receive.await(), LONG)).isEqualTo(-1);
    }

    @Test
    void aMessageThatDoesNotFitIsThrownAwayLate() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 1, 1, 2, 3), push(CONTEXT, 2, 4));
        isRead();
        Received tooLong = new Received(CONTEXT, 2);
        endpoint.await(tooLong.operation);
        assertThat(tooLong.operation.failure().kind()).isSameAs(ReceiveException.Kind.TRUNCATE);
        assertThat(new Received(CONTEXT, 2).await()).containsExactly(4);
    }

    @Test
    void aSecondMessageForAReceiveIsABreach() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 1, 1), push(CONTEXT, 1, 2));
        assertThatThrownBy(this::isRead).hasStackTraceContaining("a second message for receive 1 of context 4");
    }

    // ---- what it asks for

    @Test
    void unmatchedReceivesArePostedAfterLiveInCallOrder() throws Exception {
        connect(2);
        new Received(CONTEXT, 10, TAG + 1);
        new Received(CONTEXT + 1, 10);
        Received matched = new Received(CONTEXT, 10);
        new Received(CONTEXT, 10, TAG + 1);
        line.say(push(CONTEXT, 2, 22), push(CONTEXT, 5, 55));
        assertThat(matched.await()).containsExactly(22);
        line.hearNothing();
        line.say(endOfHistory());
        isLive();
        for (int[] call : new int[][] {{CONTEXT, 1}, {CONTEXT + 1, 1}, {CONTEXT, 3}}) {
            FrameView post = view(line.hear(FrameType.POST));
            assertThat(post.context()).isEqualTo(call[0]);
            assertThat(post.ordinal()).isEqualTo(call[1]);
        }
        new Received(CONTEXT, 10, TAG + 1);
        line.hear(FrameType.EVENTS);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(4);
        assertThat(new Received(CONTEXT, 10).await()).as("it has come, and is not posted").containsExactly(55);
        new Received(CONTEXT, 10);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(6);
    }

    @Test
    void aReceiveThatWasTakenBackIsNotPosted() throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        new Received(CONTEXT, 10);
        line.say(endOfHistory(DeterminantLog.TAKEN));
        assertThat(endpoint.cancel(first.operation)).isTrue();
        line.hear(FrameType.LIVE);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(2);
        line.hearNothing();
    }

    /** A receive called later had got what it takes: the process before had taken it back, and did not come to say so. */
    @Test
    void aReceiveThatWasPassedOverIsNotPostedAndIsTakenBack() throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        Received other = new Received(CONTEXT, 10, TAG + 1);
        Received second = new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 3, 22), endOfHistory());
        assertThat(second.await()).containsExactly(22);
        requireTakenBack(first, other);
    }

    @Test
    void aReceiveIsPassedOverTooIfItIsCalledWhenThatIsKnown() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 3, 22));
        isRead();
        Received first = new Received(CONTEXT, 10);
        Received other = new Received(CONTEXT, 10, TAG + 1);
        assertThat(new Received(CONTEXT, 10).await()).containsExactly(22);
        line.say(events(2, NONE, 0, FrameView.END));
        requireTakenBack(first, other);
    }

    @Test
    void aReceiveIsPassedOverTooIfItIsCalledWhenTheRankIsLive() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 2, 22), endOfHistory());
        isLive();
        Received first = new Received(CONTEXT, 10);
        assertThat(new Received(CONTEXT, 10).await()).containsExactly(22);
        line.hearNothing();
        assertThat(endpoint.cancel(first.operation)).isTrue();
    }

    /** Nothing would ever end the wait, and nobody would be told why the job stands still. */
    @ParameterizedTest
    @ValueSource(strings = {"Wait", "Waitany"})
    void waitForSkippedReceiveAfterLiveIsDivergence(String call) throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 2, 22), endOfHistory());
        isLive();
        start(() -> waits(call, first));
        tellNobodyHasFailed();
        requireDiverged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Wait", "Waitany"})
    void waitBegunBeforeTheReceiveWasSkippedIsDivergence(String call) throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        new Received(CONTEXT, 10);
        start(() -> waits(call, first));
        line.say(push(CONTEXT, 2, 22), endOfHistory());
        line.hear(FrameType.LIVE);
        tellNobodyHasFailed();
        requireDiverged();
    }

    /** The event that the process before saw next stands behind all failures that it knew of in this wait. LIVE would never come. */
    @ParameterizedTest
    @ValueSource(strings = {"Wait", "Waitany"})
    void waitForSkippedReceiveIsDivergenceAtOnceIfAnotherEventIsNext(String call) throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 2, 22), endOfHistory(DeterminantLog.TAKEN));
        start(() -> waits(call, first));
        requireDiverged();
    }

    /** The rank asks; no notice of a failure has come before the answer. */
    private void tellNobodyHasFailed() throws Exception {
        line.hear(FrameType.EVENTS);
        line.say(ScriptedRelay.ack(0, 1));
    }

    @Test
    void waitanyWithSkippedReceiveCompletesWithTheOther() throws Exception {
        connect(2);
        Received first = new Received(CONTEXT, 10);
        Received other = new Received(CONTEXT, 10, TAG + 1);
        new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 3, 22), endOfHistory());
        isLive();
        CompletableFuture<Integer> index =
                start(() -> endpoint.awaitAny(new Operation[] {first.operation, other.operation}));
        line.say(ScriptedRelay.delivered(line.hear(FrameType.POST), 3, new byte[] {33}, 1));
        assertThat(index.get()).isEqualTo(1);
    }

    private Object waits(String call, Received first) {
        if (call.equals("Wait")) {
            endpoint.await(first.operation);
        } else {
            endpoint.awaitAny(new Operation[] {first.operation, null});
        }
        return null;
    }

    private void requireDiverged() throws Exception {
        CloseNotice abort = CloseNotice.decode(line.hear(FrameType.ABORT));
        assertThat(abort.code()).isEqualTo(71);
        assertThat(abort.text()).contains("found a wait for what it had taken back then, after event ");
        assertThat(end.how.get()).isEqualTo("exit 71");
    }

    private void requireTakenBack(Received passedOver, Received other) throws Exception {
        isLive();
        assertThat(view(line.hear(FrameType.POST)).ordinal()).as("it waits as it did").isEqualTo(2);
        line.hearNothing();
        assertThat(endpoint.cancel(passedOver.operation)).isTrue();
        assertThat(other.operation.isDone()).isFalse();
    }

    /** Else a rank that sends much before it receives would have all that it ever received in memory. */
    @Test
    void itReadsNoFurtherThanItNeeds() throws Exception {
        connect(2, new StatePage.Entry(StatePage.ACCEPTED, CONTEXT, 1, 1_000_000));
        byte[] piece = new byte[Wire.PAYLOAD_BYTES_MAX];
        Connection saying = line;
        AtomicInteger said = new AtomicInteger();
        CompletableFuture<Object> saysAll = start(() -> {
            while (said.get() < 1_000) {
                int ordinal = said.get() + 1;
                saying.say(pushed(CONTEXT, TAG, ordinal, ordinal, piece, piece.length));
                said.incrementAndGet();
            }
            return null;
        });
        assertThat(new Received(CONTEXT, piece.length).await()).hasSize(piece.length);
        int before = 0;
        while (before < said.get()) {
            before = said.get();
            for (int i = 0; i < 100; i++) {
                endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, NONE, 0, 0), SendMode.STANDARD);
                TimeUnit.MILLISECONDS.sleep(2);
            }
        }
        assertThat(said).as("what the sockets' buffers take").hasValueLessThan(1_000);
        for (int i = 2; i <= 1_000; i++) {
            new Received(CONTEXT, piece.length).await();
        }
        saysAll.get();
    }

    // ---- what ran ahead

    private static ByteBuffer ranAhead(int sequence, int tag, int value) {
        return pushed(CONTEXT, tag, 0, sequence, new byte[] {(byte) value}, 1);
    }

    private Received receive(int tag) {
        return new Received(CONTEXT, 10, tag);
    }

    /** An event of the past by which a receive of the context was taken back. */
    private static ByteBuffer takenBack(int number) {
        ByteBuffer item = ByteBuffer.allocate(Wire.EVENT_BYTES);
        item.putInt(0).putInt(DeterminantLog.TAKEN << 24).putLong((CONTEXT + 1L) << Integer.SIZE | 1);
        return events(number, item.array(), 0, 0);
    }

    @Test
    void pushedMessagesMatchTheSameReceivesInReplay() throws Exception {
        connect(2);
        Received tagged = receive(TAG + 1);
        line.say(ranAhead(1, TAG, 1), ranAhead(2, TAG + 1, 2), push(CONTEXT, 3, 3), ranAhead(4, TAG, 4));
        assertThat(tagged.await()).as("the one that it takes").containsExactly(2);
        assertThat(receive(TAG).await()).as("the first that it takes").containsExactly(1);
        assertThat(receive(TAG).await()).as("the one that names it, though another is there").containsExactly(3);
        assertThat(receive(Wire.ANY).await()).containsExactly(4);
        line.hearNothing();
    }

    @Test
    void unreceivedPushedMessagesRemainAvailableAfterLive() throws Exception {
        connect(2);
        line.say(ranAhead(1, TAG, 1), ranAhead(2, TAG + 1, 2), endOfHistory());
        assertThat(endpoint.value(() -> 17)).isEqualTo(17);
        line.hear(FrameType.LIVE);
        receive(TAG + 2);
        line.hear(FrameType.EVENTS);
        line.hear(FrameType.POST);
        assertThat(receive(TAG + 1).await()).containsExactly(2);
        assertThat(endpoint.tryProbe(CONTEXT, Wire.ANY, TAG).bytes()).isEqualTo(1);
        assertThat(receive(Wire.ANY).await()).containsExactly(1);
        line.hearNothing();
    }

    /** It was read ahead of the program, and is for a receive that was called when the other was gone. */
    @Test
    void messageAfterACancelSkipsTheCancelledReceive() throws Exception {
        connect(2);
        Received gone = receive(TAG);
        line.say(takenBack(1), ranAhead(1, TAG, 1), takenBack(2), ranAhead(2, TAG, 2));
        line.say(events(3, new byte[] {0, 0, 0, 0, DeterminantLog.VALUE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0, 0));
        Received other = receive(TAG + 1);
        assertThat(endpoint.cancel(gone.operation)).isTrue();
        Received first = receive(TAG);
        assertThat(first.await()).containsExactly(1);
        Received goneToo = receive(TAG);
        assertThat(endpoint.cancel(goneToo.operation)).isTrue();
        assertThat(receive(Wire.ANY).await()).containsExactly(2);
        assertThat(other.operation.isDone()).isFalse();
    }

    // ---- a break

    @Test
    void replayedMessageSkipsCancelledAndMatchedReceives() throws Exception {
        connect(2);
        Received gone = new Received(CONTEXT, 10);
        line.say(events(1, items(0, DeterminantLog.TAKEN), 0, 0));
        assertThat(endpoint.cancel(gone.operation)).isTrue();
        Received second = new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 0, 22));
        assertThat(second.await()).containsExactly(22);
        Received third = new Received(CONTEXT, 10);
        Received fourth = new Received(CONTEXT, 10);
        line.say(push(CONTEXT, 3, 33), push(CONTEXT, 0, 44));
        assertThat(third.await()).containsExactly(33);
        assertThat(fourth.await()).containsExactly(44);
    }

    @Test
    void arrivedMessagesSurviveAConnectionBreak() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 1, 11), pushed(CONTEXT, TAG, 3, 7, LONG, 0), ScriptedRelay.chunk(CONTEXT, 7, LONG, 0));
        isRead();
        CompletableFuture<byte[]> first = start(() -> {
            Received one = new Received(CONTEXT, 10);
            Received two = new Received(CONTEXT, 10, TAG + 1);
            return new byte[] {one.await()[0], two.await()[0]};
        });
        assertThat(breakLine()).containsExactly(
                new StatePage.Entry(StatePage.ARRIVING, CONTEXT, 1, 1, 7, Wire.PAYLOAD_BYTES_MAX));
        assertThat(hello.deliveries()).isEqualTo(2);
        line.say(greeting(2, 1_000));
        for (int from = Wire.PAYLOAD_BYTES_MAX; from < LONG.length; from += Wire.PAYLOAD_BYTES_MAX) {
            line.say(ScriptedRelay.chunk(CONTEXT, 7, LONG, from));
        }
        line.say(pushed(CONTEXT, TAG + 1, 2, 2, new byte[] {22}, 1));
        assertThat(first.get()).containsExactly(11, 22);
        assertThat(Arrays.mismatch(new Received(CONTEXT, LONG.length).await(), LONG)).isEqualTo(-1);
        line.hearNothing();
    }

    @Test
    void aCancelThatWasNotAnsweredIsTooLateIfTheHistoryHasAMessage() throws Exception {
        connect(1);
        Received receive = new Received(CONTEXT, 10);
        line.hear(FrameType.POST);
        CompletableFuture<Boolean> gone = start(() -> endpoint.cancel(receive.operation));
        line.hear(FrameType.CANCEL);
        breakLine();
        line.say(greeting(1, 1_000));
        line.say(push(CONTEXT, 1, 11), events(1, NONE, 0, FrameView.END));
        assertThat(gone.get()).isFalse();
        line.hear(FrameType.LIVE);
        assertThat(receive.await()).containsExactly(11);
    }

    @Test
    void aProcessThatIsNotReplayedHasCalledAllItsReceives() throws Exception {
        connect(1);
        CompletableFuture<byte[]> received = start(() -> new Received(CONTEXT, 10).await());
        line.hear(FrameType.POST);
        breakLine();
        line.say(greeting(1, 1_000));
        line.say(push(CONTEXT, 2, 11));
        assertThatThrownBy(received::get).hasStackTraceContaining("DELIVERED for receive 2 of context 4, which does not wait");
    }

    // ---- images

    /** A process begins, and receives two messages. */
    private void receiveTwo() throws Exception {
        connect(1);
        for (int i = 1; i <= 2; i++) {
            Received received = new Received(CONTEXT, 10);
            line.say(ScriptedRelay.delivered(line.hear(FrameType.POST), i, new byte[1], 1));
            received.await();
        }
    }

    /** The image that a rank makes behind two deliveries. */
    private byte[] saved() throws Exception {
        receiveTwo();
        return image(start(() -> endpoint.vault().save(out -> out.write(LONG))));
    }

    private byte[] image(CompletableFuture<Boolean> saving) throws Exception {
        CheckpointNotice save = CheckpointNotice.decode(line.hear(FrameType.POINT));
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        while (image.size() < save.bytes()) {
            ByteBuffer piece = line.hear(FrameType.IMAGE);
            image.write(piece.array(), Wire.IMAGE_HEADER_BYTES, piece.limit() - Wire.IMAGE_HEADER_BYTES);
        }
        line.say(CheckpointNotice.of(ScriptedRelay.JOB, CheckpointNotice.Kind.SAVED, 1, 0).encode());
        assertThat(saving.get()).isTrue();
        line.close();
        return image.toByteArray();
    }

    /** JUMP, and so many bytes of the image. */
    private void sayJump(byte[] image, int end) throws IOException {
        line.say(new CheckpointNotice(ScriptedRelay.JOB, CheckpointNotice.Kind.JUMP, 0, 1, image.length, 0, 0, 0, 0, 0).encode());
        for (int at = 0; at < end; at += Wire.PAYLOAD_BYTES_MAX) {
            int bytes = Math.min(end - at, Wire.PAYLOAD_BYTES_MAX);
            ByteBuffer frame = ScriptedRelay.frame(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, bytes);
            view(frame).image(1, at);
            line.say(frame.put(Wire.IMAGE_HEADER_BYTES, image, at, bytes));
        }
    }

    private void checkRestored(DataInputStream image) throws IOException {
        assertThat(Arrays.mismatch(image.readAllBytes(), LONG)).isEqualTo(-1);
        assertThat(new Received(CONTEXT, 10).await()).containsExactly(33);
    }

    @Test
    void messagesAfterImageMayArriveBeforeRestoredIsCalled() throws Exception {
        byte[] image = saved();
        connect(2);
        sayJump(image, image.length);
        line.say(push(CONTEXT, 3, 33));
        CompletableFuture<DataInputStream> restored = start(() -> endpoint.vault().restored());
        DataInputStream program = restored.get();
        CompletableFuture<Long> value = start(() -> endpoint.value(() -> 17));
        breakLine();
        assertThat(hello.deliveries()).as("two in the image, and one").isEqualTo(3);
        line.say(greeting(2, 1_000));
        line.say(endOfHistory());
        assertThat(value.get()).isEqualTo(17);
        checkRestored(program);
    }

    /** The relay counts as the image's what it has sent before it hears of the image: so nothing may be on its way then. */
    @Test
    void unreceivedPushedMessagesAreSavedInTheImage() throws Exception {
        receiveTwo();
        Received third = new Received(CONTEXT, 10);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(ScriptedRelay.delivered(post, 3, new byte[1], 1), ranAhead(4, TAG, 44), ranAhead(5, TAG + 1, 55));
        third.await();
        CompletableFuture<Boolean> saving = start(() -> endpoint.vault().save(out -> out.write(LONG)));
        assertThat(view(line.hear(FrameType.AHEAD)).flags()).isEqualTo(FrameView.END);
        line.hearNothing();
        line.say(ranAhead(6, TAG, 66), ScriptedRelay.ended(CONTEXT, 1, 3, 1));
        byte[] image = image(saving);

        connect(2);
        sayJump(image, image.length);
        line.say(ranAhead(7, TAG, 77), endOfHistory());
        assertThat(Arrays.mismatch(endpoint.vault().restored().readAllBytes(), LONG)).isEqualTo(-1);
        for (byte[] tagAndValue : new byte[][] {{TAG + 1, 55}, {TAG, 44}, {TAG, 66}, {TAG, 77}}) {
            assertThat(receive(tagAndValue[0]).await()).containsExactly(tagAndValue[1]);
        }
    }

    /** It waits for the line to say so then, and what it waits for is there already when it has one. */
    @Test
    void aRoundThatEndsInAMoveIsNotWaitedForBehindIt() throws Exception {
        receiveTwo();
        Received third = new Received(CONTEXT, 10);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(ScriptedRelay.delivered(post, 3, new byte[1], 1));
        third.await();
        CompletableFuture<Boolean> saving = start(() -> endpoint.vault().save(out -> out.write(LONG)));
        assertThat(view(line.hear(FrameType.AHEAD)).flags()).isEqualTo(FrameView.END);
        line.say(ScriptedRelay.move());
        line.hear(FrameType.MOVE);
        line.say(ScriptedRelay.closing(CloseReason.MOVED));
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).start()).isEqualTo(Hello.MOVED);
        line.say(ScriptedRelay.welcome(1, true, 3, 0), ScriptedRelay.ended(CONTEXT, 1, 0, 1));
        image(saving);
    }

    /** It was done with before the image was made, which its message is before. */
    @Test
    void aReceiveOfThePrologueGetsNothingFromBehindTheImage() throws Exception {
        byte[] image = saved();
        connect(2);
        receive(TAG);
        sayJump(image, image.length);
        line.say(ranAhead(3, TAG, 33), endOfHistory());
        checkRestored(endpoint.vault().restored());
    }

    @Test
    void aReceiveThatWaitedInABreakGetsOneMessage() throws Exception {
        receiveTwo();
        Received third = new Received(CONTEXT, 10);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(ScriptedRelay.delivered(post, 3, new byte[1], 1));
        third.await();
        Received waits = receive(TAG);
        CompletableFuture<byte[]> first = start(waits::await);
        breakLine();
        assertThat(hello.deliveries()).isEqualTo(3);
        line.say(greeting(1, 1_000));
        line.say(ranAhead(4, TAG, 44), ranAhead(5, TAG, 55), endOfHistory());
        assertThat(first.get()).containsExactly(44);
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POLLS);
        assertThat(receive(TAG).await()).containsExactly(55);
        line.hearNothing();
    }

    /** An image of such a moment would be without the message, and so would all that comes behind it. */
    @Test
    void noImageIsMadeWhileAMessageIsUnreceived() throws Exception {
        connect(2);
        line.say(push(CONTEXT, 1, 11), endOfHistory());
        assertThat(endpoint.value(() -> 17)).as("the replay is over").isEqualTo(17);
        assertThat(endpoint.vault().isOpen()).isFalse();
        new Received(CONTEXT, 10).await();
        assertThat(endpoint.vault().isOpen()).isTrue();
    }

    /** Its relay may find another image the next time it looks for one, and must not give that to a process that has gone on from this one. */
    @Test
    void aProcessThatKnowsWhereItGoesOnSaysSo() throws Exception {
        byte[] image = saved();
        connect(2);
        sayJump(image, image.length);
        CompletableFuture<DataInputStream> restored = start(() -> endpoint.vault().restored());
        DataInputStream program = restored.get();
        start(() -> endpoint.value(() -> 17));
        breakLine();
        assertThat(hello.origin()).isEqualTo(1);
        line.say(greeting(2, 1_000));
        line.say(push(CONTEXT, 3, 33), endOfHistory());
        checkRestored(program);
    }

    @Test
    void aProcessThatHasHeardThatThereIsNoImageSaysSo() throws Exception {
        connect(2);
        line.say(new CheckpointNotice(ScriptedRelay.JOB, CheckpointNotice.Kind.READY, 0, 0, 0, 0, 0, 0, 0, 0).encode());
        assertThat(start(() -> endpoint.vault().restored()).get()).isNull();
        CompletableFuture<byte[]> first = start(() -> new Received(CONTEXT, 10).await());
        breakLine();
        assertThat(hello.origin()).isEqualTo(Hello.NO_IMAGE);
        line.say(greeting(2, 1_000));
        line.say(push(CONTEXT, 1, 11), endOfHistory());
        assertThat(first.get()).containsExactly(11);
    }

    @Test
    void anImageThatHasComeInPartComesAgain() throws Exception {
        byte[] image = saved();
        connect(2);
        sayJump(image, Wire.PAYLOAD_BYTES_MAX);
        CompletableFuture<DataInputStream> restored = start(() -> endpoint.vault().restored());
        breakLine();
        assertThat(hello.deliveries()).as("it has not jumped").isZero();
        assertThat(hello.events()).isZero();
        assertThat(hello.origin()).isZero();
        line.say(greeting(2, 1_000));
        sayJump(image, image.length);
        line.say(push(CONTEXT, 3, 33), endOfHistory());
        checkRestored(restored.get());
    }
}
