package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.posthouse.mpj.ScriptedRelay.chunk;
import static org.posthouse.mpj.ScriptedRelay.clear;
import static org.posthouse.mpj.ScriptedRelay.closing;
import static org.posthouse.mpj.ScriptedRelay.credit;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.finalized;
import static org.posthouse.mpj.ScriptedRelay.move;
import static org.posthouse.mpj.ScriptedRelay.nothingFound;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** A relay asks a rank to connect again: nothing is lost, said twice or said out of turn, whatever was under way. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@ValueSource(ints = {0, 300})
final class MoveTest extends OneRank {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    private static final Hello HELLO = Hello.firstStart(ScriptedRelay.JOB, 0);

    @Parameter
    private int busyPollUs;

    /** One for each time that the rank was refused, and waits before it dials again. */
    private final Semaphore pauses = new Semaphore(0);

    MoveTest() throws IOException {}

    @BeforeEach
    void connect() throws Exception {
        machine = new Pausing(pauses);
        connect(HELLO, new Settings(256 * 1024, busyPollUs), welcome(0));
    }

    /** This process's own machine, which tells when it is asked to sleep. */
    private record Pausing(Semaphore pauses) implements Platform {
        @Override
        public SocketChannel socket() throws IOException {
            return REAL.socket();
        }

        @Override
        public long nanoTime() {
            return REAL.nanoTime();
        }

        @Override
        public void sleep(long ms) throws InterruptedException {
            pauses.release();
            REAL.sleep(ms);
        }

        @Override
        public boolean isCollective() {
            return REAL.isCollective();
        }
    }

    // ---- what a rank does

