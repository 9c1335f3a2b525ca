package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Processes with a past at a relay whose disk stands still, in jobs that survive its host: they hear of that past when nobody can lose it
 * any more, and what they have given up is given up for good (P3, ADR 19). Rank 0 has sent a message and received one before.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WithheldWelcomeTest {
    private static final long JOB = 42;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration LONG = Duration.ofMillis(400);

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final StoppedDisk disk = new StoppedDisk();
    private EmbeddedGrid grid;
    private Peer launcher;
    private Peer first;
    private Peer other;

    /** A connection that says and hears one frame at a time. */
    private final class Peer implements AutoCloseable {
        private final RawPeer connection;

        private Peer(Hello hello) throws IOException {
            connection = RawPeer.connect(grid.addresses().getFirst());
            if (hello.kind() == Hello.LAUNCHER) {
                connection.hello(hello);
            } else {
                connection.hello(hello, TOKEN);
            }
        }

        private void say(ByteBuffer frame) throws IOException {
            connection.send(frame);
        }

        private ByteBuffer hear() throws IOException {
            return connection.readFrame();
        }

        private ByteBuffer hear(FrameType type) throws IOException {
            ByteBuffer frame = hear();
            assertThat(FrameWords.of(view(frame))).startsWith(type.toString());
            return frame;
        }

        private void hearsNothing() {
            await().during(LONG)
                    .failFast(() -> assertThat(connection.available()).as("bytes heard").isZero())
                    .until(() -> true);
        }

        /** Until this has happened to rank 0, as the launcher is told. */
        private void hears(int kind) throws IOException, WireException {
            JobEvent event;
            do {
                event = JobEvent.decode(hear(FrameType.JOB_EVENT));
            } while (event.rank() != 0 || event.kind() != kind);
        }

        @Override
        public void close() throws IOException {
            connection.close();
        }
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    private static ByteBuffer frame(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, JOB).length(headerBytes + payloadBytes);
        return frame;
    }

    private static ByteBuffer message(FrameType form, int source, int destination, long sequence) {
        ByteBuffer frame = frame(form, Wire.MESSAGE_HEADER_BYTES, form == FrameType.SEND ? 1 : 0);
        view(frame).address(0, source, destination, 0).sequence(sequence).content(1, 1, 1);
        return frame;
    }

    private static Hello process(int incarnation) {
        return Hello.start(JOB, 0, incarnation);
    }

    @BeforeEach
    void start() throws IOException {
        grid = disk.grid(vertx, 1);
    }

    @AfterEach
    void end() throws Exception {
        disk.goOn(); // Or the relay would not end.
        for (Peer peer : List.of(launcher, first, other)) {
            peer.close();
        }
        grid.close();
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    /** One message each way between the two ranks. */
    private void play(Durability durability) throws Exception {
        launcher = new Peer(Hello.launcher());
        HomeRelay self = Welcome.decode(launcher.hear(FrameType.WELCOME)).homes().getFirst();
        HomeRelay homeRelay = new HomeRelay(self.site(), self.relay(), grid.addresses().getFirst());
        launcher.say(new JobOpen(JOB, TOKEN, durability, false, "test", List.of(homeRelay), new int[2]).encode());
        launcher.hear(FrameType.JOB_OPENED);
        other = new Peer(Hello.firstStart(JOB, 1));
        other.hear(FrameType.WELCOME);
        first = new Peer(process(1));
        first.hear(FrameType.WELCOME);
        first.say(message(FrameType.SEND, 0, 1, 1));
        ByteBuffer post = frame(FrameType.POST, 48, 0);
        view(post).address(0, 1, 0, 0).post(7, 0).ordinal(1);
        first.say(post);
        other.say(message(FrameType.SEND, 1, 0, 1));
        first.hear(FrameType.DELIVERED);
    }

    /** Rank 0 dies, and this is said in its name, which the relay has heard when this returns. */
    private Peer comes(Hello hello) throws Exception {
        first.close();
        launcher.hears(JobEvent.AWAY);
        Peer next = new Peer(hello);
        launcher.hears(JobEvent.REPLAYING);
        return next;
    }

    private static void hearsItsPast(Peer process, int incarnation) throws Exception {
        assertThat(Welcome.decode(process.hear(FrameType.WELCOME)).incarnation()).isEqualTo(incarnation);
        assertThat(StatePage.decode(process.hear(FrameType.STATE)).entries())
                .containsExactly(new StatePage.Entry(StatePage.ACCEPTED, 0, 1, 1));
    }

    private static void hearsItsHistory(Peer process) throws Exception {
        assertThat(view(process.hear(FrameType.DELIVERED)).sequence()).isEqualTo(1);
        assertThat(view(process.hear(FrameType.EVENTS)).flags()).isEqualTo(FrameView.END);
    }

    @Test
    void aProcessThatIsStartedAgainHearsNothingThatAPowerCutMayUndo() throws Exception {
        play(Durability.HOST);
        try (Peer second = comes(process(2))) {
            second.hearsNothing();
            disk.goOn();
            hearsItsPast(second, 2);
            hearsItsHistory(second);
        }
    }

    @Test
    void reconnectingProcessHearsNothingThatPowerCutMayUndo() throws Exception {
        play(Durability.HOST);
        try (Peer again = comes(process(1).again(Hello.AGAIN, 0, 0, 0, 2, 0))) {
            again.hearsNothing();
            disk.goOn();
            hearsItsPast(again, 1);
            assertThat(view(again.hear(FrameType.ACK)).safe()).isEqualTo(1);
            hearsItsHistory(again);
        }
    }

    @Test
    void framesHeldBackDuringSyncFollowTheWelcome() throws Exception {
        play(Durability.HOST);
        first.say(message(FrameType.SEND, 0, 1, 2));
        first.say(message(FrameType.OFFER, 0, 1, 3));
        Hello hello = process(1).again(Hello.AGAIN, 1, 0, 0, 3, 1);
        first.close();
        launcher.hears(JobEvent.AWAY);
        try (Peer again = new Peer(hello)) {
            again.say(StatePage.encode(JOB, List.of(new StatePage.Entry(StatePage.OFFERED, 0, 1, 0, 3, 1))).getFirst());
            launcher.hears(JobEvent.REPLAYING);
            for (int ordinal = 1; ordinal <= 3; ordinal++) {
                ByteBuffer post = frame(FrameType.POST, 48, 0);
                view(post).address(0, 0, 1, 0).post(ordinal, 0).ordinal(ordinal);
                other.say(post);
                other.hear(FrameType.DELIVERED);
            }
            again.hearsNothing();
            disk.goOn();
            again.hear(FrameType.WELCOME);
            again.hear(FrameType.STATE);
            assertThat(List.of(view(again.hear()).type(), view(again.hear()).type(), view(again.hear()).type()))
                    .containsExactlyInAnyOrder(FrameType.ACK, FrameType.CLEAR, FrameType.EVENTS);
        }
    }

    @Test
    void theNextProcessEndsTheWaitOfTheOneBefore() throws Exception {
        play(Durability.HOST);
        try (Peer second = comes(process(2));
                Peer third = new Peer(process(3))) {
            launcher.hears(JobEvent.REPLAYING);
            assertThat(CloseNotice.decode(second.hear(FrameType.CLOSE)).reason()).isEqualTo(CloseReason.FENCED);
            third.hearsNothing();
            disk.goOn();
            hearsItsPast(third, 3);
            hearsItsHistory(third);
            assertThat(second.connection.read()).as("more for the one before").isEqualTo(-1);
        }
    }

    @Test
    void oneThatDiesWaitingIsFollowedByTheNext() throws Exception {
        play(Durability.HOST);
        comes(process(2)).close();
        launcher.hears(JobEvent.AWAY);
        try (Peer third = new Peer(process(3))) {
            launcher.hears(JobEvent.REPLAYING);
            disk.goOn();
            hearsItsPast(third, 3);
            hearsItsHistory(third);
        }
    }

    @Test
    void rankThatAwaitsWelcomeHearsThatTheJobHasEnded() throws Exception {
        play(Durability.HOST);
        try (Peer second = comes(process(2))) {
            launcher.say(new CloseNotice(JOB, 3, -1, "over").encode(FrameType.JOB_CLOSE));
            assertThat(CloseNotice.decode(second.hear(FrameType.ABORT)).code()).isEqualTo(3);
            second.hear(FrameType.CLOSE);
            disk.goOn();
            assertThat(second.connection.read()).as("more").isEqualTo(-1);
        }
    }

    @Test
    void anOfferIsTakenBackWhenNobodyCanHaveItAnyMore() throws Exception {
        play(Durability.HOST);
        first.say(message(FrameType.OFFER, 0, 1, 2));
        ByteBuffer withdraw = frame(FrameType.WITHDRAW, 48, 0);
        view(withdraw).address(0, 0, 1, 0).sequence(2).post(0, 0);
        first.say(withdraw);
        first.hearsNothing();
        disk.goOn();
        assertThat(view(first.hear(FrameType.WITHDRAWN)).flags()).isEqualTo(FrameView.FOUND);
    }

    @Test
    void nobodyWaitsForADiskInAJobThatDoesNot() throws Exception {
        play(Durability.PROCESS);
        try (Peer second = comes(process(2))) {
            hearsItsPast(second, 2);
            hearsItsHistory(second);
        }
    }
}
