package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.cancelled;
import static org.posthouse.mpj.ScriptedRelay.chunk;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.move;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.welcome;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Wire;

/** Long payload is read into the program's direct buffer: only there, only of the message that the receive gets, and whole. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PlacedTest extends OneRank {
    /** As long as a message may be that comes in one frame, nearly. */
    private static final byte[] MESSAGE = Arrays.copyOf(LONG, 60_000);

    /** What comes of a frame before the test goes on. */
    private static final int PART = 20_000;

    PlacedTest() throws IOException {}

    private void connect(boolean logged) throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, welcome(1, logged, 0, 0));
    }

    /** A receive whose sink says when it was asked for its memory, and what it had to read. */
    private final class Room implements Sink {
        private final Sink sink;
        final ByteBuffer memory;
        final CountDownLatch asked = new CountDownLatch(1);
        final Operation operation;
        private final CompletableFuture<Operation> awaited;
        volatile int bytesRead;

        Room(Base base, int bytes) {
            memory = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
            sink = Plain.sink(base, memory, 0, bytes / base.bytes());
            operation = endpoint.receive(CONTEXT, 1, TAG, this);
            awaited = start(() -> {
                endpoint.await(operation);
                return operation;
            });
        }

        @Override
        public void begin(Envelope envelope) throws ReceiveException {
            sink.begin(envelope);
        }

        @Override
        public ByteBuffer inPlace(Envelope envelope) {
            ByteBuffer place = sink.inPlace(envelope);
            asked.countDown();
            return place;
        }

        @Override
        public void read(long at, ByteBuffer in) {
            bytesRead += in.remaining();
            sink.read(at, in);
        }

        @Override
        public void end() throws ReceiveException {
            sink.end();
        }

        void awaitAsked() throws InterruptedException {
            assertThat(asked.await(60, TimeUnit.SECONDS)).as("asked for its memory").isTrue();
        }

        ReceiveException failure() throws Exception {
            return awaited.get().failure();
        }

        byte[] content() {
            byte[] content = new byte[memory.capacity()];
            memory.get(0, content);
            return content;
        }
    }

    /** Says a frame in two parts, the second when the rank has looked at the first. */
    private void sayInParts(Room room, ByteBuffer frame) throws Exception {
        line.say(frame.slice(0, PART));
        room.awaitAsked();
        line.say(frame.slice(PART, frame.limit() - PART));
    }

    @Test
    void aFrameThatHasBegunGoesOnInItsPlace() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, MESSAGE.length + 5);
        sayInParts(room, delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length));
        assertThat(room.failure()).isNull();
        assertThat(room.operation.envelope().bytes()).isEqualTo(MESSAGE.length);
        assertThat(room.content()).isEqualTo(Arrays.copyOf(MESSAGE, MESSAGE.length + 5));
        assertThat(room.bytesRead).isZero();
    }

    @Test
    void theNextLongOneGoesThereThoughAllOfItHasCome() throws Exception {
        aFrameThatHasBegunGoesOnInItsPlace();
        Room room = new Room(Base.BYTE, MESSAGE.length);
        line.say(delivered(line.hear(FrameType.POST), 2, MESSAGE, MESSAGE.length));
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(MESSAGE);
        assertThat(room.bytesRead).isZero();
    }

    @Test
    void chunksGoToTheirPlaces() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, LONG.length);
        line.say(delivered(line.hear(FrameType.POST), 1, LONG, 0));
        sayInParts(room, chunk(CONTEXT, 1, LONG, 0));
        for (int at = Wire.PAYLOAD_BYTES_MAX; at < LONG.length; at += Wire.PAYLOAD_BYTES_MAX) {
            line.say(chunk(CONTEXT, 1, LONG, at));
        }
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(LONG);
        assertThat(room.bytesRead).isZero();
    }

    @Test
    void aMoveBetweenTwoChunksIsAnsweredBeforeTheNextComes() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, LONG.length);
        line.say(delivered(line.hear(FrameType.POST), 1, LONG, 0));
        sayInParts(room, chunk(CONTEXT, 1, LONG, 0));
        line.say(move());
        line.letGo();
    }

    @Test
    void nothingIsWrittenOfAMessageThatDoesNotFit() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, MESSAGE.length - 1);
        sayInParts(room, delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length));
        assertThat(room.failure().kind()).isSameAs(ReceiveException.Kind.TRUNCATE);
        assertThat(room.content()).containsOnly(0);
    }

    @Test
    void nothingIsWrittenOfAMessageOfAnotherDatatype() throws Exception {
        connect(false);
        Room room = new Room(Base.INT, MESSAGE.length);
        sayInParts(room, delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length));
        assertThat(room.failure().kind()).isSameAs(ReceiveException.Kind.TYPE);
        assertThat(room.content()).containsOnly(0);
    }

    /** A frame that is not whole may not come again there: the receive may get another message after all. */
    @Test
    void inALoggedJobOnlyWholeFramesCount() throws Exception {
        connect(true);
        Room room = new Room(Base.BYTE, MESSAGE.length);
        line.say(delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length).slice(0, PART));
        line.close();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).deliveries()).isZero();
        assertThat(room.content()).containsOnly(0);
        assertThat(room.asked.getCount()).as("not asked").isOne();
    }

    @Test
    void aReceiveThatIsToBeTakenBackMeanwhileGetsItsMessage() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, MESSAGE.length);
        ByteBuffer frame = delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length);
        line.say(frame.slice(0, PART));
        room.awaitAsked();
        CompletableFuture<Boolean> takenBack = start(() -> endpoint.cancel(room.operation));
        ByteBuffer cancel = line.hear(FrameType.CANCEL);
        line.say(frame.slice(PART, frame.limit() - PART), cancelled(cancel, false));
        assertThat(takenBack.get()).isFalse();
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(MESSAGE);
    }

    @Test
    void theConnectionThatEndsInThePayloadEndsTheRank() throws Exception {
        connect(false);
        Room room = new Room(Base.BYTE, MESSAGE.length);
        line.say(delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length).slice(0, PART));
        room.awaitAsked();
        line.close();
        assertThat(end.how.get()).startsWith("lost: ");
        assertThat(room.operation.isDone()).isFalse();
    }

    /** Two short messages are received, and the context is opened with the third receive. */
    private void open() throws Exception {
        connect(false);
        for (int sequence = 1; sequence <= 3; sequence++) {
            Room room = new Room(Base.BYTE, 1);
            ByteBuffer post = line.hear(FrameType.POST);
            if (sequence == 3) {
                line.hear(FrameType.AHEAD);
            }
            line.say(delivered(post, sequence, new byte[] {1}, 1));
            assertThat(room.failure()).isNull();
        }
    }

    private static ByteBuffer push(long sequence, byte[] message) {
        return pushed(CONTEXT, TAG, 0, sequence, message, message.length);
    }

    @Test
    void pushedMessageIsReadIntoTheWaitingReceivesBuffer() throws Exception {
        open();
        Room other = new Room(Base.BYTE, 1);
        line.say(push(4, new byte[] {4}));
        assertThat(other.failure()).isNull();
        Room room = new Room(Base.BYTE, MESSAGE.length);
        ByteBuffer frame = push(5, MESSAGE);
        line.say(frame.slice(0, PART));
        room.awaitAsked();
        Room later = new Room(Base.BYTE, MESSAGE.length);
        line.say(frame.slice(PART, frame.limit() - PART));
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(MESSAGE);
        assertThat(room.bytesRead).isZero();
        assertThat(later.operation.isDone()).isFalse();
        line.say(push(6, MESSAGE));
        assertThat(later.failure()).isNull();
        assertThat(later.content()).isEqualTo(MESSAGE);
        assertThat(later.bytesRead).as("all of it has come, or not").isZero();
    }

    @Test
    void cancelledReceiveCompletesWithPartlyArrivedPushedMessage() throws Exception {
        open();
        Room room = new Room(Base.BYTE, MESSAGE.length);
        ByteBuffer frame = push(4, MESSAGE);
        line.say(frame.slice(0, PART));
        room.awaitAsked();
        CompletableFuture<Boolean> takenBack = start(() -> endpoint.cancel(room.operation));
        line.hear(FrameType.AHEAD);
        line.say(
                frame.slice(PART, frame.limit() - PART),
                ScriptedRelay.endedAt(CONTEXT, 1, Wire.cost(MESSAGE.length), 1));
        assertThat(takenBack.get()).isFalse();
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(MESSAGE);
    }

    /** It is kept, and the receive that is called while it comes takes it when it is whole. */
    @Test
    void pushedMessageBeforeItsReceiveIsBufferedAndDelivered() throws Exception {
        open();
        Room other = new Room(Base.BYTE, 1);
        line.say(push(4, new byte[] {4}), push(5, MESSAGE).slice(0, PART));
        assertThat(other.failure()).isNull();
        Room room = new Room(Base.BYTE, MESSAGE.length);
        line.say(push(5, MESSAGE).slice(PART, push(5, MESSAGE).limit() - PART));
        assertThat(room.failure()).isNull();
        assertThat(room.content()).isEqualTo(MESSAGE);
    }

    /** Such a message takes two looks, for its header and for the rest: a test of several looks again as long as it finds something, each of the others at most once. */
    @Test
    void testsOfSeveralLookAgainWhereTheyHaveFoundSomething() throws Exception {
        connect(false);
        Operation other = endpoint.receive(CONTEXT, 1, TAG + 1, Plain.sink(Base.BYTE, ByteBuffer.allocateDirect(1), 0, 1));
        line.hear(FrameType.POST);
        boolean seen = false;
        for (int message = 1; message <= 100 && !seen; message++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(MESSAGE.length).order(ByteOrder.LITTLE_ENDIAN);
            Operation receive = endpoint.receive(CONTEXT + message, 1, TAG, Plain.sink(Base.BYTE, memory, 0, MESSAGE.length));
            line.say(delivered(line.hear(FrameType.POST), 1, MESSAGE, MESSAGE.length));
            while (!receive.isDone()) {
                endpoint.test(other);
                boolean before = receive.isDone();
                seen |= endpoint.test(receive, false) && !before;
            }
        }
        assertThat(seen).as("a test that moves no frames by itself has found one").isTrue();
    }
}
