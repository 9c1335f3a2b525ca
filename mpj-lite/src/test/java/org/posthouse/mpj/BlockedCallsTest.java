package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import mpi.Intracomm;
import mpi.LocalRanks;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.blocked.BlockedCalls;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.BackgroundOperation;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PendingProbe;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;

/** What a rank says of a point-to-point call that lasts, and when. */
@Timeout(60)
final class BlockedCallsTest extends OneRank {
    private static final int WORLD = 0;

    private final BlockedCalls blockedCalls = new BlockedCalls();

    BlockedCallsTest() throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, false, 0, 0));
        endpoint.presences().watchedByOthers();
    }

    private static PostedReceive receive(int source, int tag) {
        return new PostedReceive(WORLD, source, tag, sink());
    }

    private static Sink sink() {
        return Plain.sink(Base.BYTE, new byte[LONG.length], 0, LONG.length);
    }

    private static Content content(byte[] bytes) {
        return Plain.content(Base.BYTE, bytes, 0, bytes.length);
    }

    private static OfferedSend send(int context, int destination, int tag) {
        return new OfferedSend(content(new byte[1]), context, destination, tag, SendMode.STANDARD);
    }

    private BlockedReport word() {
        return blockedCalls.word(ScriptedRelay.JOB, 0, false, false);
    }

    // ---- the words

    @Test
    void reportNamesTheCallAndItsArguments() {
        assertThat(BlockedCalls.words("Recv", receive(1, 7))).isEqualTo("Recv(source 1, tag 7)");
        assertThat(BlockedCalls.words("recv", receive(Wire.ANY, Wire.ANY))).isEqualTo("recv(any source, any tag)");
        assertThat(BlockedCalls.words("Ssend", send(WORLD, 2, 0))).isEqualTo("Ssend(destination 2, tag 0)");
        assertThat(BlockedCalls.words("Ssend", send(WORLD, 2, Wire.SENT_WITH_ANY_TAG))).isEqualTo("Ssend(destination 2, tag ANY_TAG)");
        assertThat(BlockedCalls.words("Probe", new PendingProbe(1, WORLD, 1, Wire.ANY))).isEqualTo("Probe(source 1, any tag)");
        assertThat(BlockedCalls.words("Sendrecv", send(2, 2, 0))).isEqualTo("Sendrecv(destination 2, tag 0; another communicator, world ranks)");
        assertThat(BlockedCalls.words("Barrier", new BackgroundOperation())).isEqualTo("Barrier, behind a collective in the background");
    }

    @Test
    void reportNamesTheOperationsOfAwaitedRequests() {
        assertThat(BlockedCalls.words("Wait", receive(1, 7))).isEqualTo("Wait of a receive (source 1, tag 7)");
        assertThat(BlockedCalls.words("waitFor", send(WORLD, 2, 0))).isEqualTo("waitFor of a send (destination 2, tag 0)");
        assertThat(BlockedCalls.words("waitStatus", new BackgroundOperation())).isEqualTo("waitStatus of a collective in the background");
        OfferedSend done = send(WORLD, 2, 0);
        done.done();
        Operation[] some = {null, done, receive(1, 7), send(WORLD, 2, 5)};
        assertThat(BlockedCalls.words("Waitall", some))
                .isEqualTo("Waitall of 3 operations, 2 not done: a receive (source 1, tag 7), a send (destination 2, tag 5)");
        Operation[] many = new Operation[6];
        for (int i = 0; i < many.length; i++) {
            many[i] = receive(i, 7);
        }
        assertThat(BlockedCalls.words("waitAny", many)).endsWith("a receive (source 3, tag 7), and 2 more").startsWith("waitAny of 6 operations, 6 not done: ");
        assertThat(BlockedCalls.words("Waitsome", new Operation[] {receive(1, 7)})).isEqualTo("Waitsome of a receive (source 1, tag 7)");
    }

    // ---- when

    @Test
    void saysItWhenTwoIntervalsHavePassedAndThenNowAndThen() {
        PostedReceive receive = receive(1, 7);
        blockedCalls.begin("Recv", receive);
        assertThat(blockedCalls.look(false)).isFalse();
        assertThat(blockedCalls.look(false)).isFalse();
        assertThat(blockedCalls.look(false)).isTrue();
        BlockedReport first = word();
        assertThat(first).isEqualTo(
                new BlockedReport(ScriptedRelay.JOB, 0, 0, 1, 0, 1, "Recv(source 1, tag 7)", BlockedReport.POINT_TO_POINT));
        for (int i = 1; i < CollectivePosition.LOOKS_AGAIN; i++) {
            assertThat(blockedCalls.look(false)).isFalse();
        }
        assertThat(blockedCalls.look(false)).isTrue();
        assertThat(word()).as("the same call").isEqualTo(first);
        blockedCalls.end(receive);
        assertThat(blockedCalls.look(false)).isTrue();
        assertThat(word()).isEqualTo(new BlockedReport(ScriptedRelay.JOB, 0, 0, 1, 0, -1, "", BlockedReport.POINT_TO_POINT));
        assertThat(blockedCalls.look(false)).isFalse();
    }

    @Test
    void theNextCallIsAnotherOneThoughItSaysTheSame() {
        for (int call = 1; call <= 2; call++) {
            PostedReceive receive = receive(1, 7);
            blockedCalls.begin("Recv", receive);
            while (!blockedCalls.look(false)) {
                // Looks on.
            }
            assertThat(word().number()).isEqualTo(call);
            blockedCalls.end(receive);
            blockedCalls.look(false);
            assertThat(word().text()).isEmpty();
        }
    }

    @Test
    void whereBytesMoveNobodyIsBlocked() {
        blockedCalls.begin("Recv", receive(1, 7));
        for (int i = 0; i < 10; i++) {
            assertThat(blockedCalls.look(true)).isFalse();
        }
        assertThat(blockedCalls.look(false)).isFalse();
        assertThat(blockedCalls.look(false)).isTrue();
        word();
        assertThat(blockedCalls.look(true)).isTrue();
        assertThat(word().text()).as("it goes on").isEmpty();
    }

    @Test
    void longestOfSeveralCallsIsReportedWithoutStandstill() {
        PostedReceive service = receive(Wire.ANY, 1);
        blockedCalls.begin("Recv", service);
        blockedCalls.look(false);
        PostedReceive other = receive(1, 2);
        blockedCalls.begin("Recv", other);
        blockedCalls.look(false);
        blockedCalls.end(other);
        assertThat(blockedCalls.look(false)).isTrue();
        BlockedReport word = word();
        assertThat(word.text()).isEqualTo("Recv(any source, tag 1)");
        assertThat(word.standsStill()).isFalse();
        assertThat(word.peer()).isEqualTo(-1);
    }

    // ---- what the relay hears

    private void lookUntilReported() throws Exception {
        while (!line.hasSaid()) {
            assertThat(Thread.currentThread().isInterrupted()).as("it takes too long").isFalse();
            endpoint.presences().look();
        }
    }

    /** Looks until the relay hears that it goes on; before, it may be told once more what it is in. */
    private void looksUntilItGoesOn() throws Exception {
        String text;
        do {
            lookUntilReported();
            text = BlockedReport.decode(line.hear(FrameType.BLOCKED)).text();
        } while (!text.isEmpty());
    }

    @Test
    void theRelayHearsOfAReceiveThatNothingComesForAndThatItGoesOn() throws Exception {
        CompletableFuture<Object> program = start(() -> {
            endpoint.await(endpoint.receive(WORLD, 1, 7, sink()), "Recv");
            return null;
        });
        var post = line.hear(FrameType.POST);
        lookUntilReported();
        BlockedReport word = BlockedReport.decode(line.hear(FrameType.BLOCKED));
        assertThat(word.text()).isEqualTo("Recv(source 1, tag 7)");
        assertThat(word.standsStill()).isTrue();
        line.say(ScriptedRelay.delivered(post, 1, new byte[1], 1));
        program.get();
        looksUntilItGoesOn();
    }

    @Test
    void aSendThatNobodyTakesAndAProbeAreCallsToo() throws Exception {
        start(() -> {
            endpoint.await(endpoint.send(WORLD, 2, 5, content(new byte[1]), SendMode.SYNCHRONOUS), "Ssend");
            return null;
        });
        var offer = line.hear(FrameType.OFFER);
        lookUntilReported();
        assertThat(BlockedReport.decode(line.hear(FrameType.BLOCKED)).text()).isEqualTo("Ssend(destination 2, tag 5)");
        line.say(ScriptedRelay.clear(offer, 1));
        line.hear(FrameType.CHUNK);
        looksUntilItGoesOn();
        start(() -> endpoint.probe(WORLD, Wire.ANY, Wire.ANY, "Probe"));
        line.hear(FrameType.PROBE);
        lookUntilReported();
        assertThat(BlockedReport.decode(line.hear(FrameType.BLOCKED)).text()).isEqualTo("Probe(any source, any tag)");
    }

    private interface Waiting {
        void await(Request[] requests) throws MPIException;
    }

    private String wordOf(Waiting call) throws Exception {
        start(() -> {
            Intracomm world = LocalRanks.world(endpoint, 3);
            call.await(new Request[] {world.Irecv(new int[1], 0, 1, MPI.INT, 1, 7), world.Irecv(new int[1], 0, 1, MPI.INT, 2, 8)});
            return null;
        });
        line.hear(FrameType.POST);
        line.hear(FrameType.POST);
        lookUntilReported();
        return BlockedReport.decode(line.hear(FrameType.BLOCKED)).text();
    }

    @Test
    void aProgramThatWaitsForSomeOfItsRequestsIsInACall() throws Exception {
        assertThat(wordOf(Request::Waitsome))
                .isEqualTo("Waitsome of 2 operations, 2 not done: a receive (source 1, tag 7), a receive (source 2, tag 8)");
    }

    @Test
    void aProgramThatWaitsForAnyOfItsRequestsIsInACall() throws Exception {
        assertThat(wordOf(Request::waitAny)).startsWith("waitAny of 2 operations, 2 not done: ");
    }

    @Test
    void aMessageThatIsArrivingMoves() throws Exception {
        CompletableFuture<Object> program = start(() -> {
            endpoint.await(endpoint.receive(WORLD, 1, 7, sink()), "Recv");
            return null;
        });
        var post = line.hear(FrameType.POST);
        lookUntilReported();
        line.hear(FrameType.BLOCKED);
        line.say(ScriptedRelay.delivered(post, 1, LONG, 0));
        for (int from = 0; from + Wire.PAYLOAD_BYTES_MAX < LONG.length; from += Wire.PAYLOAD_BYTES_MAX) {
            line.say(ScriptedRelay.chunk(WORLD, 1, LONG, from));
        }
        looksUntilItGoesOn();
        assertThat(program).isNotDone();
    }

    @Test
    void threadMultipleRankIsNotReportedAsStandingStill() throws Exception {
        endpoint.limit(ReplayLimit.MULTIPLE);
        start(() -> {
            endpoint.awaitAny(new Operation[] {endpoint.receive(WORLD, 1, 7, sink())}, "Waitany");
            return null;
        });
        line.hear(FrameType.POST);
        lookUntilReported();
        assertThat(BlockedReport.decode(line.hear(FrameType.BLOCKED)).standsStill()).isFalse();
    }

    @Test
    void waitOutsideAProgramCallIsNotReported() throws Exception {
        CompletableFuture<Object> program = start(() -> {
            endpoint.await(endpoint.receive(WORLD, 1, 7, sink()));
            return null;
        });
        line.hear(FrameType.POST);
        for (int i = 0; i < 10; i++) {
            endpoint.presences().look();
        }
        line.hearNothing();
        assertThat(program).isNotDone();
    }

    // ---- threads that have ended

    @Test
    void endedThreadIsReportedWithAndWithoutBlockedCall() {
        blockedCalls.threadEnded("worker", new IllegalStateException("no\nrows"));
        blockedCalls.threadEnded("other", new IllegalStateException("later"));
        for (int look = 0; look < CollectivePosition.LOOKS; look++) {
            blockedCalls.look(false);
        }
        BlockedReport none = word();
        assertThat(none.text()).isEqualTo("no call: its thread \"worker\" has ended by java.lang.IllegalStateException: no rows");
        assertThat(none.bits()).isEqualTo(BlockedReport.POINT_TO_POINT);
        PostedReceive receive = receive(1, 7);
        blockedCalls.begin("Recv", receive);
        for (int look = 0; look < CollectivePosition.LOOKS; look++) {
            blockedCalls.look(false);
        }
        assertThat(word().text()).isEqualTo("Recv(source 1, tag 7); its thread \"worker\" has ended by java.lang.IllegalStateException: no rows");
        blockedCalls.end(receive);
        assertThat(blockedCalls.look(true)).as("it is told that it goes on").isTrue();
        assertThat(word().text()).isEmpty();
    }
}
