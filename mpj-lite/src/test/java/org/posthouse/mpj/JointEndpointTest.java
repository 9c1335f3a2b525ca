package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.posthouse.mpj.ScriptedRelay.ack;
import static org.posthouse.mpj.ScriptedRelay.chunk;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.nothingFound;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;

/** A rank's end in a joint job that is logged: its waits when the other job has ended, and when it knows that nobody has gone on from where it is. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JointEndpointTest extends OneRank {
    private static final String WHY = "the other job has ended";

    /** Frames of the rank that the relay counts: EVENTS. */
    private int counted;

    private final byte[] got = new byte[LONG.length];

    JointEndpointTest() throws IOException {}

    @BeforeEach
    void connect() throws Exception {
        connect(Hello.start(ScriptedRelay.JOB, 0, 1), new Settings(1 << 18), greeting(1, 0));
    }

    private Operation receive() {
        return endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, got, 0, got.length));
    }

    private CompletableFuture<Void> awaiting(Operation operation) {
        return start(() -> {
            endpoint.await(operation);
            return null;
        });
    }

    /** The rank asks whether anything is left for it. */
    private void hearQuestion() throws Exception {
        assertThat(view(line.hear(FrameType.EVENTS)).flags() & FrameView.ACK_NOW).isNotZero();
        counted++;
    }

    private void answer() throws IOException {
        line.say(ack(counted, counted));
    }

    private static void assertEnded(CompletableFuture<?> wait) {
        assertThatThrownBy(wait::join).hasCauseInstanceOf(FinalizedException.class).hasRootCauseMessage(WHY);
    }

    // ---- the end of the other job

    @Test
    void waitForWhatTheRelayHasNotFails() throws Exception {
        Operation receive = receive();
        line.hear(FrameType.POST);
        CompletableFuture<Void> wait = awaiting(receive);
        endpoint.endLater(WHY);
        hearQuestion();
        assertThat(wait).isNotDone();
        answer();
        assertEnded(wait);
    }

    @Test
    void messageThatWasAtTheRelayIsReceived() throws Exception {
        CompletableFuture<Void> wait = awaiting(receive());
        ByteBuffer post = line.hear(FrameType.POST);
        endpoint.endLater(WHY);
        hearQuestion();
        line.say(delivered(post, 1, new byte[] {7}, 1));
        answer();
        wait.join();
        assertThat(got[0]).isEqualTo((byte) 7);
    }

    /** The answer to an earlier question says nothing of it. */
    @Test
    void receiveBehindTheNoticeGetsWhatIsAtTheRelay() throws Exception {
        endpoint.endLater(WHY);
        hearQuestion();
        CompletableFuture<Void> wait = awaiting(receive());
        ByteBuffer post = line.hear(FrameType.POST);
        answer();
        hearQuestion();
        line.say(delivered(post, 1, new byte[] {7}, 1));
        answer();
        wait.join();
        assertThat(got[0]).isEqualTo((byte) 7);
    }

    @Test
    void waitGoesOnWhileALongMessageComes() throws Exception {
        CompletableFuture<Void> wait = awaiting(receive());
        ByteBuffer post = line.hear(FrameType.POST);
        endpoint.endLater(WHY);
        hearQuestion();
        line.say(delivered(post, 1, LONG, 0));
        answer();
        for (int from = 0; from < LONG.length; from += Wire.PAYLOAD_BYTES_MAX) {
            hearQuestion();
            line.say(chunk(CONTEXT, 1, LONG, from));
            answer();
        }
        wait.join();
        assertThat(got).isEqualTo(LONG);
    }

    @Test
    void sendWhoseReceiverHasGoneFails() throws Exception {
        endpoint.endLater(WHY);
        hearQuestion();
        answer();
        Operation send = endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, LONG, 0, LONG.length), SendMode.SYNCHRONOUS);
        line.hear(FrameType.OFFER);
        counted++;
        CompletableFuture<Void> wait = awaiting(send);
        hearQuestion();
        answer();
        assertEnded(wait);
    }

    @Test
    void testIsFalseUntilTheRelayHasNothing() throws Exception {
        Operation receive = receive();
        line.hear(FrameType.POST);
        endpoint.endLater(WHY);
        hearQuestion();
        assertThat(endpoint.test(receive)).isFalse();
        answer();
        CompletableFuture<Void> polls = start(() -> {
            while (!endpoint.test(receive)) {
                Thread.onSpinWait();
            }
            return null;
        });
        assertEnded(polls);
    }

    @Test
    void probeFailsThatFindsNothing() throws Exception {
        endpoint.endLater(WHY);
        hearQuestion();
        answer();
        CompletableFuture<?> probe = start(() -> endpoint.tryProbe(CONTEXT, 1, TAG));
        line.say(nothingFound(line.hear(FrameType.PROBE)));
        assertEnded(probe);
        CompletableFuture<?> blocking = start(() -> endpoint.probe(CONTEXT, 1, TAG, "Probe"));
        line.hear(FrameType.PROBE);
        hearQuestion();
        answer();
        assertEnded(blocking);
    }

    /** Its thread notices that for itself, and ends it. */
    @Test
    void waitForABackgroundOperationGoesOn() throws Exception {
        endpoint.endLater(WHY);
        hearQuestion();
        answer();
        Operation errand = endpoint.begin();
        CompletableFuture<Void> wait = awaiting(errand);
        while (thread.getState() != Thread.State.WAITING && !wait.isDone()) {
            Thread.onSpinWait();
        }
        endpoint.end(errand);
        wait.join();
    }

    // ---- what is new

    /** A thread that waits until the program has replayed the history of another endpoint, or asks for what is new. */
    private Thread readerElsewhere() {
        ObservationOrder order = new ObservationOrder(endpoint);
        endpoint.order(order);
        Thread reader = new Thread(() -> order.awaitReplayed(new Elsewhere()));
        reader.start();
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return reader;
    }

    private static final class Elsewhere implements ObservationOrder.History {
        @Override
        public void awaitReported() {}

        @Override
        public boolean isCatchingUp() {
            return true;
        }

        @Override
        public void limitHere(ReplayLimit reason) {}
    }

    @Test
    void testThatFailsLetsOtherEndpointsBeRead() throws Exception {
        Thread reader = readerElsewhere();
        assertThat(endpoint.test(receive())).isFalse();
        reader.join();
    }

    @Test
    void probeThatFindsNothingLetsOtherEndpointsBeRead() throws Exception {
        Thread reader = readerElsewhere();
        CompletableFuture<?> probe = start(() -> endpoint.tryProbe(CONTEXT, 1, TAG));
        line.say(nothingFound(line.hear(FrameType.PROBE)));
        assertThat(probe.join()).isNull();
        reader.join();
    }

    @Test
    void questionForANameLetsOtherEndpointsBeRead() throws Exception {
        Thread reader = readerElsewhere();
        NameAsk ask = NameAsk.of(NameAsk.Operation.LOOKUP, "mpi/a");
        CompletableFuture<Long> value = start(() -> endpoint.value(() -> endpoint.names(ask).found().size()));
        long id = NamePage.decode(line.hear(FrameType.NAME_ASK)).id();
        reader.join();
        for (ByteBuffer page : NamePage.encode(FrameType.NAME_ANSWER, ScriptedRelay.JOB, id, NameAnswer.done(List.of(), false).encode())) {
            line.say(page);
        }
        assertThat(value.join()).isZero();
    }
}