    private static byte[] bytes(int count, int seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    private CompletableFuture<byte[]> receive(int count) {
        return start(() -> {
            byte[] got = new byte[count];
            endpoint.await(endpoint.receive(CONTEXT, 1, TAG, region(got).sink(0, count)));
            return got;
        });
    }

    private CompletableFuture<Void> send(byte[] bytes) {
        return start(() -> {
            endpoint.await(endpoint.send(CONTEXT, 1, TAG, region(bytes).content(0, bytes.length)));
            return null;
        });
    }

    // ---- what its relay does

    private static ByteBuffer welcome(long deliveries) {
        return welcome(0, deliveries);
    }

    private static ByteBuffer welcome(int rank, long deliveries) {
        List<HomeRelay> homes = List.of(new HomeRelay("lyon", "r1", "127.0.0.1:1"));
        return new Welcome(ScriptedRelay.JOB, rank, 1, 1 << 20, 64, Durability.NONE, deliveries, 0, 0, 0, 0, 0, homes, new int[2], new int[0])
                .encode();
    }

    private static StatePage.Entry sent(int context, int destination, long sequence) {
        return new StatePage.Entry(StatePage.SENT, context, destination, sequence);
    }

    /** The rank's HELLO on its next connection, with all that it must remember, and the answer to it. */
    private Connection welcomeAgain(long deliveries, StatePage.Entry... sent) throws Exception {
        Connection next = relay.accept();
        assertThat(Hello.decode(next.hear(FrameType.HELLO)))
                .isEqualTo(HELLO.again(Hello.MOVED, deliveries, 0, 0, 1, sent.length > 0 ? 1 : 0));
        if (sent.length > 0) {
            assertThat(StatePage.decode(next.hear(FrameType.STATE)))
                    .isEqualTo(new StatePage(ScriptedRelay.JOB, 0, List.of(sent)));
        }
        next.hearNothing();
        next.say(welcome(deliveries));
        return next;
    }

    private void checkMessage(ByteBuffer send, long sequence, byte[] bytes) {
        assertThat(view(send).sequence()).isEqualTo(sequence);
        assertThat(send.slice(Wire.MESSAGE_HEADER_BYTES, send.limit() - Wire.MESSAGE_HEADER_BYTES))
                .isEqualTo(ByteBuffer.wrap(bytes));
    }

    private static void checkChunk(ByteBuffer chunk, byte[] bytes, int from) {
        assertThat(view(chunk).offset()).isEqualTo(from);
        int count = Math.min(CHUNK, bytes.length - from);
        assertThat(chunk.slice(Wire.CHUNK_HEADER_BYTES, chunk.limit() - Wire.CHUNK_HEADER_BYTES))
                .isEqualTo(ByteBuffer.wrap(bytes, from, count));
    }

    // ---- the tests

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiveThatIsBlockedGoesOn(boolean interrupted) throws Exception {
        CompletableFuture<byte[]> receive = receive(3);
        ByteBuffer post = line.hear(FrameType.POST);
        if (interrupted) {
            thread.interrupt();
        }
        line.say(move());
        line.letGo();
        Connection second = welcomeAgain(0);
        second.hearNothing();
        assertThat(receive).isNotDone();
        byte[] message = bytes(3, 1);
        second.say(delivered(post, 1, message, 3));
        assertThat(receive.get()).isEqualTo(message);
        byte[] answer = bytes(5, 2);
        send(answer).get();
        checkMessage(second.hear(FrameType.SEND), 1, answer);
        second.close();
    }

    /** What the relay had under way comes on the old connection, and counts. */
    @Test
    void framesReceivedAfterMoveAreHandled() throws Exception {
        CompletableFuture<byte[]> receive = receive(3);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        byte[] message = bytes(3, 1);
        line.say(credit(10, 1), delivered(post, 1, message, 3), closing(CloseReason.MOVED));
        line.hearEnd();
        Connection second = relay.accept();
        assertThat(Hello.decode(second.hear(FrameType.HELLO)).deliveries()).isEqualTo(1);
        assertThat(receive.get()).isEqualTo(message);
        second.close();
    }

    @Test
    void aMessageThatIsArrivingGoesOnWithItsNextChunk() throws Exception {
        byte[] message = bytes(3 * CHUNK + 7, 1);
        CompletableFuture<byte[]> receive = receive(message.length);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(delivered(post, 1, message, 0), chunk(CONTEXT, 1, message, 0), move());
        line.hear(FrameType.MOVE);
        line.say(chunk(CONTEXT, 1, message, CHUNK), closing(CloseReason.MOVED));
        line.hearEnd();
        Connection second = welcomeAgain(1);
        second.say(chunk(CONTEXT, 1, message, 2 * CHUNK), chunk(CONTEXT, 1, message, 3 * CHUNK));
        assertThat(receive.get()).isEqualTo(message);
        second.close();
    }

    @Test
    void aMessageThatIsLeavingGoesOnWithItsNextChunk() throws Exception {
        byte[] message = bytes(5 * CHUNK + 7, 1);
        CompletableFuture<Void> send = send(message);
        ByteBuffer offer = line.hear(FrameType.OFFER);
        line.say(clear(offer, CHUNK), move());
        checkChunk(line.hear(FrameType.CHUNK), message, 0);
        line.hear(FrameType.MOVE);
        line.say(clear(offer, 2 * CHUNK), clear(offer, 4 * CHUNK));
        line.hearNothing();
        line.say(closing(CloseReason.MOVED));
        line.hearEnd();
        Connection second = welcomeAgain(0, sent(CONTEXT, 1, 1));
        for (int at = CHUNK; at < 4 * CHUNK; at += CHUNK) {
            checkChunk(second.hear(FrameType.CHUNK), message, at);
        }
        second.hearNothing();
        second.say(move());
        second.letGo();
        Connection third = welcomeAgain(0, sent(CONTEXT, 1, 1));
        third.hearNothing();
        assertThat(send).isNotDone();
        third.say(clear(offer, message.length));
        checkChunk(third.hear(FrameType.CHUNK), message, 4 * CHUNK);
        checkChunk(third.hear(FrameType.CHUNK), message, 5 * CHUNK);
        send.get();
        third.close();
    }

    /** Its end needs no frame, so it is not held back. */
    @Test
    void anEmptyOfferMayEndWhileTheLineMoves() throws Exception {
        CompletableFuture<Void> send = start(() -> {
            endpoint.await(endpoint.send(CONTEXT, 1, TAG, region(new byte[0]).content(0, 0), SendMode.SYNCHRONOUS));
            return null;
        });
        ByteBuffer offer = line.hear(FrameType.OFFER);
        line.say(move());
        line.hear(FrameType.MOVE);
        line.say(clear(offer, 0));
        send.get();
    }

    /** One thread reads; the sends of others are held back, none is lost, none comes twice, all are in order. */
    @Test
    void sendsOfOtherThreadsAreHeldBackDuringMove() throws Exception {
        int moves = 6;
        int each = 4_000;
        int count = moves * each;
        CompletableFuture<byte[]> granted = receive(1);
        line.say(credit(count * Wire.cost(8), count), delivered(line.hear(FrameType.POST), 1, new byte[1], 1));
        granted.get();
        receive(1);
        line.hear(FrameType.POST);
        Semaphore allowed = new Semaphore(0);
        CompletableFuture<Void> sending = start(() -> {
            for (int i = 1; i <= count; i++) {
                allowed.acquire();
                endpoint.await(endpoint.send(CONTEXT, 1, TAG, region(bytes(8, i)).content(0, 8)));
            }
            return null;
        });
        Connection now = line;
        int next = 1;
        for (int moved = 0; moved < moves; moved++) {
            allowed.release(each);
            for (int middle = moved * each + each / 2; next < middle; next++) {
                checkMessage(now.hear(FrameType.SEND), next, bytes(8, next));
            }
            now.say(move());
            next = hearToTheMove(now, next);
            now.hearNothing();
            now.say(closing(CloseReason.MOVED));
            now.hearEnd();
            now = welcomeAgain(1, sent(CONTEXT, 1, next - 1));
        }
        for (; next <= count; next++) {
            checkMessage(now.hear(FrameType.SEND), next, bytes(8, next));
        }
        sending.get();
        now.hearNothing();
        now.close();
    }

    /** All messages from {@code next} on up to the rank's MOVE; the number of the one behind it. */
    private static int hearToTheMove(Connection connection, int next) throws Exception {
        int number = next;
        ByteBuffer frame = connection.hearAny();
        while (view(frame).type() == FrameType.SEND) {
            assertThat(view(frame).sequence()).isEqualTo(number++);
            frame = connection.hearAny();
        }
        assertThat(view(frame).type()).isSameAs(FrameType.MOVE);
        return number;
    }

    @Test
    void twoMovesMayFollowEachOtherAtOnce() throws Exception {
        CompletableFuture<byte[]> receive = receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection second = relay.accept();
        second.hear(FrameType.HELLO);
        second.say(welcome(0), move());
        second.letGo();
        Connection third = welcomeAgain(0);
        third.say(delivered(post, 1, new byte[] {5}, 1));
        assertThat(receive.get()).containsExactly(5);
        third.close();
    }

    @Test
    void aRelayThatRefusesForAWhileIsAskedAgain() throws Exception {
        CompletableFuture<byte[]> receive = receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        relay.shut();
        line.say(move());
        line.letGo();
        pauses.acquire(3);
        assertThat(end.how).isNotDone();
        relay.open();
        Connection second = welcomeAgain(0);
        second.say(delivered(post, 1, new byte[] {5}, 1));
        assertThat(receive.get()).containsExactly(5);
        second.close();
    }

    @Test
    void aRankWhoseHelloIsNotHeardInTimeSaysItAgain() throws Exception {
        CompletableFuture<byte[]> receive = receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection late = relay.accept();
        late.say(closing(CloseReason.TIMEOUT));
        late.hear(FrameType.HELLO);
        late.hearEnd();
        Connection cutOff = relay.accept();
        cutOff.hear(FrameType.HELLO);
        cutOff.close(); // It has made room for another, without a word.
        pauses.acquire();
        Connection second = welcomeAgain(0);
        second.say(delivered(post, 1, new byte[] {5}, 1));
        assertThat(receive.get()).containsExactly(5);
        second.close();
    }

    @Test
    void aRelayThatRefusesForLongIsNamed() throws Exception {
        String address = relay.address();
        CompletableFuture<Connection> rank = relay.accepting();
        RelayConnection line = RelayConnection.connect(Platform.REAL, address, Credentials.of(TOKEN), new Settings(256 * 1024, busyPollUs), HELLO, false);
        rank.get().close();
        line.admitted(false, 0, new int[3]);
        relay.shut();
        assertThatIOException()
                .isThrownBy(() -> line.dial(300))
                .withMessage("cannot reach the relay at " + address
                        + ": Connection refused, for 300 ms after it asked this rank to connect again");
        line.close();
    }

    @Test
    void aMoveMayComeBeforeTheFirstMessage() throws Exception {
        line.say(move());
        CompletableFuture<Envelope> probe = start(() -> endpoint.tryProbe(CONTEXT, 1, TAG));
        ByteBuffer asked = line.hear(FrameType.PROBE);
        line.letGo();
        Connection second = welcomeAgain(0);
        second.say(nothingFound(asked));
        assertThat(probe.get()).isNull();
        second.close();
    }

    @Test
    void polledOperationsMoveTheLineToo() throws Exception {
        CompletableFuture<Operation> polling = start(() -> {
            Operation receive = endpoint.receive(CONTEXT, 1, TAG, region(new byte[1]).sink(0, 1));
            while (!endpoint.test(receive)) {
                Thread.onSpinWait();
            }
            return receive;
        });
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection second = relay.accept();
        assertThat(Hello.decode(second.hear(FrameType.HELLO)).failedPolls()).isPositive();
        second.say(welcome(0), delivered(post, 1, new byte[1], 1));
        polling.get();
        second.close();
    }

    /** The relay may ask whether it knows them; frames go on telling how many there were in all. */
    @Test
    void failedPollCountIsRepeatedAfterMove() throws Exception {
        CompletableFuture<byte[]> receive = receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        ((RelayEndpoint) endpoint).countFailedPolls(17);
        line.say(move());
        line.letGo();
        Connection second = relay.accept();
        assertThat(Hello.decode(second.hear(FrameType.HELLO)).failedPolls()).isEqualTo(17);
        second.say(welcome(0), delivered(post, 1, new byte[1], 1));
        receive.get();
        send(new byte[1]).get();
        assertThat(view(second.hear(FrameType.SEND)).failedPolls()).isEqualTo(17);
        ((RelayEndpoint) endpoint).countFailedPolls(2);
        send(new byte[1]).get();
        assertThat(view(second.hear(FrameType.SEND)).failedPolls()).isEqualTo(19);
        second.close();
    }

    /** Its end is no frame: the thread that reads is woken on the next connection too. */
    @Test
    void anErrandEndsAfterAMove() throws Exception {
        Operation errand = endpoint.begin();
        CompletableFuture<Integer> done = start(() -> endpoint.awaitAny(
                new Operation[] {endpoint.receive(CONTEXT, 1, TAG, region(new byte[1]).sink(0, 1)), errand}));
        line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection second = welcomeAgain(0);
        second.hearNothing();
        assertThat(done).isNotDone();
        endpoint.end(errand);
        assertThat(done.get()).isEqualTo(1);
        second.close();
    }

    @Test
    void creditSurvivesMove() throws Exception {
        CompletableFuture<byte[]> receive = receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        for (int i = 0; i < 63; i++) {
            send(new byte[1]).get();
            line.hear(FrameType.SEND);
        }
        line.say(move());
        line.letGo();
        Connection second = welcomeAgain(0, sent(CONTEXT, 1, 63));
        second.say(delivered(post, 1, new byte[1], 1));
        receive.get();
        send(new byte[1]).get();
        second.hear(FrameType.SEND);
        send(new byte[1]);
        second.hear(FrameType.OFFER);
        second.close();
    }

    @ParameterizedTest
    @EnumSource
    void aWelcomeThatForgetsEndsTheRank(Wrong wrong) throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection second = relay.accept();
        second.hear(FrameType.HELLO);
        second.say(wrong.welcome);
        assertThat(end.how.get())
                .startsWith("lost: the relay at " + relay.address() + " sent a bad frame: WELCOME after a move to " + wrong.said)
                .endsWith("expected rank 0 of 2, incarnation 1 with 0 deliveries, in job 7");
        second.close();
    }

