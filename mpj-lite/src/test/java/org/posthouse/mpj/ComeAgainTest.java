package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.posthouse.mpj.ScriptedRelay.clear;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What a rank says, frame by frame, when its connection has broken, and how it ends if it is not taken back. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ComeAgainTest extends OneRank {
    private static final byte[] PIECE = new byte[Wire.PAYLOAD_BYTES_MAX];

    /** So many pieces are more than a rank may keep. */
    private static final int TOO_MUCH = Settings.KEPT_BYTES_LEAST / PIECE.length + 10;

    ComeAgainTest() throws IOException {}

    private void connect(boolean logged, int reconnectS) throws Exception {
        Settings settings = new Settings(100_000, 0, Settings.KEPT_BYTES_LEAST, reconnectS);
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), settings, ScriptedRelay.welcome(1, logged, 0, 0));
    }

    /** The same, of a rank that has this behind it, and says no more. */
    private List<StatePage.Entry> breakLine(long deliveries, long kept) throws Exception {
        List<StatePage.Entry> entries = breakLine();
        assertThat(hello.start()).isEqualTo(Hello.AGAIN);
        assertThat(hello.deliveries()).isEqualTo(deliveries);
        assertThat(hello.kept()).isEqualTo(kept);
        line.hearNothing();
        return entries;
    }

    private void welcomeAgain(long deliveries, StatePage.Entry... known) throws Exception {
        line.say(greeting(1, deliveries, known));
    }

    private void endHistory() throws Exception {
        line.say(endOfHistory());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POLLS);
    }

    /** The history ends as one receive waits. @return its POST */
    private ByteBuffer endHistoryOfOneThatWaits() throws Exception {
        line.say(endOfHistory());
        line.hear(FrameType.LIVE);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.POLLS);
        return post;
    }

    private static StatePage.Entry known(int kind, int destination, int aux, long sequence, long bytes) {
        return new StatePage.Entry(kind, CONTEXT, destination, aux, sequence, bytes);
    }

    private Operation send(int destination, byte[] bytes, SendMode mode) {
        return endpoint.send(CONTEXT, destination, TAG, Plain.content(Base.BYTE, bytes, 0, bytes.length), mode);
    }

    private Operation receive(byte[] bytes) {
        return endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, bytes, 0, bytes.length));
    }

    private static void assertChunk(ByteBuffer chunk, int from) {
        assertThat(view(chunk).offset()).isEqualTo(from);
        int count = Math.min(Wire.PAYLOAD_BYTES_MAX, LONG.length - from);
        assertThat(chunk.slice(Wire.CHUNK_HEADER_BYTES, count)).isEqualTo(ByteBuffer.wrap(LONG, from, count));
    }

    // ---- checkpoints

    private void requirePoint(CheckpointNotice.Kind kind) throws Exception {
        assertThat(CheckpointNotice.decode(line.hear(FrameType.POINT)).kind()).isSameAs(kind);
        if (kind == CheckpointNotice.Kind.SAVE) {
            line.hear(FrameType.IMAGE);
        }
    }

    private void sayPoint(CheckpointNotice.Kind kind, int number) throws Exception {
        sayPoint(kind, number, 0);
    }

    private void sayPoint(CheckpointNotice.Kind kind, int number, long bytes) throws Exception {
        line.say(new CheckpointNotice(ScriptedRelay.JOB, kind, 0, number, bytes, 0, 0, 0, 0, 0).encode());
    }

    @Test
    void imageUploadRespectsTheRelaysWindow() throws Exception {
        connect(true, 60);
        CompletableFuture<Boolean> saved = start(() -> {
            endpoint.vault().restored();
            return endpoint.vault().save(out -> out.write(new byte[Wire.IMAGE_WINDOW_BYTES]));
        });
        requirePoint(CheckpointNotice.Kind.READY);
        sayPoint(CheckpointNotice.Kind.SAVED, 0);
        requirePoint(CheckpointNotice.Kind.SAVE);
        for (int bytes = PIECE.length; bytes < Wire.IMAGE_WINDOW_BYTES; bytes += PIECE.length) {
            line.hear(FrameType.IMAGE);
        }
        line.hearNothing();
        sayPoint(CheckpointNotice.Kind.MORE, 0, Wire.IMAGE_WINDOW_BYTES + 1);
        line.hear(FrameType.IMAGE);
        sayPoint(CheckpointNotice.Kind.FAILED, 0);
        assertThat(saved.get()).isFalse();
    }

    /** A history without the end of the prologue has no place for an image; and of one whose end was not told nobody knows that it is there. */
    @Test
    void checkpointNoticeIsRepeatedUntilTheRelayConfirmsIt() throws Exception {
        connect(true, 60);
        CompletableFuture<Boolean> saved = start(() -> {
            endpoint.vault().restored();
            return endpoint.vault().save(out -> out.writeInt(17));
        });
        requirePoint(CheckpointNotice.Kind.READY);
        breakLine(0, 1);
        welcomeAgain(0);
        endHistory();
        requirePoint(CheckpointNotice.Kind.READY);
        sayPoint(CheckpointNotice.Kind.SAVED, 0);
        requirePoint(CheckpointNotice.Kind.SAVE);
        breakLine(0, 1);
        welcomeAgain(0);
        endHistory();
        requirePoint(CheckpointNotice.Kind.SAVE);
        sayPoint(CheckpointNotice.Kind.SAVED, 1);
        assertThat(saved.get()).isTrue();
    }

    /** The relay sends a process that starts at the image only the events behind those that the notice counts. */
    @Test
    void imageThatIsSentAgainHasTheDeathsThatItsNoticeCounts() throws Exception {
        connect(true, 60);
        CompletableFuture<Boolean> saved = start(() -> {
            endpoint.vault().restored();
            return endpoint.vault().save(out -> out.writeInt(17));
        });
        requirePoint(CheckpointNotice.Kind.READY);
        sayPoint(CheckpointNotice.Kind.SAVED, 0);
        requirePoint(CheckpointNotice.Kind.SAVE);
        breakLine(0, 1);
        welcomeAgain(0);
        line.say(endOfHistory(), new RankFailed(ScriptedRelay.JOB, 2, 1).encode());
        assertThat(CheckpointNotice.decode(hearAndAcknowledge(FrameType.POINT)).events()).isEqualTo(1);
        ByteBuffer image = line.hear(FrameType.IMAGE);
        assertThat(image.getLong(Wire.IMAGE_HEADER_BYTES + Integer.BYTES + Long.BYTES)).as("events in the image").isEqualTo(1);
        assertThat(image.getInt(image.limit() - Integer.BYTES)).as("the program's part").isEqualTo(17);
        sayPoint(CheckpointNotice.Kind.SAVED, 1);
        assertThat(saved.get()).isTrue();
    }

    /** The rank's next frame of this type. Events that come before it are acknowledged. */
    private ByteBuffer hearAndAcknowledge(FrameType type) throws Exception {
        ByteBuffer frame = line.hearAny();
        for (int kept = 0; ScriptedRelay.view(frame).type() != type; frame = line.hearAny()) {
            if (ScriptedRelay.view(frame).type() == FrameType.EVENTS) {
                line.say(ScriptedRelay.ack(++kept, kept));
            }
        }
        return frame;
    }

    /** That several threads may be in calls at once holds behind an image as before it, where nothing else is known of it. */
    @Test
    void permanentReplayLimitIsReportedAgainAfterEachImage() throws Exception {
        connect(true, 60);
        CompletableFuture<Operation> sent = start(() -> {
            endpoint.vault().restored();
            endpoint.limit(ReplayLimit.MULTIPLE);
            assertThat(endpoint.vault().save(out -> out.writeInt(17))).isTrue();
            return send(1, new byte[10], SendMode.STANDARD);
        });
        requirePoint(CheckpointNotice.Kind.READY);
        sayPoint(CheckpointNotice.Kind.SAVED, 0);
        line.hear(FrameType.EVENTS);
        requirePoint(CheckpointNotice.Kind.SAVE);
        sayPoint(CheckpointNotice.Kind.SAVED, 1);
        ByteBuffer events = line.hear(FrameType.EVENTS);
        assertThat(view(events).firstEvent()).isEqualTo(2);
        assertThat(view(events).eventKind(0)).isEqualTo(DeterminantLog.LIMIT);
        line.hear(FrameType.SEND);
        sent.get();
    }

    /** What the one did while the other saved may be part of the image or not. */
    @Test
    void aCallWhileAnotherThreadSavesOverlapsBehindTheImageToo() throws Exception {
        connect(true, 60);
        CompletableFuture<Boolean> saved = start(() -> {
            endpoint.vault().restored();
            return endpoint.vault().save(out -> out.writeInt(17));
        });
        requirePoint(CheckpointNotice.Kind.READY);
        sayPoint(CheckpointNotice.Kind.SAVED, 0);
        requirePoint(CheckpointNotice.Kind.SAVE);
        send(1, new byte[10], SendMode.STANDARD);
        requireOverlapAndSend();
        sayPoint(CheckpointNotice.Kind.SAVED, 1);
        assertThat(saved.get()).isTrue();
        send(1, new byte[10], SendMode.STANDARD);
        requireOverlapAndSend();
    }

    private void requireOverlapAndSend() throws Exception {
        ByteBuffer events = line.hear(FrameType.EVENTS);
        assertThat(view(events).eventKind(0)).isEqualTo(DeterminantLog.LIMIT);
        assertThat(view(events).eventValue(0)).isEqualTo(ReplayLimit.THREADS.code());
        line.hear(FrameType.SEND);
    }

    // ---- what is said again

    @Test
    void reconnectResendsOnlySendsTheRelayLacks() throws Exception {
        connect(true, 60);
        send(1, new byte[10], SendMode.STANDARD);
        send(2, new byte[20], SendMode.STANDARD);
        line.hear(FrameType.SEND);
        CompletableFuture<Object> received = start(() -> {
            endpoint.await(receive(new byte[3]));
            return null;
        });
        line.hear(FrameType.SEND);
        line.hear(FrameType.POST);
        assertThat(breakLine(0, 3)).containsExactlyInAnyOrder(
                known(StatePage.SENT, 1, 0, 1, 0), known(StatePage.SENT, 2, 0, 1, 0));
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0), known(StatePage.ACCEPTED, 2, 0, 0, 0));
        ByteBuffer again = line.hear(FrameType.SEND);
        assertThat(view(again).destination()).isEqualTo(2);
        assertThat(view(again).flags()).isEqualTo(FrameView.AGAIN);
        line.hearNothing();
        assertThat(breakLine(0, 4)).hasSize(2);
        welcomeAgain(0);
        assertThat(view(line.hear(FrameType.SEND)).destination()).as("a relay that knows nothing is told all").isEqualTo(1);
        assertThat(view(line.hear(FrameType.SEND)).destination()).isEqualTo(2);
        line.say(ScriptedRelay.ack(4, 5));
        assertThat(breakLine(0, 6)).hasSize(2);
        welcomeAgain(1);
        assertThat(view(line.hear(FrameType.SEND)).destination()).as("what is safe is forgotten").isEqualTo(2);
        ByteBuffer post = endHistoryOfOneThatWaits();
        assertThat(view(post).ordinal()).isEqualTo(1);
        line.say(delivered(post, 1, new byte[] {1, 2, 3}, 3));
        received.get();
    }

    /** It is said once, and others may wait for this rank there. */
    @Test
    void failedCollectiveIsReportedOnceTheRankIsLive() throws Exception {
        connect(true, 60);
        CollectivePosition collectivePosition = new CollectivePosition(endpoint.presences(), CONTEXT, new int[] {0, 1}, 0);
        collectivePosition.enter("Bcast", 0, false);
        start(() -> {
            endpoint.await(receive(new byte[3]));
            collectivePosition.leaveFailed();
            return receive(new byte[3]);
        });
        line.hear(FrameType.POST);
        breakLine();
        welcomeAgain(0);
        line.say(pushed(CONTEXT, TAG, 1, 1, new byte[] {1, 2, 3}, 3));
        line.hearNothing();
        endHistory();
        assertThat(BlockedReport.decode(line.hear(FrameType.BLOCKED)).text()).isEqualTo("bcast, root 0");
        line.hear(FrameType.POST);
    }

    /** The relay believes it to be there, and that it waits for ever for a rank that is in the next one, for which it waits there, too. */
    @Test
    void mismatchOfACollectiveLeftDuringReplayIsIgnored() throws Exception {
        connect(true, 60);
        CollectivePosition collectivePosition = new CollectivePosition(endpoint.presences(), CONTEXT, new int[] {0, 1}, 0);
        collectivePosition.enter("Barrier", -1, false);
        endpoint.presences().stays(collectivePosition, false);
        BlockedReport blockedReport = BlockedReport.decode(line.hear(FrameType.BLOCKED));
        Operation next = receive(new byte[3]);
        CompletableFuture<Object> received = start(() -> {
            endpoint.await(next);
            return null;
        });
        line.hear(FrameType.POST);
        breakLine();
        welcomeAgain(0);
        endpoint.presences().goesOn(collectivePosition);
        ByteBuffer post = endHistoryOfOneThatWaits();
        line.say(blockedReport.encode(FrameType.MISMATCH));
        line.say(delivered(post, 1, new byte[] {1, 2, 3}, 3));
        received.get();
        assertThat(next.failure()).isNull();
    }

    @Test
    void anOfferGoesOnWhereItWas() throws Exception {
        connect(true, 60);
        Operation offer = send(1, LONG, SendMode.STANDARD);
        CompletableFuture<Object> sent = start(() -> {
            endpoint.await(offer);
            return null;
        });
        ByteBuffer frame = line.hear(FrameType.OFFER);
        line.say(clear(frame, 2 * Wire.PAYLOAD_BYTES_MAX));
        assertChunk(line.hear(FrameType.CHUNK), 0);
        assertChunk(line.hear(FrameType.CHUNK), Wire.PAYLOAD_BYTES_MAX);
        breakLine(0, 4);
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0), known(StatePage.OPEN, 1, 5, 1, Wire.PAYLOAD_BYTES_MAX));
        assertThat(view(line.hear(FrameType.OFFER)).flags()).isEqualTo(FrameView.AGAIN);
        assertChunk(line.hear(FrameType.CHUNK), 0);
        assertChunk(line.hear(FrameType.CHUNK), Wire.PAYLOAD_BYTES_MAX);
        line.hearNothing();
        line.say(clear(frame, LONG.length), clear(frame, LONG.length), clear(frame, Wire.PAYLOAD_BYTES_MAX));
        line.hearNothing();
        endHistory();
        assertChunk(line.hear(FrameType.CHUNK), 2 * Wire.PAYLOAD_BYTES_MAX);
        assertChunk(line.hear(FrameType.CHUNK), 3 * Wire.PAYLOAD_BYTES_MAX);
        sent.get();
    }

    @Test
    void anOfferThatIsSafeIsNotBegunAgain() throws Exception {
        connect(true, 60);
        Operation offer = send(1, LONG, SendMode.STANDARD);
        CompletableFuture<Object> sent = start(() -> {
            endpoint.await(offer);
            return null;
        });
        ByteBuffer frame = line.hear(FrameType.OFFER);
        line.say(clear(frame, 2 * Wire.PAYLOAD_BYTES_MAX));
        line.hear(FrameType.CHUNK);
        line.hear(FrameType.CHUNK);
        line.say(ScriptedRelay.ack(2, 3));
        assertThat(breakLine(0, 4)).contains(known(StatePage.OFFERED, 1, 1, 1, LONG.length));
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0), known(StatePage.OPEN, 1, 5, 1, Wire.PAYLOAD_BYTES_MAX));
        assertChunk(line.hear(FrameType.CHUNK), Wire.PAYLOAD_BYTES_MAX);
        line.say(ScriptedRelay.ack(4, 4));
        assertThat(breakLine(0, 5)).contains(known(StatePage.OFFERED, 1, 2, 1, LONG.length));
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0));
        line.hearNothing();
        line.close();
        assertThat(end.how.get()).contains("the relay has all of").contains("131072 bytes were sent");
        assertThatThrownBy(sent::get).hasRootCauseInstanceOf(WireException.class);
    }

    /** Its collective has failed. Who receives it nevertheless is sent all of it, as without a break. */
    @Test
    void anOfferThatWasGivenUpGoesOnWhereItWas() throws Exception {
        connect(true, 60);
        CollectivePosition collectivePosition = new CollectivePosition(endpoint.presences(), CONTEXT, new int[] {0, 1}, 0);
        collectivePosition.enter("Bcast", 0, false);
        endpoint.presences().stays(collectivePosition, false);
        BlockedReport blockedReport = BlockedReport.decode(line.hear(FrameType.BLOCKED));
        Operation offer = send(1, LONG, SendMode.STANDARD);
        CompletableFuture<Object> both = start(() -> {
            endpoint.await(offer);
            endpoint.await(endpoint.receive(CONTEXT + 1, 1, TAG, Plain.sink(Base.BYTE, new byte[3], 0, 3)));
            return null;
        });
        ByteBuffer frame = line.hear(FrameType.OFFER);
        line.say(ScriptedRelay.ack(1, 1), blockedReport.encode(FrameType.MISMATCH));
        line.hear(FrameType.EVENTS); // that there was a mismatch
        line.hear(FrameType.POST);
        assertThat(offer.failure()).isNotNull();
        assertThat(breakLine()).contains(known(StatePage.OFFERED, 1, 0, 1, LONG.length));
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0), known(StatePage.OPEN, 1, 5, 1, 0));
        line.hear(FrameType.EVENTS);
        ByteBuffer post = endHistoryOfOneThatWaits();
        line.say(clear(frame, Wire.PAYLOAD_BYTES_MAX));
        assertChunk(line.hear(FrameType.CHUNK), 0);
        line.say(delivered(post, 1, new byte[3], 3));
        both.get();
    }

    @Test
    void theEndOfAnOfferMayHaveBeenLost() throws Exception {
        connect(true, 60);
        Operation offer = send(1, new byte[0], SendMode.SYNCHRONOUS);
        line.hear(FrameType.OFFER);
        CompletableFuture<Object> sent = start(() -> {
            endpoint.await(offer);
            return null;
        });
        breakLine(0, 2);
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, 1, 0));
        sent.get();
    }

    @Test
    void aMessageThatArrivesGoesOnWhereItWas() throws Exception {
        connect(true, 60);
        byte[] got = new byte[LONG.length];
        CompletableFuture<Object> received = start(() -> {
            endpoint.await(receive(got));
            return null;
        });
        line.say(delivered(line.hear(FrameType.POST), 7, LONG, 0), ScriptedRelay.chunk(CONTEXT, 7, LONG, 0));
        assertThat(breakLine(1, 1)).containsExactly(known(StatePage.ARRIVING, 1, 1, 7, Wire.PAYLOAD_BYTES_MAX));
        welcomeAgain(1);
        for (int from = Wire.PAYLOAD_BYTES_MAX; from < LONG.length; from += Wire.PAYLOAD_BYTES_MAX) {
            line.say(ScriptedRelay.chunk(CONTEXT, 7, LONG, from));
        }
        received.get();
        assertThat(Arrays.mismatch(got, LONG)).isEqualTo(-1);
    }

    @Test
    void probesAndWithdrawalsAreResentAfterTheHistory() throws Exception {
        connect(true, 60);
        Operation receive = receive(new byte[3]);
        Operation offer = send(2, LONG, SendMode.SYNCHRONOUS);
        line.hear(FrameType.POST);
        ByteBuffer offered = line.hear(FrameType.OFFER);
        CompletableFuture<Boolean> cancelled = start(() -> endpoint.cancel(receive));
        line.hear(FrameType.CANCEL);
        CompletableFuture<Boolean> withdrawn = start(() -> endpoint.cancel(offer));
        line.hear(FrameType.EVENTS); // that there are several threads
        line.hear(FrameType.WITHDRAW);
        CompletableFuture<Envelope> probed = start(() -> endpoint.probe(CONTEXT, 1, TAG));
        line.hear(FrameType.PROBE);
        breakLine(0, 3);
        welcomeAgain(0, known(StatePage.ACCEPTED, 2, 0, 1, 0), known(StatePage.OPEN, 2, 5, 1, 0));
        line.hear(FrameType.OFFER);
        line.hear(FrameType.EVENTS);
        line.hearNothing();
        line.say(endOfHistory());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POLLS);
        ByteBuffer probe = line.hear(FrameType.PROBE);
        line.hear(FrameType.WITHDRAW);
        assertThat(cancelled.get()).as("nothing has matched it, and it is not posted again").isTrue();
        line.say(ScriptedRelay.withdrawn(offered, true), ScriptedRelay.withdrawn(offered, true));
        assertThat(withdrawn.get()).isTrue();
        ByteBuffer answer = ScriptedRelay.nothingFound(probe);
        view(answer).flags(FrameView.FOUND).address(CONTEXT, 1, 0, TAG).content(1, 1, 1);
        line.say(answer);
        assertThat(probed.get().tag()).isEqualTo(TAG);
    }

    /** Their numbers are used again, and say nothing of their order. */
    @Test
    void receivesArePostedAgainInTheOrderOfTheirCalls() throws Exception {
        connect(true, 60);
        Operation first = receive(new byte[3]);
        Operation second = receive(new byte[3]);
        ByteBuffer post = line.hear(FrameType.POST);
        line.hear(FrameType.POST);
        line.say(delivered(post, 1, new byte[1], 1));
        endpoint.await(first);
        receive(new byte[3]);
        assertThat(view(line.hear(FrameType.POST)).postRequest()).isEqualTo(view(post).postRequest());
        start(() -> {
            endpoint.await(second);
            return null;
        });
        breakLine(1, 1);
        welcomeAgain(1);
        line.say(endOfHistory());
        line.hear(FrameType.LIVE);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(2);
        assertThat(view(line.hear(FrameType.POST)).ordinal()).isEqualTo(3);
    }

    /** Its message had begun to come, so that it is too late; and the relay may not know how much of that the rank has. */
    @Test
    void cancelOfPartlyArrivedMessageFailsWhenConnectionBreaks() throws Exception {
        connect(true, 60);
        byte[] bytes = new byte[LONG.length];
        Operation receive = receive(bytes);
        ByteBuffer post = line.hear(FrameType.POST);
        CompletableFuture<Boolean> tooLate = start(() -> endpoint.cancel(receive));
        line.hear(FrameType.CANCEL);
        line.say(delivered(post, 1, LONG, 0), ScriptedRelay.chunk(CONTEXT, 1, LONG, 0));
        breakLine(1, 1);
        assertThat(tooLate.get()).isFalse();
        welcomeAgain(1);
        for (int from = 0; from < LONG.length; from += Wire.PAYLOAD_BYTES_MAX) {
            line.say(ScriptedRelay.chunk(CONTEXT, 1, LONG, from));
        }
        line.say(endOfHistory());
        endpoint.await(receive);
        assertThat(bytes).isEqualTo(LONG);
        CompletableFuture<Boolean> inTime = start(() -> endpoint.cancel(receive(new byte[3])));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.EVENTS);
        line.hear(FrameType.POLLS);
        line.hear(FrameType.POST);
        line.say(ScriptedRelay.cancelled(line.hear(FrameType.CANCEL), true));
        assertThat(inTime.get()).isTrue();
    }

    /** The relay had taken it back, or the message would be its. */
    @Test
    void aCancelThatWasNotAnsweredWasInTimeIfTheNextReceiveHasAMessage() throws Exception {
        connect(true, 60);
        Operation first = receive(new byte[3]);
        byte[] bytes = new byte[1];
        Operation second = receive(bytes);
        line.hear(FrameType.POST);
        line.hear(FrameType.POST);
        CompletableFuture<Boolean> cancelled = start(() -> endpoint.cancel(first));
        line.hear(FrameType.CANCEL);
        breakLine(0, 1);
        welcomeAgain(1);
        line.say(ScriptedRelay.pushed(CONTEXT, TAG, 2, 1, new byte[] {7}, 1), endOfHistory());
        assertThat(cancelled.get()).isTrue();
        endpoint.await(second);
        assertThat(bytes).containsExactly(7);
    }

    /** The relay may have been started again, and would tell the next process that the message is where it was to go. */
    @Test
    void withdrawnOfferIsReportedAsGoneAndNotResent() throws Exception {
        connect(true, 60);
        Operation offer = send(2, LONG, SendMode.SYNCHRONOUS);
        ByteBuffer offered = line.hear(FrameType.OFFER);
        CompletableFuture<Boolean> withdrawn = start(() -> endpoint.cancel(offer));
        line.hear(FrameType.WITHDRAW);
        line.say(ScriptedRelay.withdrawn(offered, true));
        assertThat(withdrawn.get()).isTrue();
        Operation receive = receive(new byte[3]);
        start(() -> {
            endpoint.await(receive);
            return null;
        });
        line.hear(FrameType.EVENTS);
        line.hear(FrameType.POST);
        for (int times = 0; times < 2; times++) {
            assertThat(breakLine()).contains(known(StatePage.GONE, 2, 0, 1, 0));
            welcomeAgain(0);
            line.hear(FrameType.EVENTS);
        }
        line.say(endOfHistory());
        line.hear(FrameType.LIVE);
    }

    @Test
    void failedPollsAreReportedAfterTheEventsBeforeThem() throws Exception {
        connect(true, 60);
        Operation receive = receive(new byte[3]);
        assertThat(view(line.hear(FrameType.POST)).postFailedPolls()).isZero();
        assertThat(endpoint.test(receive)).isFalse();
        assertThat(endpoint.test(send(1, new byte[1], SendMode.STANDARD))).isTrue();
        line.hear(FrameType.SEND);
        for (int i = 0; i < 3; i++) {
            assertThat(endpoint.test(receive)).isFalse();
        }
        CompletableFuture<Object> received = start(() -> {
            endpoint.await(receive);
            return null;
        });
        breakLine(0, 2);
        assertThat(hello.failedPolls()).as("those before the event").isEqualTo(1);
        welcomeAgain(0);
        line.hear(FrameType.SEND);
        line.hearNothing();
        line.say(ScriptedRelay.events(2, new byte[0], 0, FrameView.END));
        line.hear(FrameType.LIVE);
        ByteBuffer told = line.hear(FrameType.EVENTS);
        assertThat(view(told).firstEvent()).isEqualTo(1);
        assertThat(view(told).eventsFailedPolls()).isEqualTo(4);
        ByteBuffer post = line.hear(FrameType.POST);
        assertThat(view(post).postFailedPolls()).isEqualTo(4);
        assertThat(view(line.hear(FrameType.POLLS)).finalizeFailedPolls()).isEqualTo(4);
        line.say(delivered(post, 1, new byte[] {1, 2, 3}, 3));
        received.get();
    }

    /** WELCOME grants two messages, and 1 MiB: the last is a byte too long beside what is said again. */
    @ParameterizedTest
    @CsvSource({"0, 30, OFFER", "1, 30, SEND", "1, 1048045, OFFER"})
    void onlyResentMessagesUseCreditOfTheNewWelcome(long accepted, int bytes, FrameType third) throws Exception {
        Settings settings = new Settings(1 << 20, 0, Settings.KEPT_BYTES_LEAST, 60);
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), settings, ScriptedRelay.welcome(1, true, 0, 0));
        send(1, new byte[10], SendMode.STANDARD);
        send(1, new byte[20], SendMode.STANDARD);
        Operation receive = receive(new byte[3]);
        CompletableFuture<Object> received = start(() -> {
            endpoint.await(receive);
            return null;
        });
        for (int i = 0; i < 2; i++) {
            line.hear(FrameType.SEND);
        }
        line.hear(FrameType.POST);
        breakLine(0, 3);
        welcomeAgain(0, known(StatePage.ACCEPTED, 1, 0, accepted, 0));
        for (long i = accepted; i < 2; i++) {
            line.hear(FrameType.SEND);
        }
        ByteBuffer post = endHistoryOfOneThatWaits();
        line.say(delivered(post, 1, new byte[3], 3));
        received.get();
        send(1, new byte[bytes], SendMode.STANDARD);
        line.hear(third);
    }

    @Test
    void finalizeIsResentAfterReconnect() throws Exception {
        connect(true, 60);
        CompletableFuture<Object> closed = start(() -> {
            endpoint.close();
            return null;
        });
        line.hear(FrameType.FINALIZE);
        breakLine(0, 1);
        welcomeAgain(0);
        endHistory();
        line.hear(FrameType.FINALIZE);
        line.say(ScriptedRelay.finalized());
        closed.get();
    }

    /** Behind a probe that finds nothing. */
    private CompletableFuture<Object> sendTooMuch() throws Exception {
        CompletableFuture<Object> sent = start(() -> {
            assertThat(endpoint.tryProbe(CONTEXT, 1, TAG)).isNull();
            for (int i = 0; i < TOO_MUCH; i++) {
                send(1, PIECE, SendMode.STANDARD);
            }
            return null;
        });
        line.say(ScriptedRelay.nothingFound(line.hear(FrameType.PROBE)));
        return sent;
    }

    /** @return how many messages the rank sends before it asks for room */
    private int hearUntilItAsks() throws Exception {
        ByteBuffer frame = line.hearAny();
        int sends = 0;
        for (; view(frame).type() == FrameType.SEND; frame = line.hearAny()) {
            sends++;
        }
        assertThat(sends).isBetween(1, TOO_MUCH - 1);
        assertThat(view(frame).type()).isSameAs(FrameType.EVENTS);
        assertThat(view(frame).flags()).isEqualTo(FrameView.ACK_NOW);
        return sends;
    }

    @Test
    void aRankThatKeepsAllItMayWaitsAndAsksEachTime() throws Exception {
        connect(true, 60);
        line.say(ScriptedRelay.credit(1L << 30, 1_000));
        int safe = 0;
        for (int round = 0; round < 2; round++) {
            CompletableFuture<Object> sent = sendTooMuch();
            int sends = hearUntilItAsks();
            line.say(ScriptedRelay.ack(safe, safe + sends + 1));
            line.hearNothing(); // A relay that is asked once tells when that is safe: to ask on would never end while a site is cut off.
            assertThat(sent).isNotDone();
            line.say(ScriptedRelay.ack(safe + sends, safe + sends + 1));
            for (; sends < TOO_MUCH; sends++) {
                line.hear(FrameType.SEND);
            }
            sent.get();
            safe += TOO_MUCH + 1;
            line.say(ScriptedRelay.ack(safe, safe));
        }
    }

    /** What it keeps is packed closer over the break, so that it goes on for a little first. */
    @Test
    void aRankThatHasAskedForRoomAsksAgainOnTheNextConnection() throws Exception {
        connect(true, 60);
        line.say(ScriptedRelay.credit(1L << 30, 1_000));
        CompletableFuture<Object> sent = sendTooMuch();
        int before = hearUntilItAsks();
        breakLine();
        welcomeAgain(0);
        line.say(ScriptedRelay.credit(1L << 30, 1_000));
        assertThat(hearUntilItAsks()).as("what is said again").isEqualTo(before);
        endHistory();
        int sends = before + hearUntilItAsks();
        long safe = hello.kept() + before + 1; // What is said again has new numbers.
        line.say(ScriptedRelay.ack(safe, safe));
        for (; sends < TOO_MUCH; sends++) {
            line.hear(FrameType.SEND);
        }
        sent.get();
    }

    // ---- how it ends

    private void refuse(CloseReason closeReason, String text) throws Exception {
        line.say(CloseNotice.closing(ScriptedRelay.JOB, closeReason, text).encode(FrameType.CLOSE));
    }

    private void waitForMessage() {
        start(() -> {
            endpoint.await(receive(new byte[1]));
            return null;
        });
    }

    @ParameterizedTest
    @CsvSource({"FENCED, a newer one, 70", "CANNOT_RESUME, restart: the log has less, 72", "CANNOT_RESUME, the rank is lost, 70"})
    void aRankThatIsNotTakenBackEnds(CloseReason closeReason, String text, int status) throws Exception {
        connect(true, 60);
        waitForMessage();
        line.hear(FrameType.POST);
        breakLine(0, 1);
        refuse(closeReason, text);
        assertThat(end.how.get()).isEqualTo("exit " + status);
    }

    @ParameterizedTest
    @CsvSource({"UNKNOWN_JOB", "RELAY_STOPPING", "RELAY_STARTING", "WRONG_RANK", "TIMEOUT"})
    void aRelayThatIsNotThereYetIsTriedAgain(CloseReason closeReason) throws Exception {
        connect(true, 60);
        waitForMessage();
        line.hear(FrameType.POST);
        for (int i = 0; i < 3; i++) {
            breakLine(0, 1);
            refuse(closeReason, "not yet");
        }
        breakLine(0, 1);
        welcomeAgain(0);
        endHistoryOfOneThatWaits();
        assertThat(end.how).isNotDone();
    }

    /** It has died meanwhile and come back: it knows the rank, and not that it was to move. */
    @Test
    void aRankWhoseMoveIsRefusedComesAgain() throws Exception {
        connect(true, 60);
        waitForMessage();
        line.hear(FrameType.POST);
        line.say(ScriptedRelay.move());
        line.letGo();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).start()).isEqualTo(Hello.MOVED);
        refuse(CloseReason.FENCED, "incarnation 1 is AWAY");
        breakLine(0, 1);
        welcomeAgain(0);
        endHistoryOfOneThatWaits();
        assertThat(end.how).isNotDone();
    }

    /** Longer than a relay that changes its mode does: it has died. */
    @Test
    void aRelayThatIsAwayForLongAfterAMoveIsTriedAgain() throws Exception {
        CompletableFuture<ScriptedRelay.Connection> rank = relay.accepting();
        RelayConnection restarted =
                RelayConnection.connect(Platform.REAL, relay.address(), Credentials.of(TOKEN), new Settings(0, 0), Hello.start(ScriptedRelay.JOB, 0, 2), false);
        line = rank.get();
        relay.shut();
        assertThat(restarted.dial(10)).isNull();
        assertThat(restarted.hasEnded()).isTrue();
        relay.open();
        CompletableFuture<ScriptedRelay.Connection> again = relay.accepting();
        restarted.redial().close();
        again.get().close();
    }

    @Test
    void aRelayThatDoesNotComeBackEndsTheRank() throws Exception {
        connect(true, 1);
        waitForMessage();
        line.hear(FrameType.POST);
        relay.shut();
        line.close();
        assertThat(end.how.get())
                .startsWith("lost: cannot reach the relay at " + relay.address())
                .endsWith("; it has not come back for 1 s (POSTHOUSE_RECONNECT_S)");
    }

    @Test
    void aRankOfAJobThatIsNotLoggedEndsAtOnce() throws Exception {
        connect(false, 60);
        waitForMessage();
        line.hear(FrameType.POST);
        line.close();
        assertThat(end.how.get()).isEqualTo("lost: the relay at " + relay.address() + " has closed the connection");
    }

    /** For as long as one whose connection broke. */
    @Test
    void theFirstProcessOfALoggedJobWaitsForItsRelay() throws Exception {
        relay.shut();
        Hello first = Hello.start(ScriptedRelay.JOB, 0, 1);
        Settings second = new Settings(100_000, 0, Settings.KEPT_BYTES_LEAST, 1);
        assertThatThrownBy(() -> RelayEndpoint.connect(Platform.REAL, relay.address(), Credentials.of(TOKEN), first, second, end, true))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("; it has not come back for 1 s (POSTHOUSE_RECONNECT_S)");
        CompletableFuture<RelayEndpoint> connecting =
                start(() -> RelayEndpoint.connect(Platform.REAL, relay.address(), Credentials.of(TOKEN), first, Settings.DEFAULT, end, true));
        relay.open();
        line = relay.accept();
        Hello hello = Hello.decode(line.hear(FrameType.HELLO));
        assertThat(List.of(hello.start(), hello.incarnation())).containsExactly(Hello.FRESH, 1);
        line.say(ScriptedRelay.welcome(2, true, 0, 0));
        assertThat(connecting.get()).isNotNull();
    }

    /** On a busy host HELLO comes late, and the relay has closed: nothing has begun, whatever the job. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aFirstProcessWhoseHelloIsNotHeardSaysItAgain(boolean logged) throws Exception {
        Settings minute = new Settings(100_000, 0, Settings.KEPT_BYTES_LEAST, 60);
        Hello first = Hello.firstStart(ScriptedRelay.JOB, 0);
        CompletableFuture<RelayEndpoint> connecting =
                start(() -> RelayEndpoint.connect(Platform.REAL, relay.address(), Credentials.of(TOKEN), first, minute, end, logged));
        for (int i = 0; i < 2; i++) {
            line = relay.accept();
            refuse(CloseReason.TIMEOUT, "no HELLO within 5000 ms");
            line.hear(FrameType.HELLO);
            line.hearEnd();
        }
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.close(); // A reset may have thrown away what it said.
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO))).isEqualTo(first);
        line.say(ScriptedRelay.welcome(1, logged, 0, 0));
        assertThat(connecting.get()).isNotNull();
        assertThat(end.how).isNotDone();
    }

    /** Nobody takes its HELLO any more; what was said before is told, and if nothing was, it dials again. */
    @Test
    void reportsTheRelaysCloseReasonOrRedialsWithoutOne(@TempDir Path folder) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("relay"));
        try (ServerSocketChannel closing = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            Deque<ByteBuffer> words = new ArrayDeque<>(List.of(ByteBuffer.allocate(0), ScriptedRelay.closing(CloseReason.LIMIT)));
            Platform machine = new LocalMachine(at -> Optional.of(closed(address, closing, words.remove())));
            Hello first = Hello.firstStart(ScriptedRelay.JOB, 0);
            start(() -> RelayEndpoint.connect(machine, relay.address(), Credentials.of(TOKEN), first, Settings.DEFAULT, end, false));
            assertThat(end.how.get()).isEqualTo("exit 70");
            assertThat(end.lastWords).contains("closed the connection: LIMIT: test");
            assertThat(words).isEmpty();
        }
    }

    /** A connection whose other end has said that and closed. */
    private static SocketChannel closed(UnixDomainSocketAddress address, ServerSocketChannel server, ByteBuffer said) {
        try {
            SocketChannel rank = SocketChannel.open(address);
            try (SocketChannel its = server.accept()) {
                its.write(said);
            }
            return rank;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Who is started for a job that has no log waits for no relay that may come back. */
    @Test
    void aFirstProcessOfAJobThatIsNotLoggedEndsWithItsRelay() throws Exception {
        CompletableFuture<RelayEndpoint> connecting = start(
                () -> RelayEndpoint.connect(relay.address(), TOKEN, Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, end));
        line = relay.accept();
        relay.shut();
        line.close();
        assertThatThrownBy(connecting::get)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage("cannot reach the relay at " + relay.address() + ": Connection refused");
    }

    @Test
    void aProcessInThePlaceOfAnotherWaitsForItsRelay() throws Exception {
        relay.shut();
        CompletableFuture<RelayEndpoint> connecting = start(() -> RelayEndpoint.connect(
                relay.address(), TOKEN, Hello.start(ScriptedRelay.JOB, 0, 2), Settings.DEFAULT, end));
        relay.open();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).start()).isEqualTo(Hello.FRESH);
        refuse(CloseReason.UNKNOWN_JOB, "not yet");
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).start()).isEqualTo(Hello.FRESH);
        line.close();
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(ScriptedRelay.welcome(2, true, 0, 0));
        assertThat(connecting.get()).isNotNull();
    }
}
