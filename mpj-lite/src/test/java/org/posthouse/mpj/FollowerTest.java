package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.events;
import static org.posthouse.mpj.ScriptedRelay.pushed;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Confirmed;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/** What a process says that follows the leader of its rank, and what it does when it leads (docs/wire.md, followers). */
@Timeout(value = 120, unit = java.util.concurrent.TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FollowerTest extends OneRank {
    private static final int NUMBER = 2;
    private static final int NEXT_NUMBER = 5;
    private static final byte[] NONE = {};

    FollowerTest() throws IOException {}

    @BeforeEach
    void follow() throws Exception {
        connect(Hello.follower(ScriptedRelay.JOB, 0, NUMBER), new Settings(1 << 18, 0, Settings.KEPT_BYTES_LEAST, 60), welcome());
    }

    // ---- what the program does

    private Operation send(int destination, byte[] bytes, SendMode mode) {
        return endpoint.send(CONTEXT, destination, TAG, Plain.content(Base.BYTE, bytes, 0, bytes.length), mode);
    }

    private Operation send(int destination) {
        return send(destination, new byte[] {5}, SendMode.STANDARD);
    }

    private Operation receive() {
        return endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, new byte[10], 0, 10));
    }

    /** A call of the program that reads, and says what was written before. */
    private CompletableFuture<Void> waiting() {
        return start(() -> {
            endpoint.await(receive());
            return null;
        });
    }

    private CompletableFuture<Void> closing() {
        return start(() -> {
            endpoint.close();
            return null;
        });
    }

    // ---- what its relay does

    private static ByteBuffer welcome() {
        return ScriptedRelay.welcome(NUMBER, true, 0, 0);
    }

    private static ByteBuffer history(int flags, int polls, int... kinds) {
        return events(1, items(polls, kinds), polls, flags);
    }

    private static ByteBuffer end() {
        return history(FrameView.END, 0);
    }

    private static ByteBuffer[] promotion(StatePage.Entry... known) {
        ByteBuffer word = new Promoted(ScriptedRelay.JOB, NEXT_NUMBER, 1 << 20, 2, 0, 0, 1).encode();
        return new ByteBuffer[] {word, new StatePage(ScriptedRelay.JOB, 0, List.of(known)).encode()};
    }

    private static StatePage.Entry known(int kind, int destination, long sequence) {
        return new StatePage.Entry(kind, CONTEXT, destination, sequence);
    }

    private static StatePage.Entry open(FrameType form, int destination, long sequence) {
        return new StatePage.Entry(StatePage.OPEN, CONTEXT, destination, form.id(), sequence, 0);
    }

    private static ByteBuffer confirmed(int destination, long... sequences) {
        return new Confirmed(
                ScriptedRelay.JOB, LongStream.of(sequences).mapToObj(sequence -> new Confirmed.Message(CONTEXT, destination, sequence)).toList()).encode();
    }

    private FrameView hearMessage(FrameType type, int destination, long sequence) throws Exception {
        FrameView view = view(line.hear(type));
        assertThat(view.destination()).isEqualTo(destination);
        assertThat(view.sequence()).isEqualTo(sequence);
        return view;
    }

    // ---- following

    @Test
    void followerSaysTheChecksumsOfItsMessagesAndNothingElse() throws Exception {
        byte[] large = new byte[70_000];
        large[69_999] = 1;
        assertThat(send(1, large, SendMode.STANDARD).isDone()).isTrue();
        assertThat(send(2).isDone()).isTrue();
        waiting();
        MessageChecksum checksum = new MessageChecksum();
        checksum.add(MessageChecksum.piece(ByteBuffer.wrap(large, 0, 65_536)));
        checksum.add(MessageChecksum.piece(ByteBuffer.wrap(large, 65_536, 70_000 - 65_536)));
        FrameView claim = hearMessage(FrameType.RESENT, 1, 1);
        assertThat(claim.checksum()).isEqualTo(checksum.value());
        assertThat(claim.messageBytes()).isEqualTo(70_000);
        hearMessage(FrameType.RESENT, 2, 1);
        line.hearNothing();
    }

    @Test
    void followerObservesWhatItsLeaderDidAndWaitsWhereNothingIsKnown() throws Exception {
        List<Object> seen = new ArrayList<>();
        CompletableFuture<Void> program = start(() -> {
            Operation[] both = {receive(), receive()};
            seen.add(endpoint.test(both[0]));
            seen.add(endpoint.awaitAny(both));
            seen.add(endpoint.value(() -> 17));
            seen.add(endpoint.tryProbe(CONTEXT, 1, TAG) == null);
            return null;
        });
        line.hearNothing();
        assertThat(program).isNotDone();
        line.say(pushed(CONTEXT, TAG, 2, 1, new byte[1], 1), history(0, 1, DeterminantLog.ANY, DeterminantLog.VALUE));
        line.hearNothing();
        assertThat(program).as("the probe is not in the history").isNotDone();
        line.say(events(3, NONE, 2, 0));
        program.get();
        assertThat(seen).containsExactly(false, 1, 1L, true);
        line.hearNothing();
    }

    @Test
    void followerWaitsAtTheLimitOfUnconfirmedMessages() throws Exception {
        CompletableFuture<Operation> sending = start(() -> {
            for (int i = 0; i < Confirmed.UNCONFIRMED_MAX; i++) {
                send(1, NONE, SendMode.STANDARD);
            }
            Operation next = send(1, NONE, SendMode.STANDARD);
            endpoint.await(next);
            return next;
        });
        for (int i = 1; i <= Confirmed.UNCONFIRMED_MAX; i++) {
            hearMessage(FrameType.RESENT, 1, i);
        }
        line.hearNothing();
        assertThat(sending).isNotDone();
        line.say(confirmed(1, 1));
        hearMessageOf(sending, Confirmed.UNCONFIRMED_MAX + 1L);
    }

    private void hearMessageOf(CompletableFuture<Operation> sending, long sequence) throws Exception {
        assertThat(sending.get().isDone()).isTrue();
        waiting();
        hearMessage(FrameType.RESENT, 1, sequence);
    }

    @Test
    void followerKeepsSoManyBytesAndOneMessageMore() throws Exception {
        byte[] bytes = new byte[Settings.KEPT_BYTES_LEAST - 1];
        send(1, bytes, SendMode.STANDARD);
        assertThat(send(1, bytes, SendMode.STANDARD).isDone()).isTrue();
        CompletableFuture<Void> third = start(() -> {
            endpoint.await(send(1));
            return null;
        });
        hearMessage(FrameType.RESENT, 1, 1);
        hearMessage(FrameType.RESENT, 1, 2);
        line.hearNothing();
        assertThat(third).isNotDone();
        line.say(confirmed(1, 1, 2));
        third.get();
    }

    /** It is complete when its receive has begun, which only the leader hears of. */
    @Test
    void synchronousSendEndsWithItsConfirmation() throws Exception {
        Operation send = send(1, new byte[] {5}, SendMode.SYNCHRONOUS);
        CompletableFuture<Void> program = start(() -> {
            endpoint.await(send);
            return null;
        });
        assertThat(hearMessage(FrameType.RESENT, 1, 1).flags()).isEqualTo(FrameView.ACK_NOW);
        line.hearNothing();
        assertThat(program).isNotDone();
        line.say(confirmed(1, 1));
        program.get();
    }

    @Test
    void programThatDoesSomethingElseThanItsLeaderEnds() throws Exception {
        line.say(history(0, 0, DeterminantLog.FOUND));
        start(() -> endpoint.value(() -> 17));
        CloseNotice abort = CloseNotice.decode(line.hear(FrameType.ABORT));
        assertThat(abort.code()).isEqualTo(71);
        assertThat(abort.text()).startsWith(
                "follows, and does not do what its leader did: expected a probe that finds something as event 1 after 0 failed polls, found a value");
        assertThat(end.how.get()).isEqualTo("exit 71");
    }

    @Test
    void followerThatWouldHaveSentSomethingElseEndsWithTheRelaysLine() throws Exception {
        waiting();
        line.say(CloseNotice.closing(ScriptedRelay.JOB, CloseReason.DIVERGED, "message 7 to rank 1 has other content").encode(FrameType.CLOSE));
        assertThat(end.how.get()).isEqualTo("exit 71");
        assertThat(end.lastWords).contains("message 7 to rank 1 has other content");
    }

    @Test
    void followerThatIsTooFarBehindMayBeReplaced() throws Exception {
        waiting();
        line.say(ScriptedRelay.closing(CloseReason.LAGGED));
        assertThat(end.how.get()).isEqualTo("exit 72");
    }

    // ---- its end

    @Test
    void followerEndsWhenItsLeaderHasFinalized() throws Exception {
        send(1);
        CompletableFuture<Void> program = closing();
        hearMessage(FrameType.RESENT, 1, 1);
        line.hear(FrameType.FINALIZE);
        line.hearNothing();
        assertThat(program).isNotDone();
        line.say(ScriptedRelay.finalized());
        program.get();
        line.hearEnd();
    }

    @Test
    void followerThatFinalizesBeforeItsLeadersNextEventHasDiverged() throws Exception {
        closing();
        line.hear(FrameType.FINALIZE);
        line.say(history(0, 0, DeterminantLog.VALUE));
        assertThat(CloseNotice.decode(line.hear(FrameType.ABORT)).text()).contains("found Finalize");
    }

    @Test
    void followerThatLeadsInFinalizeFinalizesItsRank() throws Exception {
        send(1);
        CompletableFuture<Void> program = closing();
        hearMessage(FrameType.RESENT, 1, 1);
        line.hear(FrameType.FINALIZE);
        line.say(promotion());
        hearMessage(FrameType.SEND, 1, 1);
        line.hearNothing();
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.FINALIZE);
        line.say(ScriptedRelay.finalized());
        program.get();
    }

    // ---- leading

    @Test
    void processThatLeadsSendsWhatItsRelayLacks() throws Exception {
        for (int i = 0; i < 3; i++) {
            send(1);
        }
        byte[] large = new byte[70_000];
        send(2, large, SendMode.STANDARD);
        Arrays.fill(large, (byte) 9);
        send(2);
        waiting();
        for (int i = 1; i <= 3; i++) {
            hearMessage(FrameType.RESENT, 1, i);
        }
        hearMessage(FrameType.RESENT, 2, 1);
        hearMessage(FrameType.RESENT, 2, 2);
        line.say(confirmed(1, 1));
        line.say(promotion(known(StatePage.ACCEPTED, 1, 2), known(StatePage.ACCEPTED, 2, 1), open(FrameType.EAGER, 2, 1)));
        List<String> heard = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ByteBuffer frame = line.hearAny();
            FrameView view = view(frame);
            heard.add(view.type() + " to " + view.destination() + " #" + view.sequence());
            if (view.type() == FrameType.CHUNK) {
                assertThat(frame.get(Wire.CHUNK_HEADER_BYTES)).as("as it was at the call").isZero();
            }
        }
        assertThat(heard).containsExactlyInAnyOrder("SEND to 1 #3", "EAGER to 2 #1", "CHUNK to 2 #1", "CHUNK to 2 #1", "SEND to 2 #2");
        assertThat(heard.indexOf("EAGER to 2 #1")).isLessThan(heard.indexOf("SEND to 2 #2"));
        line.hearNothing();
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        assertThat(line.hasSaid()).isFalse();
    }

    @Test
    void processThatLeadsObservesTheRestFirst() throws Exception {
        CompletableFuture<Long> program = start(() -> endpoint.value(() -> 17) * 100 + endpoint.value(() -> 17));
        line.say(promotion());
        line.hearNothing();
        line.say(history(FrameView.END, 0, DeterminantLog.VALUE));
        line.hear(FrameType.LIVE);
        assertThat(program.get()).as("the leader's, then its own").isEqualTo(117);
        send(1);
        line.hear(FrameType.EVENTS);
        assertThat(hearMessage(FrameType.SEND, 1, 1).flags()).as("nothing is known of the channel").isEqualTo(FrameView.AGAIN);
    }

    @Test
    void sendsThatWaitedAtTheLimitLeaveBehindThoseThatWereKept() throws Exception {
        byte[] bytes = new byte[Settings.KEPT_BYTES_LEAST];
        send(1, bytes, SendMode.STANDARD);
        CompletableFuture<Void> waits = start(() -> {
            endpoint.await(send(1));
            return null;
        });
        hearMessage(FrameType.RESENT, 1, 1);
        line.say(promotion());
        ByteBuffer offer = line.hear(FrameType.OFFER);
        assertThat(view(offer).sequence()).isEqualTo(1);
        hearMessage(FrameType.SEND, 1, 2);
        waits.get();
    }

    @Test
    void finalizeWaitsForAKeptMessageThatIsOffered() throws Exception {
        byte[] bytes = new byte[(1 << 18) + 1];
        assertThat(send(1, bytes, SendMode.STANDARD).isDone()).isTrue();
        closing();
        hearMessage(FrameType.RESENT, 1, 1);
        line.hear(FrameType.FINALIZE);
        line.say(promotion());
        ByteBuffer offer = line.hear(FrameType.OFFER);
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hearNothing();
        line.say(ScriptedRelay.clear(offer, bytes.length));
        for (int at = 0; at < bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
            line.hear(FrameType.CHUNK);
        }
        line.hear(FrameType.FINALIZE);
    }

    @Test
    void sendThatItsLeaderHasTakenBackIsNotSent() throws Exception {
        line.say(history(0, 0, DeterminantLog.TAKEN));
        Operation gone = send(1, new byte[] {5}, SendMode.SYNCHRONOUS);
        assertThat(endpoint.cancel(gone)).isTrue();
        waiting();
        hearMessage(FrameType.RESENT, 1, 1);
        line.say(promotion());
        line.say(events(2, NONE, 0, FrameView.END));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        assertThat(breakLine()).contains(known(StatePage.GONE, 1, 1));
    }

    // ---- connections

    @Test
    void followerComesAgainAsFollowerAndSaysItsChecksumsAgain() throws Exception {
        send(1);
        send(2);
        line.say(history(0, 0, DeterminantLog.VALUE));
        endpoint.value(() -> 17);
        waiting();
        hearMessage(FrameType.RESENT, 1, 1);
        hearMessage(FrameType.RESENT, 2, 1);
        line.say(confirmed(1, 1));
        assertThat(breakLine()).isEmpty();
        assertThat(hello).isEqualTo(new Hello(Hello.FOLLOWER, ScriptedRelay.JOB, 0, NUMBER, Hello.AGAIN, 0, 0, 1, 1, 0, 0));
        line.say(welcome());
        hearMessage(FrameType.RESENT, 2, 1);
        line.hearNothing();
    }

    @Test
    void followerDialsAgainWhenItsRelayMovesIt() throws Exception {
        CompletableFuture<Void> program = closing();
        line.hear(FrameType.FINALIZE);
        line.say(ScriptedRelay.closing(CloseReason.MOVED));
        line.hearEnd();
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).kind()).isEqualTo(Hello.FOLLOWER);
        line.say(welcome());
        line.hear(FrameType.FINALIZE);
        line.say(ScriptedRelay.finalized());
        program.get();
    }

    @Test
    void promotionThatWasNotReadToItsEndIsNone() throws Exception {
        send(1);
        waiting();
        hearMessage(FrameType.RESENT, 1, 1);
        line.say(promotion()[0]);
        breakLine();
        assertThat(hello.kind()).isEqualTo(Hello.FOLLOWER);
        assertThat(hello.incarnation()).isEqualTo(NUMBER);
        line.say(welcome());
        hearMessage(FrameType.RESENT, 1, 1);
        line.say(promotion(known(StatePage.ACCEPTED, 1, 1)));
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
    }

    @Test
    void processThatLeadsComesAgainAsItsRank() throws Exception {
        send(1);
        waiting();
        hearMessage(FrameType.RESENT, 1, 1);
        line.say(promotion());
        hearMessage(FrameType.SEND, 1, 1);
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        assertThat(breakLine()).containsExactly(known(StatePage.SENT, 1, 1));
        assertThat(hello.kind()).isEqualTo(Hello.RANK);
        assertThat(hello.incarnation()).isEqualTo(NEXT_NUMBER);
        line.say(greeting(NEXT_NUMBER, 0, known(StatePage.ACCEPTED, 1, 1)));
        line.say(end());
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POST);
        line.hear(FrameType.POLLS);
    }
}