    enum Wrong {
        DELIVERIES(welcome(1), "rank 0 of 2, incarnation 1 with 1 deliveries"),
        RANK(MoveTest.welcome(1, 0), "rank 1 of 2, incarnation 1 with 0 deliveries");

        private final ByteBuffer welcome;
        private final String said;

        Wrong(ByteBuffer welcome, String said) {
            this.welcome = welcome;
            this.said = said;
        }
    }

    @Test
    void nothingComesBeforeTheWelcome() throws Exception {
        receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.letGo();
        Connection second = relay.accept();
        second.hear(FrameType.HELLO);
        second.say(delivered(post, 1, new byte[1], 1));
        assertThat(end.how.get()).contains("DELIVERED while the line is GREETING");
        second.close();
    }

    @Test
    void aRelayThatEndsWithoutHavingLetGoIsLost() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        line.close();
        assertThat(end.how.get()).startsWith("lost: ").contains("has closed the connection");
    }

    @Test
    void closeMovedWithoutPriorMoveIsAProtocolError() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(closing(CloseReason.MOVED));
        assertThat(end.how.get()).contains("CLOSE(MOVED) while the line is OPEN");
    }

    @Test
    void aRelayAsksOnce() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move(), move());
        assertThat(end.how.get()).contains("MOVE while the line is LEAVING");
    }

    @Test
    void anyOtherCloseIsARefusal() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        line.say(closing(CloseReason.RELAY_STOPPING));
        assertThat(end.how.get()).isEqualTo("exit " + ExitStatuses.CONNECTION);
        assertThat(end.lastWords).contains("closed the connection: RELAY_STOPPING");
    }

    @Test
    void finalizeIsHeldBack() throws Exception {
        receive(1);
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        CompletableFuture<Void> closing = start(() -> {
            endpoint.close();
            return null;
        });
        line.hearNothing();
        line.say(delivered(post, 1, new byte[1], 1), closing(CloseReason.MOVED));
        line.hearEnd();
        Connection second = welcomeAgain(1);
        second.hear(FrameType.FINALIZE);
        second.say(finalized());
        closing.get();
        second.hearEnd();
    }

    @Test
    void moveAfterFinalizeIsIgnored() throws Exception {
        CompletableFuture<Void> closing = start(() -> {
            endpoint.close();
            return null;
        });
        line.hear(FrameType.FINALIZE);
        line.say(move());
        line.hearNothing();
        line.say(finalized());
        closing.get();
        line.hearEnd();
    }

    @Test
    void theRelaysAbortEndsARankThatMoves() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        line.say(new CloseNotice(ScriptedRelay.JOB, 3, 1, "test").encode(FrameType.ABORT));
        assertThat(end.how.get()).isEqualTo("exit 3");
    }

    @Test
    void theRanksOwnAbortIsHeldBack() throws Exception {
        receive(1);
        line.hear(FrameType.POST);
        line.say(move());
        line.hear(FrameType.MOVE);
        start(() -> {
            endpoint.abort(5, "had enough");
            return null;
        });
        line.hearNothing();
        line.say(closing(CloseReason.MOVED));
        line.hearEnd();
        Connection second = welcomeAgain(0);
        assertThat(CloseNotice.decode(second.hear(FrameType.ABORT)).text()).isEqualTo("had enough");
        assertThat(end.how.get()).isEqualTo("exit 5");
        second.close();
    }

    @Test
    void theRanksOwnAbortDoesNotWaitForAWriteThatNeverEnds() throws Exception {
        CompletableFuture<byte[]> received = receive(1);
        line.say(credit(1L << 40, 1 << 20), delivered(line.hear(FrameType.POST), 1, new byte[1], 1));
        received.get();
        byte[] piece = new byte[CHUNK];
        start(() -> {
            while (true) {
                endpoint.send(CONTEXT, 1, TAG, region(piece).content(0, CHUNK));
            }
        });
        start(() -> {
            endpoint.abort(5, "had enough");
            return null;
        });
        assertThat(end.later.get()).isEqualTo(5);
    }
}
