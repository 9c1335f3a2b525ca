package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.FailureEvent;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Wire;

/** A rank whose relay tells it of the death of another. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DeathsTest extends OneRank {
    DeathsTest() throws IOException {}

    @Test
    void waitForAllEndsIfAnyOfThemMayComeFromTheDead() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, false, 0, 0));
        endpoint.failures().orElseThrow().opened(CONTEXT / 2, new int[] {0, 1, 2});
        Operation[] receives = {
            endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.INT, new int[1], 0, 1)),
            endpoint.receive(CONTEXT, Wire.ANY, TAG, Plain.sink(Base.INT, new int[1], 0, 1))
        };
        line.hear(FrameType.POST);
        line.hear(FrameType.POST);
        CompletableFuture<Boolean> all = start(() -> {
            endpoint.awaitAll(receives, "Waitall");
            return true;
        });
        line.say(new RankFailed(ScriptedRelay.JOB, 2, 1).encode());
        Throwable ended = all.handle((done, e) -> e).get(10, TimeUnit.SECONDS);
        assertThat(ended).isInstanceOf(PendingFailureException.class);
    }

    /** What its relay has cleared counts there until it has come. */
    @Test
    void clearedSendOfALoggedJobGoesOnWhenItsReceiverDies() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, true, 0, 0));
        CompletableFuture<ReceiveException> failure = start(() -> {
            Operation send = endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, LONG, 0, LONG.length), SendMode.SYNCHRONOUS);
            endpoint.await(send);
            return send.failure();
        });
        ByteBuffer offer = line.hear(FrameType.OFFER);
        line.say(ScriptedRelay.clear(offer, Wire.PAYLOAD_BYTES_MAX));
        line.hear(FrameType.CHUNK);
        line.say(new RankFailed(ScriptedRelay.JOB, 1, 1).encode());
        line.hear(FrameType.EVENTS);
        line.say(ScriptedRelay.clear(offer, LONG.length));
        for (int at = Wire.PAYLOAD_BYTES_MAX; at < LONG.length; at += Wire.PAYLOAD_BYTES_MAX) {
            assertThat(ScriptedRelay.view(line.hear(FrameType.CHUNK)).offset()).isEqualTo(at);
        }
        assertThat(failure.get()).isNull();
    }

    /** Behind FINALIZE a rank reports no event, and its relay would refuse one. */
    @Test
    void deathThatIsToldWhileTheRankFinalizesIsNoEvent() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, true, 0, 0));
        CompletableFuture<Boolean> closed = start(() -> {
            endpoint.close();
            return true;
        });
        line.hear(FrameType.FINALIZE);
        line.say(new RankFailed(ScriptedRelay.JOB, 1, 1).encode(), ScriptedRelay.finalized());
        closed.get(10, TimeUnit.SECONDS);
        line.hearEnd();
    }

    /** The death comes while the relay has not answered yet whether the offer is gone. */
    @Test
    void sendThatHadFailedByARevocationFailsSoAgainThoughItsReceiverDies() throws Exception {
        connect(Hello.start(ScriptedRelay.JOB, 0, 2), Settings.DEFAULT, ScriptedRelay.welcome(2, true, 0, 0));
        CompletableFuture<ReceiveException> failure = start(() -> {
            Operation send = endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, LONG, 0, LONG.length), SendMode.SYNCHRONOUS);
            endpoint.await(send);
            return send.failure();
        });
        line.hear(FrameType.OFFER);
        byte[] failed = item(DeterminantLog.FAILED, new FailureEvent(true, true, 1, CONTEXT, 1).value());
        line.say(ScriptedRelay.events(1, failed, 0, FrameView.END));
        line.hear(FrameType.LIVE);
        ByteBuffer withdraw = line.hear(FrameType.WITHDRAW);
        line.say(new RankFailed(ScriptedRelay.JOB, 1, 1).encode(), ScriptedRelay.withdrawn(withdraw, true));
        assertThat(failure.get(10, TimeUnit.SECONDS).kind()).isSameAs(ReceiveException.Kind.REVOKED);
    }

    /** A rank that leaves its connection writes nothing more there. */
    @Test
    void offerToTheDeadIsGivenUpOnTheNextConnection() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, true, 0, 0));
        CompletableFuture<ReceiveException> failure = start(() -> {
            Operation send = endpoint.send(CONTEXT, 1, TAG, Plain.content(Base.BYTE, LONG, 0, LONG.length), SendMode.SYNCHRONOUS);
            endpoint.await(send);
            endpoint.tryProbe(CONTEXT, 2, TAG);
            return send.failure();
        });
        line.hear(FrameType.OFFER);
        line.say(ScriptedRelay.move());
        line.hear(FrameType.MOVE);
        line.say(new RankFailed(ScriptedRelay.JOB, 1, 1).encode(), ScriptedRelay.closing(CloseReason.MOVED));
        line = relay.accept();
        for (int pages = Hello.decode(line.hear(FrameType.HELLO)).pages(); pages > 0; pages--) {
            line.hear(FrameType.STATE);
        }
        line.say(greeting(1, 0));
        line.say(ScriptedRelay.withdrawn(hearNext(FrameType.WITHDRAW), true), ScriptedRelay.nothingFound(hearNext(FrameType.PROBE)));
        assertThat(failure.get(10, TimeUnit.SECONDS).rank()).isEqualTo(1);
    }

    /** The next frame of this type; what comes before it is passed over. */
    private ByteBuffer hearNext(FrameType type) throws Exception {
        ByteBuffer frame = line.hearAny();
        while (ScriptedRelay.view(frame).type() != type) {
            frame = line.hearAny();
        }
        return frame;
    }

    private static byte[] item(int kind, long value) {
        return ByteBuffer.allocate(Wire.EVENT_BYTES).putInt(0).putInt(kind << 3 * Byte.SIZE).putLong(value).array();
    }

    /** A replay would take the one for the other: the names of receives are not negative. */
    @Test
    void probeThatFailsIsRecordedAsNoReceiveIs() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, true, 0, 0));
        endpoint.failures().orElseThrow().opened(0, new int[] {0, 1});
        line.say(new RankFailed(ScriptedRelay.JOB, 1, 1).encode());
        CompletableFuture<Envelope> probe = start(() -> endpoint.tryProbe(0, 1, TAG));
        ByteBuffer frame = line.hearAny();
        while (ScriptedRelay.view(frame).type() != FrameType.EVENTS || kind(frame) != DeterminantLog.RAISED) {
            if (ScriptedRelay.view(frame).type() == FrameType.PROBE) {
                line.say(ScriptedRelay.nothingFound(frame));
                probe.handle((none, failure) -> none).get(10, TimeUnit.SECONDS); // The first may not know of the death yet.
                probe = start(() -> endpoint.tryProbe(0, 1, TAG));
            }
            frame = line.hearAny();
        }
        assertThat(frame.getLong(Wire.EVENTS_HEADER_BYTES + 2 * Integer.BYTES)).isEqualTo(-4);
    }

    private static int kind(ByteBuffer events) {
        return events.get(Wire.EVENTS_HEADER_BYTES + Integer.BYTES);
    }
}
