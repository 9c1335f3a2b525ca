package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.cancelled;
import static org.posthouse.mpj.ScriptedRelay.closing;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.finalized;
import static org.posthouse.mpj.ScriptedRelay.move;
import static org.posthouse.mpj.ScriptedRelay.nothingFound;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.view;
import static org.posthouse.mpj.ScriptedRelay.welcome;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.match.LocalMatchContext;
import org.posthouse.mpj.match.LocalMatchContexts;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.ResendBuffer;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Wire;

/** A rank lets a context run ahead: what it asks of its relay then, and what it does with what comes unasked. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RunningAheadTest extends OneRank {
    private static final Hello HELLO = Hello.firstStart(ScriptedRelay.JOB, 0);

    private long sequence;

    RunningAheadTest() throws IOException {}

    private void connect(Settings settings, boolean logged) throws Exception {
        connect(HELLO, settings, welcome(1, logged, 0, 0));
    }

    /** One byte of rank 1, or of any, is received. */
    private final class Byte1 {
        final byte[] got = new byte[1];
        final Operation operation;

        Byte1(int source, int tag) {
            operation = endpoint.receive(CONTEXT, source, tag, Plain.sink(Base.BYTE, got, 0, 1));
        }

        byte await() {
            endpoint.await(operation);
            assertThat(operation.failure()).isNull();
            return got[0];
        }
    }

    private ByteBuffer push(int tag, int value) {
        return pushed(CONTEXT, tag, 0, ++sequence, new byte[] {(byte) value}, 1);
    }

    private ByteBuffer ended(int round, int pushes, int reason) {
        return ScriptedRelay.ended(CONTEXT, round, pushes, reason);
    }

    private static ByteBuffer found(ByteBuffer probe) {
        ByteBuffer answer = ScriptedRelay.fixed(FrameType.PROBE_ANSWER, Wire.MESSAGE_HEADER_BYTES);
        view(answer).flags(FrameView.FOUND).address(CONTEXT, 1, 0, TAG).content(5, 5, 1).request(view(probe).postRequest());
        return answer;
    }

    private ByteBuffer answer(ByteBuffer post, int value) {
        return delivered(post, ++sequence, new byte[] {(byte) value}, 1);
    }

    /** Two short messages are received, and with the third receive the context is opened; its message comes as ever. */
    private void open() throws Exception {
        connect(Settings.DEFAULT, false);
        receiveAsked(2);
        Byte1 third = new Byte1(1, TAG);
        ByteBuffer post = line.hear(FrameType.POST);
        FrameView ahead = view(line.hear(FrameType.AHEAD));
        assertThat(new long[] {ahead.context(), ahead.round(), ahead.destination(), ahead.pushedCost(), ahead.flags()})
                .containsExactly(CONTEXT, 1, 0, LocalMatchContext.WINDOW_COST, 0);
        line.say(answer(post, 3));
        assertThat(third.await()).isEqualTo((byte) 3);
    }

    private void receiveAsked(int messages) throws Exception {
        for (int message = 1; message <= messages; message++) {
            Byte1 receive = new Byte1(1, TAG);
            line.say(answer(line.hear(FrameType.POST), message));
            assertThat(receive.await()).isEqualTo((byte) message);
        }
    }

    @Test
    void pushedMessagesAreReceivedWithoutSendingFrames() throws Exception {
        open();
        line.say(push(TAG + 1, 10), push(TAG, 11), push(TAG, 12));
        assertThat(new Byte1(1, TAG).await()).isEqualTo((byte) 11);
        assertThat(new Byte1(Wire.ANY, Wire.ANY).await()).isEqualTo((byte) 10);
        Byte1 last = new Byte1(Wire.ANY, TAG);
        assertThat(last.operation.isDone()).as("at once").isTrue();
        assertThat(last.await()).isEqualTo((byte) 12);
        line.hearNothing();
    }

    @Test
    void waitingReceivesMatchPushedMessagesInCallOrder() throws Exception {
        open();
        Byte1 any = new Byte1(Wire.ANY, Wire.ANY);
        Byte1 tagged = new Byte1(1, TAG + 1);
        Byte1 second = new Byte1(1, TAG);
        line.say(push(TAG, 1), push(TAG, 2), push(TAG + 1, 3));
        assertThat(tagged.await()).isEqualTo((byte) 3);
        assertThat(any.await()).isEqualTo((byte) 1);
        assertThat(second.await()).isEqualTo((byte) 2);
        line.hearNothing();
    }

    @Test
    void waitingReceivesArePostedWhenTheRoundEnds() throws Exception {
        open();
        Byte1 any = new Byte1(Wire.ANY, TAG + 1);
        Byte1 named = new Byte1(1, TAG);
        Byte1 last = new Byte1(Wire.ANY, TAG);
        line.say(push(TAG, 1), push(TAG + 2, 2), ended(1, 2, 2));
        assertThat(named.await()).isEqualTo((byte) 1);
        CompletableFuture<Byte> received = start(any::await);
        ByteBuffer first = line.hear(FrameType.POST);
        ByteBuffer second = line.hear(FrameType.POST);
        assertThat(new int[] {view(first).source(), view(first).tag(), view(second).source(), view(second).tag()})
                .as("in the order of their calls")
                .containsExactly(Wire.ANY, TAG + 1, Wire.ANY, TAG);
        line.say(answer(second, 4), answer(first, 5));
        assertThat(received.get()).isEqualTo((byte) 5);
        assertThat(last.await()).isEqualTo((byte) 4);
        assertThat(new Byte1(1, Wire.ANY).await()).as("what has come is first, also when nothing comes any more").isEqualTo((byte) 2);
        line.hearNothing();
        new Byte1(1, TAG);
        line.hear(FrameType.POST);
    }

    @Test
    void waitingReceiveIsPostedAfterTheNextWelcome() throws Exception {
        open();
        Byte1 receive = new Byte1(1, TAG);
        CompletableFuture<Byte> received = start(receive::await);
        line.say(move());
        line.hear(FrameType.MOVE);
        line.say(ended(1, 0, 4));
        line.hearNothing();
        line.say(closing(CloseReason.MOVED));
        line.hearEnd();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).deliveries()).isEqualTo(3);
        line.say(welcome(1, false, 3, 0));
        line.say(answer(line.hear(FrameType.POST), 7));
        assertThat(received.get()).isEqualTo((byte) 7);
    }

    private void receivePushed(int messages) throws Exception {
        for (int message = 0; message < messages; message++) {
            line.say(push(TAG, message));
            new Byte1(1, TAG).await();
        }
    }

    @Test
    void windowIsExtendedOnceHalfOfItIsReceived() throws Exception {
        open();
        int half = (int) (LocalMatchContext.WINDOW_COST / 2 / Wire.cost(1));
        receivePushed(half);
        line.hearNothing();
        receivePushed(1);
        new Byte1(1, TAG);
        FrameView more = view(line.hear(FrameType.AHEAD));
        assertThat(more.round()).isEqualTo(1);
        assertThat(more.pushedCost()).isEqualTo(LocalMatchContext.WINDOW_COST + (half + 1) * Wire.cost(1));
    }

    /** A long message has come: half of the wide window is free. */
    @Test
    void moreIsGrantedWhereALongMessageHasCome() throws Exception {
        open();
        byte[] message = Arrays.copyOf(LONG, 20_000);
        byte[] got = new byte[message.length];
        Operation receive = endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, got, 0, got.length));
        line.say(pushed(CONTEXT, TAG, 0, ++sequence, message, message.length));
        endpoint.await(receive);
        assertThat(got).isEqualTo(message);
        receivePushed((int) ((LocalMatchContext.WINDOW_COST / 2 - Wire.cost(20_000)) / Wire.cost(1)) + 1);
        FrameView more = view(line.hear(FrameType.AHEAD));
        assertThat(more.pushedCost() - LocalMatchContext.WIDE_COST).isBetween(LocalMatchContext.WINDOW_COST / 2L, LocalMatchContext.WINDOW_COST / 2 + 1_000L);
    }

    /** Receives {@code messages} that were asked for in a context; the last of them is still to come. @return its POST */
    private ByteBuffer receiveLong(int context, int messages) throws Exception {
        byte[] message = Arrays.copyOf(LONG, 5_000);
        for (int i = 0; i < messages; i++) {
            Operation receive = endpoint.receive(context, 1, TAG, Plain.sink(Base.BYTE, new byte[message.length], 0, message.length));
            line.say(delivered(line.hear(FrameType.POST), ++sequence, message, message.length));
            endpoint.await(receive);
        }
        endpoint.receive(context, 1, TAG, Plain.sink(Base.BYTE, new byte[1], 0, 1));
        return line.hear(FrameType.POST);
    }

    @Test
    void totalPushWindowOfAllContextsIsBounded() throws Exception {
        connect(Settings.DEFAULT, false);
        int most = (int) (LocalMatchContexts.HELD_COST_MAX / LocalMatchContext.WIDE_COST);
        for (int context = 0; context < most; context++) {
            receiveLong(context, 2);
            assertThat(view(line.hear(FrameType.AHEAD)).pushedCost()).isEqualTo(LocalMatchContext.WIDE_COST);
        }
        receiveLong(most, 2);
        line.hearNothing();
        line.say(ScriptedRelay.endedAt(0, 1, 0, 3));
        receiveLong(most + 1, 2);
        assertThat(view(line.hear(FrameType.AHEAD)).context()).isEqualTo(most + 1);
    }

    /** Two copies of each cost more than asking for it. */
    @Test
    void longMessagesThatComeBeforeTheirReceivesEndTheRound() throws Exception {
        open();
        byte[] message = Arrays.copyOf(LONG, 20_000);
        for (int i = 0; i < 4; i++) {
            line.say(pushed(CONTEXT, TAG + 1, 0, ++sequence, message, message.length));
        }
        line.say(push(TAG, 7));
        assertThat(new Byte1(1, TAG).await()).isEqualTo((byte) 7);
        assertThat(view(line.hear(FrameType.AHEAD)).flags()).isEqualTo(FrameView.END);
        line.say(ScriptedRelay.endedAt(CONTEXT, 1, 4 * Wire.cost(message.length) + Wire.cost(1), 1));
        byte[] got = new byte[message.length];
        CompletableFuture<?> received = start(() -> {
            for (int i = 0; i < 5; i++) {
                endpoint.await(endpoint.receive(CONTEXT, 1, TAG + 1, Plain.sink(Base.BYTE, got, 0, got.length)));
            }
            return null;
        });
        line.say(delivered(line.hear(FrameType.POST), ++sequence, message, message.length));
        received.get();
        assertThat(got).isEqualTo(message);
    }

    @Test
    void probesFindPushedMessages() throws Exception {
        open();
        assertThat(endpoint.tryProbe(CONTEXT, 1, TAG)).isNull();
        line.say(push(TAG + 1, 1), push(TAG, 2));
        assertThat(endpoint.probe(CONTEXT, Wire.ANY, TAG).tag()).isEqualTo(TAG);
        assertThat(endpoint.tryProbe(CONTEXT, 1, Wire.ANY).tag()).isEqualTo(TAG + 1);
        assertThat(new Byte1(1, TAG).await()).as("it is still there").isEqualTo((byte) 2);
        line.hearNothing();
    }

    @Test
    void aProbeThatWaitsAsksTheRelayWhenTheRoundHasEnded() throws Exception {
        open();
        CompletableFuture<Envelope> found = start(() -> endpoint.probe(CONTEXT, 1, TAG));
        line.hearNothing();
        line.say(ended(1, 0, 2));
        ByteBuffer probe = line.hear(FrameType.PROBE);
        assertThat(view(probe).flags()).isEqualTo(FrameView.BLOCKING);
        line.say(found(probe));
        assertThat(found.get().bytes()).isEqualTo(5);
    }

    @Test
    void tryProbeAsksTheRelayWhenTheRoundHasEnded() throws Exception {
        open();
        line.say(ended(1, 0, 2));
        CompletableFuture<Envelope> found = start(() -> {
            Envelope envelope = null;
            while (envelope == null) {
                envelope = endpoint.tryProbe(CONTEXT, 1, TAG);
            }
            return envelope;
        });
        line.say(nothingFound(line.hear(FrameType.PROBE)));
        line.say(found(line.hear(FrameType.PROBE)));
        assertThat(found.get().bytes()).isEqualTo(5);
    }

    @Test
    void aReceiveIsTakenBackByTheRelay() throws Exception {
        open();
        Byte1 receive = new Byte1(1, TAG);
        CompletableFuture<Boolean> gone = start(() -> endpoint.cancel(receive.operation));
        assertThat(view(line.hear(FrameType.AHEAD)).flags()).isEqualTo(FrameView.END);
        line.hearNothing();
        line.say(push(TAG + 1, 1), ended(1, 1, 1));
        ByteBuffer post = line.hear(FrameType.POST);
        ByteBuffer cancel = line.hear(FrameType.CANCEL);
        assertThat(view(cancel).postRequest()).isEqualTo(view(post).postRequest());
        line.say(cancelled(cancel, true));
        assertThat(gone.get()).isTrue();
    }

    @Test
    void aReceiveThatGetsItsMessageMeanwhileIsNotTakenBack() throws Exception {
        open();
        Byte1 receive = new Byte1(1, TAG);
        CompletableFuture<Boolean> gone = start(() -> endpoint.cancel(receive.operation));
        line.hear(FrameType.AHEAD);
        line.say(push(TAG, 1), ended(1, 1, 1));
        assertThat(gone.get()).isFalse();
        assertThat(receive.await()).isEqualTo((byte) 1);
        line.hearNothing();
    }

    @Test
    void aMessageThatDoesNotFitFailsItsReceiveOnly() throws Exception {
        open();
        line.say(pushed(CONTEXT, TAG, 0, ++sequence, new byte[] {1, 2, 3}, 3), push(TAG, 4));
        Operation receive = new Byte1(1, TAG).operation;
        endpoint.await(receive);
        assertThat(receive.failure().kind()).isEqualTo(ReceiveException.Kind.TRUNCATE);
        assertThat(new Byte1(1, TAG).await()).isEqualTo((byte) 4);
    }

    @Test
    void nothingIsSentAfterFinalize() throws Exception {
        open();
        new Byte1(1, TAG);
        CompletableFuture<Void> closed = start(() -> {
            endpoint.close();
            return null;
        });
        line.hear(FrameType.FINALIZE);
        line.say(ended(1, 0, 2));
        line.hearNothing();
        line.say(finalized());
        closed.get();
    }

    @Test
    void itIsNotOpenedIfTheUserDoesNotWant() throws Exception {
        connect(new Settings(1 << 18, 0, Settings.KEPT_BYTES_LEAST, 0, false), false);
        receiveAsked(8);
        line.hearNothing();
    }

    @Test
    void itIsOpenedInAJobThatIsLoggedToo() throws Exception {
        connect(Settings.DEFAULT, true);
        receiveAsked(2);
        Byte1 third = new Byte1(1, TAG);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(answer(post, 3), push(TAG, 4));
        assertThat(third.await()).isEqualTo((byte) 3);
        assertThat(new Byte1(1, TAG).await()).isEqualTo((byte) 4);
        line.hearNothing();
    }

    /** A rank that keeps all that it may says nothing new: what has to be posted meanwhile is posted when the relay has made room. */
    @Test
    void waitingReceiveIsPostedOnceResendBufferHasRoom() throws Exception {
        connect(Settings.DEFAULT, true);
        line.say(ScriptedRelay.credit(1L << 30, 1_000));
        receiveAsked(2);
        Byte1 third = new Byte1(1, TAG);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(answer(post, 3));
        assertThat(third.await()).isEqualTo((byte) 3);
        new Byte1(1, TAG);
        byte[] piece = new byte[Wire.PAYLOAD_BYTES_MAX];
        int count = Settings.DEFAULT.keptBytesMax() / piece.length + 10;
        CompletableFuture<Object> sent = start(() -> {
            for (int i = 0; i < count; i++) {
                endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, piece, 0, piece.length), SendMode.STANDARD);
            }
            return null;
        });
        int sends = 0;
        ByteBuffer frame = line.hearAny();
        for (; view(frame).type() == FrameType.SEND; frame = line.hearAny()) {
            sends++;
        }
        assertThat(view(frame).flags()).as("it asks").isEqualTo(FrameView.ACK_NOW);
        line.say(ended(1, 0, 2));
        line.hearNothing();
        line.say(ScriptedRelay.ack(sends, sends));
        int posts = 0;
        while (posts + sends < count + 1) {
            FrameType type = view(line.hearAny()).type();
            posts += type == FrameType.POST ? 1 : 0;
            sends += type == FrameType.SEND ? 1 : 0;
        }
        assertThat(posts).isEqualTo(1);
        sent.get();
    }

    /**
     * Room comes without an ACK too: the frame that asks for one does not fit the segment, and what is kept of that, which is mostly of frames
     * that are not, is moved together.
     */
    @Test
    void waitingReceiveIsPostedBeforeTheNextOne() throws Exception {
        int segments = Settings.KEPT_BYTES_LEAST / ResendBuffer.SEGMENT_BYTES;
        int postBytes = FrameType.POST.bytesMin();
        int room = ResendBuffer.SEGMENT_BYTES - Wire.MESSAGE_HEADER_BYTES;
        byte[] piece = new byte[Wire.PAYLOAD_BYTES_MAX];
        byte[] last = new byte[piece.length - Math.floorMod(piece.length - room, postBytes)];
        int sends = segments * (ResendBuffer.SEGMENT_BYTES / (Wire.MESSAGE_HEADER_BYTES + piece.length)) + 1;
        int posts = (room - last.length) / postBytes;
        connect(new Settings(1 << 18, 0, (segments + 1) * ResendBuffer.SEGMENT_BYTES, 0), true);
        line.say(ScriptedRelay.credit(1L << 30, 1_000));
        receiveAsked(2);
        Byte1 third = new Byte1(1, TAG);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.AHEAD);
        line.say(answer(post, 3));
        assertThat(third.await()).isEqualTo((byte) 3);
        new Byte1(1, TAG); // The fourth of its context.
        CompletableFuture<Byte1> fifth = start(() -> {
            for (int i = 1; i <= sends; i++) {
                byte[] bytes = i < sends ? piece : last;
                endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, bytes, 0, bytes.length), SendMode.STANDARD);
            }
            Operation other = null;
            for (int i = 0; i < posts; i++) {
                other = endpoint.receive(CONTEXT + 2, 1, TAG, Plain.sink(Base.BYTE, new byte[1], 0, 1));
            }
            endpoint.await(other);
            return new Byte1(1, TAG);
        });
        for (int i = 0; i < sends; i++) {
            line.hear(FrameType.SEND);
        }
        for (int i = 0; i < posts; i++) {
            post = line.hear(FrameType.POST);
        }
        line.say(ended(1, 0, 2), delivered(post, 1, new byte[] {5}, 1));
        assertThat(view(line.hear(FrameType.EVENTS)).flags()).as("it asks").isEqualTo(FrameView.ACK_NOW);
        line.say(ScriptedRelay.credit(1, 0));
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(4);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(5);
        fifth.get();
    }
}
