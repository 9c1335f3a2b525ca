package org.posthouse.tunnel.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.LeakWatch;
import org.posthouse.tunnel.TestGrid;
import org.posthouse.tunnel.TestRelay;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** No send without a token, and no token without a buffer. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class TokenTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final StreamConfig CONFIG = new StreamConfig(40, 3, 8);

    /** The far end of a link as a list of what went there. */
    private static final class Wires implements LinkStreams.Port {
        private final ArrayDeque<ByteBuf> frames = new ArrayDeque<>();

        @Override
        public void send(ByteBuf frame) {
            frames.add(frame);
        }

        @Override
        public boolean writable() {
            return true;
        }

        private FrameView next() {
            ByteBuf frame = frames.remove();
            byte[] bytes = new byte[frame.readableBytes()];
            frame.readBytes(bytes).release();
            return new FrameView().wrap(ByteBuffer.wrap(bytes), 0);
        }
    }

    private static final class Reader implements LinkStream.Listener {
        private LinkStream stream;
        private CloseReason ended;
        private int frames;
        private boolean leaves = true;

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            bytes.release();
            frames++;
            if (leaves) {
                stream.left();
            }
        }

        @Override
        public void onWritable() {
            // The test writes when it wants to.
        }

        @Override
        public void onDone() {
            ended = CloseReason.NORMAL;
        }

        @Override
        public void onEnded(CloseReason closeReason, String text) {
            ended = closeReason;
        }
    }

    private final Wires wires = new Wires();
    private final StreamBuffers buffers = new StreamBuffers(CONFIG);
    private final List<LinkStream> asked = new ArrayList<>();
    private final LinkStreams streams =
            new LinkStreams("a", "b", wires, (stream, door) -> asked.add(stream), buffers, new StreamCounters());
    private final Reader reader = new Reader();

    @ParameterizedTest
    @CsvSource({"1024, 64, 16", "4, 1, 4", "64, 16, 4"})
    void aConfigurationWithABufferForEachTokenIsTaken(int buffers, int streams, int tokens) {
        assertThatCode(() -> new StreamConfig(buffers, streams, tokens)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"1023, 64, 16", "4, 2, 4", "63, 16, 4"})
    void aConfigurationWithATokenWithoutABufferIsRefused(int buffers, int streams, int tokens) {
        assertThatThrownBy(() -> new StreamConfig(buffers, streams, tokens))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(buffers + " stream buffers", "at least " + streams * tokens);
    }

    @Test
    void aSenderWithoutTokensNeverSends() throws WireException {
        LinkStream stream = streams.open("door", reader);
        assertThat(wires.next().type()).isSameAs(FrameType.STREAM_OPEN);
        assertThat(stream.writable()).as("not answered").isFalse();
        assertThatThrownBy(() -> stream.write(bytes())).isInstanceOf(IllegalStateException.class);
        give(stream, 3);
        for (int i = 0; i < 3; i++) {
            assertThat(stream.writable()).isTrue();
            stream.write(bytes());
            assertThat(wires.next().type()).isSameAs(FrameType.STREAM_DATA);
        }
        assertThat(stream.writable()).isFalse();
        assertThatThrownBy(() -> stream.write(bytes())).hasMessageContaining("without a token");
        stream.finish();
        assertThat(wires.frames).as("the end takes a token too").isEmpty();
        give(stream, 1);
        assertThat(wires.next().flags()).isEqualTo(FrameView.END);
    }

    @Test
    void tellsHowManyTokensAreOutstandingEachWay() throws WireException {
        assertThat(streams.status()).isEqualTo(LinkStatus.Streams.NONE);
        LinkStream own = streams.open("door", new Reader());
        assertThat(streams.status()).as("sure of its first tokens, and not answered").isEqualTo(status(1, 0, 0, CONFIG.tokens(), 0));
        give(own, 3);
        own.write(bytes());
        assertThat(streams.status()).isEqualTo(status(1, 0, 3, CONFIG.tokens(), 2));
        wires.frames.forEach(ByteBuf::release);
        wires.frames.clear();
        take(new StreamOpen(2, 5, "door").encode());
        assertThat(streams.status()).as("asked, and nothing given yet").isEqualTo(status(2, 0, 3, CONFIG.tokens(), 7));
        accept();
        reader.leaves = false;
        take(data(2));
        assertThat(streams.status()).isEqualTo(status(2, 1, 3, 2 * CONFIG.tokens() - 1, 7));
        own.end(CloseReason.NORMAL, "");
        reader.stream.end(CloseReason.NORMAL, "");
        assertThat(streams.status()).as("bytes stay counted").isEqualTo(status(0, 1, 3, 0, 0));
        wires.frames.forEach(ByteBuf::release);
    }

    private static LinkStatus.Streams status(int open, long bytesIn, long bytesOut, long tokensIn, long tokensOut) {
        return new LinkStatus.Streams(open, bytesIn, bytesOut, tokensIn, tokensOut);
    }

    @Test
    void aFrameWithoutATokenBreaksTheProtocol() throws WireException {
        take(new StreamOpen(2, 5, "door").encode());
        assertThatThrownBy(() -> take(data(2))).as("not answered").isInstanceOf(WireException.class);
        accept();
        reader.leaves = false;
        for (int i = 0; i < CONFIG.tokens(); i++) {
            take(data(2));
        }
        assertThatThrownBy(() -> take(data(2)))
                .isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(CloseReason.CREDIT_EXCEEDED))
                .hasMessageContaining("8 were given, 8 wait here");
        assertThat(reader.frames).isEqualTo(CONFIG.tokens());
        reader.stream.left();
        reader.stream.left();
        assertThat(wires.next().streamTokens()).as("a quarter comes back").isEqualTo(2);
        take(data(2));
        take(data(2));
        assertThatThrownBy(() -> take(data(2))).hasMessageContaining("without a token");
    }

    @Test
    void nothingComesBehindTheLastFrame() throws WireException {
        take(new StreamOpen(2, 5, "door").encode());
        accept();
        take(data(2, FrameView.END));
        assertThatThrownBy(() -> take(data(2)))
                .isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(CloseReason.NOT_EXPECTED))
                .hasMessageContaining("bytes behind the last");
        assertThat(reader.frames).isEqualTo(1);
    }

    @Test
    void moreStreamsThanThereAreTokensForAreRefusedByName() throws WireException {
        for (int i = 0; i < 2; i++) {
            streams.open("door", new Reader());
            wires.next();
        }
        take(new StreamOpen(2, 4, "door").encode());
        assertThat(asked).hasSize(1);
        take(new StreamOpen(4, 4, "door").encode());
        StreamEnd end = StreamEnd.decode(buffer(wires.frames.remove()));
        assertThat(end.stream()).isEqualTo(4);
        assertThat(end.reason()).isSameAs(CloseReason.LIMIT);
        assertThat(end.text()).contains("3 streams are open", "at most 3");
        assertThat(streams.open("door", reader)).isNull();
        assertThat(reader.ended).isSameAs(CloseReason.LIMIT);
        asked.getFirst().end(CloseReason.NORMAL, "");
        assertThat(streams.open("door", new Reader())).as("room again").isNotNull();
        wires.frames.forEach(ByteBuf::release);
    }

    @Test
    void oneSiteLeavesStreamsForOthers() {
        StreamBuffers shared = new StreamBuffers(StreamConfig.DEFAULT);
        int taken = 0;
        while (shared.tryOpen("greedy")) {
            taken++;
        }
        assertThat(taken).isEqualTo(48);
        assertThat(shared.tryOpen("other")).isTrue();
        shared.close("greedy", shared.first());
        assertThat(shared.open("greedy")).isEqualTo(47);
        assertThat(shared.open()).isEqualTo(48);
        assertThat(shared.tryOpen("greedy")).isTrue();
    }

    /** What N has beyond P x L goes to whom it helps, and comes back when others want it. */
    @Test
    void fastStreamBorrowsSpareTokensAndReturnsThem() throws WireException {
        take(new StreamOpen(2, 4, "door").encode());
        accept();
        int given = borrow();
        assertThat(buffers.used()).as("L and all that is to spare").isEqualTo(8 + 16);
        assertThat(given).isEqualTo(8 + 16);
        take(new StreamOpen(4, 4, "door").encode());
        take(new StreamOpen(6, 4, "door").encode());
        assertThat(buffers.used()).as("nobody waits for what another one holds").isEqualTo(40);
        given += spend(2, given);
        assertThat(given).as("its share of three, but for what is not due yet").isBetween(8, 8 + 16 / 3);
        assertThat(buffers.used()).isEqualTo(3 * 8 + 16 / 3);
    }

    @Test
    void aStreamWhoseReaderIsSlowIsLentNothing() throws WireException {
        take(new StreamOpen(2, 4, "door").encode());
        accept();
        reader.leaves = false;
        for (int i = 0; i < CONFIG.tokens(); i++) {
            take(data(2));
        }
        for (int i = 0; i < CONFIG.tokens() - 1; i++) {
            reader.stream.left();
        }
        assertThat(buffers.used()).isEqualTo(CONFIG.tokens());
        wires.frames.forEach(ByteBuf::release);
    }

    @Test
    void idleStreamReturnsTokensBeyondItsInitialOnes() throws WireException {
        LinkStream stream = streams.open("door", reader);
        wires.next();
        give(stream, 8);
        give(stream, 12);
        stream.write(bytes());
        wires.next();
        stream.handOverIfIdle();
        assertThat(wires.frames).as("it was not idle").isEmpty();
        stream.handOverIfIdle();
        FrameView handedOver = wires.next();
        assertThat(handedOver.flags()).isEqualTo(FrameView.HANDED_OVER);
        assertThat(handedOver.streamTokens()).isEqualTo(11);
        assertThat(stream.tokens()).isEqualTo(8);
        assertThatThrownBy(() -> take(tokens(stream.id(), 1, FrameView.HANDED_OVER))).as("of its first tokens").hasMessageContaining("hands over");
    }

    @Test
    void refusesReturnOfUsedTokens() throws WireException {
        take(new StreamOpen(2, 4, "door").encode());
        accept();
        int given = borrow();
        reader.leaves = false;
        for (int i = 0; i < 16; i++) {
            take(data(2));
        }
        assertThatThrownBy(() -> take(tokens(2, given - 16 + 1, FrameView.HANDED_OVER)))
                .isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(CloseReason.CREDIT_EXCEEDED))
                .hasMessageContaining("hands over 9 tokens, expected at most 8");
        take(tokens(2, given - 16, FrameView.HANDED_OVER));
        assertThat(buffers.used()).isEqualTo(16);
    }

    @Test
    void framesOfStreamsThatNobodyOpenedBreakTheProtocolAndThoseOfEndedOnesAreDropped() throws WireException {
        assertThatThrownBy(() -> take(data(2))).hasMessageContaining("which nobody has opened");
        assertThatThrownBy(() -> take(tokens(1, 1, 0))).hasMessageContaining("which nobody has opened");
        assertThatThrownBy(() -> take(new StreamOpen(3, 4, "door").encode())).as("our numbers").hasMessageContaining("opens stream 3");
        take(new StreamOpen(6, 4, "door").encode());
        assertThatThrownBy(() -> take(new StreamOpen(4, 4, "door").encode())).hasMessageContaining("opens stream 4");
        assertThatThrownBy(() -> take(new StreamOpen(8, 0, "door").encode())).hasMessageContaining("gives 0 tokens");
        assertThatThrownBy(() -> take(tokens(6, 1, 0))).as("before it was answered").hasMessageContaining("before it was answered");
        asked.getFirst().end(CloseReason.NORMAL, "");
        wires.next();
        take(data(6));
        take(tokens(6, 1, 0));
        assertThat(wires.frames).isEmpty();
    }

    /** Over a real link: a relay that sends without a token loses its connection, and is told why. */
    @Test
    void aRelayThatSendsWithoutATokenIsCutOffByName(@TempDir Path folder) throws Exception {
        Vertx vertx = Vertx.vertx();
        TestGrid grid = new TestGrid(folder);
        TestRelay b = new TestRelay(vertx, grid.listening("b", 1).forwards(ForwardConfig.NONE.door("echo", "127.0.0.1:9"))).start();
        TestRelay a = new TestRelay(vertx, grid.config("a", 1).peer("b", "127.0.0.1:" + b.links.port())).start();
        try {
            await().atMost(PATIENCE).until(() -> a.isUp("b") && b.isUp("a"));
            // Both in one turn, so that no door can have been opened in between.
            a.call(() -> a.links.send("b", Unpooled.wrappedBuffer(new StreamOpen(1, 4, "echo").encode()))
                    && a.links.send("b", Unpooled.wrappedBuffer(data(1))));
            for (List<CloseNotice> downs : List.of(a.downs, b.downs)) {
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(downs).anySatisfy(why -> {
                    assertThat(why.reason()).isSameAs(CloseReason.CREDIT_EXCEEDED);
                    assertThat(why.text()).contains("stream 1", "a frame without a token");
                }));
            }
        } finally {
            a.close();
            b.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void anOpeningIsAnsweredAsLongAsAnswersAreAcknowledged() throws WireException {
        for (int i = 1; i <= StreamMarks.MAX; i++) {
            take(new StreamOpen(2 * i, 4, "door").encode());
            if (i % 2 == 0) {
                accept();
                take(new StreamEnd(2 * i, CloseReason.NORMAL, "").encode());
            } else {
                asked.getLast().end(CloseReason.SITE_UNREACHABLE, "no such door");
                wires.next();
            }
        }
        ByteBuffer more = new StreamOpen(2 * StreamMarks.MAX + 2, 4, "door").encode();
        assertThatThrownBy(() -> take(more.duplicate()))
                .isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(CloseReason.LIMIT))
                .hasMessage("relay b has not acknowledged 16384 answers to openings of streams, expected fewer");
        streams.onAcknowledged(1);
        take(more);
        assertThat(asked).as("the same one, later").hasSize(StreamMarks.MAX + 1);
    }

    @Test
    void noStreamIsOpenedWhileTooManyOpeningsAreNotAcknowledged() throws WireException {
        for (int i = 0; i < StreamMarks.MAX; i++) {
            take(new StreamEnd(streams.open("door", reader).id(), CloseReason.SITE_UNREACHABLE, "no such door").encode());
            wires.next();
        }
        assertThat(streams.open("door", reader)).isNull();
        assertThat(reader.ended).isSameAs(CloseReason.LIMIT);
        assertThat(wires.frames).isEmpty();
        streams.onAcknowledged(1);
        assertThat(streams.open("door", reader)).isNotNull();
        wires.next();
    }

    @Test
    void tokensGoBackAsLongAsThoseBeforeAreAcknowledged() throws WireException {
        take(new StreamOpen(2, 4, "door").encode());
        accept();
        useUp(2);
        give(asked.getFirst(), 1);
        streams.handOverIdle();
        streams.onAcknowledged(1);
        assertThat(wires.frames).as("with its answer only acknowledged").isEmpty();
        streams.onAcknowledged(1);
        FrameView back = wires.next();
        assertThat(back.flags()).isZero();
        assertThat((long) back.streamTokens()).as("all that were kept back").isEqualTo(streams.status().tokensIn());
        streams.handOverIdle();
        assertThat(wires.frames).isEmpty();
        streams.onAcknowledged(1);
        streams.handOverIdle();
        assertThat(wires.next().flags()).isEqualTo(FrameView.HANDED_OVER);

        streams.endAll(CloseReason.SITE_UNREACHABLE, "restarted");
        take(new StreamOpen(2, 4, "door").encode());
        accept();
        useUp(2);
    }

    /** Over a real link, whose ends acknowledge what they have handled: there is no end of openings and answers. */
    @Tag("long")
    @Test
    void streamsAreOpenedWithoutEndWhileTheyAreAcknowledged(@TempDir Path folder) throws Exception {
        Vertx vertx = Vertx.vertx();
        TestGrid grid = new TestGrid(folder);
        TestRelay b = new TestRelay(vertx, grid.listening("b", 1)).start();
        TestRelay a = new TestRelay(vertx, grid.config("a", 1).peer("b", "127.0.0.1:" + b.links.port())).start();
        try {
            await().atMost(PATIENCE).until(() -> a.isUp("b"));
            Opener opener = new Opener(a.links.streams(), StreamMarks.MAX + 1);
            a.call(() -> opener.open(32));
            await().atMost(PATIENCE).until(() -> a.call(() -> opener.open == 0));
            assertThat(opener.reasons).isEqualTo(Map.of(CloseReason.SITE_UNREACHABLE, StreamMarks.MAX + 1));
        } finally {
            a.close();
            b.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    /** Opens another stream whenever one was refused. */
    private static final class Opener implements LinkStream.Listener {
        private final Streams streams;
        private final Map<CloseReason, Integer> reasons = new EnumMap<>(CloseReason.class);
        private int left;
        private int open;

        private Opener(Streams streams, int left) {
            this.streams = streams;
            this.left = left;
        }

        private boolean open(int count) {
            for (int i = 0; i < count && left > 0; i++) {
                left--;
                open++;
                streams.open("b", "none", this);
            }
            return true;
        }

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            throw new AssertionError("bytes of a stream that was refused");
        }

        @Override
        public void onWritable() {
            throw new AssertionError("a stream that was refused");
        }

        @Override
        public void onDone() {
            throw new AssertionError("a stream that was refused");
        }

        @Override
        public void onEnded(CloseReason closeReason, String text) {
            open--;
            reasons.merge(closeReason, 1, Integer::sum);
            open(1);
        }
    }

    private void give(LinkStream stream, int count) throws WireException {
        take(tokens(stream.id(), count, 0));
    }

    private void accept() {
        reader.stream = asked.getLast();
        reader.stream.accept(reader);
        assertThat(wires.next().streamTokens()).isEqualTo(CONFIG.tokens());
    }

    /** Uses the tokens of stream 2 until it is lent no more. Returns how many it has. */
    private int borrow() throws WireException {
        int given = CONFIG.tokens();
        for (int round = 0; round < 40; round++) {
            given += spend(2, given);
        }
        return given;
    }

    /** Uses all tokens of a stream, of which nothing is acknowledged, until none come back. */
    private void useUp(int stream) throws WireException {
        int left = CONFIG.tokens();
        int frames = 0;
        for (; left > 0 && frames <= StreamMarks.MAX; left--) {
            take(data(stream));
            while (!wires.frames.isEmpty()) {
                left += wires.next().streamTokens();
                frames++;
            }
        }
        assertThat(frames).isEqualTo(StreamMarks.MAX);
    }

    /** Uses {@code tokens}. Returns how many more or fewer have come back. */
    private int spend(int stream, int tokens) throws WireException {
        int back = 0;
        for (int i = 0; i < tokens; i++) {
            take(data(stream));
            while (!wires.frames.isEmpty()) {
                back += wires.next().streamTokens();
            }
        }
        return back - tokens;
    }

    private void take(ByteBuffer frame) throws WireException {
        ByteBuf buffer = Unpooled.wrappedBuffer(frame);
        streams.onFrame(buffer, 0, buffer.readableBytes(), new FrameView().wrap(frame, 0));
    }

    private static ByteBuffer data(int stream) {
        return data(stream, 0);
    }

    private static ByteBuffer data(int stream, int flags) {
        int length = Wire.STREAM_HEADER_BYTES + 1;
        ByteBuffer frame = ByteBuffer.allocate(length);
        new FrameView().wrap(frame, 0).begin(FrameType.STREAM_DATA, Wire.STREAM_HEADER_BYTES, 0).length(length).flags(flags).stream(stream, 0);
        return frame;
    }

    private static ByteBuffer tokens(int stream, int count, int flags) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.STREAM_HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.STREAM_TOKENS, Wire.STREAM_HEADER_BYTES, 0).flags(flags).stream(stream, count);
        return frame;
    }

    private static ByteBuffer buffer(ByteBuf frame) {
        ByteBuffer copy = ByteBuffer.allocate(frame.readableBytes());
        frame.readBytes(copy).release();
        return copy.flip();
    }

    private static ByteBuf bytes() {
        return Unpooled.wrappedBuffer(new byte[] {1, 2, 3});
    }
}
