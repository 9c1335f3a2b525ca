package org.posthouse.mpj.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Chunks that are read into their places, over a real connection: whatever stands between them, and wherever the stream is cut. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PayloadRunTest {
    private static final int CONTEXT = 2;
    private static final int MESSAGES = 6;

    private ServerSocketChannel server;
    private SocketChannel peer;
    private FrameChannel line;
    private final List<Message> messages = new ArrayList<>();
    private final List<String> said = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private int placed;

    /** One message, what is left of it to be said, and where it arrives. */
    private static final class Message {
        final int sequence;
        final byte[] content;
        final ByteBuffer memory;
        final boolean hasPlace;
        int from;

        Message(int sequence, byte[] content, boolean hasPlace) {
            this.sequence = sequence;
            this.content = content;
            this.hasPlace = hasPlace;
            memory = ByteBuffer.allocateDirect(content.length);
        }

        ByteBuffer nextChunk() {
            return nextChunk(1);
        }

        ByteBuffer nextChunk(int pieces) {
            ByteBuffer chunk = ScriptedRelay.chunk(CONTEXT, sequence, content, from, pieces * Wire.PAYLOAD_BYTES_MAX);
            from += chunk.remaining() - Wire.CHUNK_HEADER_BYTES;
            return chunk;
        }

        byte[] arrived() {
            byte[] copy = new byte[content.length];
            memory.get(0, copy);
            return copy;
        }
    }

    private final class Places implements FrameChannel.Handler {
        @Override
        public ByteBuffer place(FrameView view) {
            Message message = view.type() == FrameType.CHUNK ? messages.get((int) view.sequence()) : null;
            int at = message == null ? 0 : (int) view.offset();
            return message != null && message.hasPlace ? message.memory.slice(at, message.content.length - at) : null;
        }

        @Override
        public void onPlaced(FrameView view) {
            placed++;
            seen.add(name(view));
        }

        @Override
        public void onFrame(ByteBuffer frame, FrameView view) {
            seen.add(name(view));
            if (view.type() == FrameType.CHUNK) {
                ByteBuffer payload = frame.position(frame.position() + Wire.CHUNK_HEADER_BYTES);
                messages.get((int) view.sequence()).memory.put((int) view.offset(), payload, payload.position(), payload.remaining());
            }
        }
    }

    private static String name(FrameView view) {
        return view.type() == FrameType.CHUNK ? "chunk " + view.sequence() + " at " + view.offset() : view.toString();
    }

    @BeforeEach
    void connect() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        line = FrameChannel.connect("127.0.0.1:" + server.socket().getLocalPort());
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        line.close();
        peer.close();
        server.close();
    }

    private Message message(Random random, int bytes, boolean hasPlace) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        Message message = new Message(messages.size(), content, hasPlace);
        messages.add(message);
        return message;
    }

    /** Writes frames in pieces of those sizes, and reads what is there behind each. */
    private void say(List<ByteBuffer> frames, PieceSizes sizes) throws Exception {
        ByteBuffer all = ByteBuffer.allocate(frames.stream().mapToInt(ByteBuffer::remaining).sum());
        for (ByteBuffer frame : frames) {
            said.add(name(new FrameView().wrap(frame, frame.position())));
            all.put(frame.duplicate());
        }
        all.flip();
        Places handler = new Places();
        while (all.hasRemaining()) {
            int end = Math.min(all.position() + sizes.next(), all.limit());
            peer.write(all.slice(all.position(), end - all.position()));
            all.position(end);
            while (line.readable()) {
                line.read();
                line.dispatch(handler);
            }
        }
        while (seen.size() < said.size()) {
            line.read();
            line.dispatch(handler);
        }
    }

    private interface PieceSizes {
        int next();
    }

    private void assertAllArrived() {
        assertThat(seen).isEqualTo(said);
        messages.forEach(message -> assertThat(message.arrived()).as("message %d", message.sequence).isEqualTo(message.content));
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "30000, 1", "65584, 1", "66000, 1", "150000, 1", "1000, 3", "30000, 4", "150000, 2", "300000, 4"})
    void theChunksBehindTheFirstAreNotReadTwice(int cut, int pieces) throws Exception {
        Message message = message(new Random(cut), 1_000_000, true);
        List<ByteBuffer> frames = new ArrayList<>();
        while (message.from < message.content.length) {
            frames.add(message.nextChunk(pieces));
        }
        frames.add(ScriptedRelay.credit(5, 1));
        say(frames, () -> cut);
        assertAllArrived();
        assertThat(placed).as("placed of %d", frames.size() - 1).isGreaterThanOrEqualTo(frames.size() - 4).isPositive();
    }

    @Test
    void frameAfterTheLastChunkIsReadWithIt() throws Exception {
        Message message = message(new Random(1), Wire.PAYLOAD_BYTES_MAX + 100, true);
        ByteBuffer begun = message.nextChunk();
        ByteBuffer behind = ScriptedRelay.credit(5, 1);
        PayloadRun run = new PayloadRun();
        run.begin(begun, begun.remaining(), message.memory.duplicate());
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel in = pipe.sink();
                Pipe.SourceChannel out = pipe.source()) {
            in.write(new ByteBuffer[] {message.nextChunk(), behind.duplicate()});
            run.read(out);
        }
        ByteBuffer line = ByteBuffer.allocate(PayloadRun.BYTES_MAX);
        run.next(line);
        assertThat(run.first()).isEqualTo(PayloadRun.First.WHOLE);
        run.next(line);
        assertThat(message.arrived()).isEqualTo(message.content);
        assertThat(line.flip()).isEqualTo(behind);
    }

    /** Other frames that are shorter than a chunk's header, and nothing behind them. */
    static List<ByteBuffer> shortFrames() {
        return List.of(
                ScriptedRelay.move(),
                ScriptedRelay.cancelled(ScriptedRelay.fixed(FrameType.CANCEL, FrameType.CANCEL.bytesMin()), true),
                ScriptedRelay.credit(5, 1),
                ScriptedRelay.ended(CONTEXT, 1, 0, 0));
    }

    @ParameterizedTest
    @MethodSource("shortFrames")
    void aShortFrameBetweenTwoChunksIsKnownBeforeTheNextComes(ByteBuffer other) throws Exception {
        Message message = message(new Random(1), 3 * Wire.PAYLOAD_BYTES_MAX, true);
        ByteBuffer begun = message.nextChunk();
        PayloadRun run = new PayloadRun();
        ByteBuffer line = ByteBuffer.allocate(PayloadRun.BYTES_MAX);
        run.begin(begun, begun.remaining(), message.memory.duplicate());
        run.next(line);
        assertThat(run.first()).as("before anything has come").isEqualTo(PayloadRun.First.BEGUN);
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel in = pipe.sink();
                Pipe.SourceChannel out = pipe.source()) {
            in.write(other.duplicate());
            run.read(out);
        }
        assertThat(run.first()).isEqualTo(PayloadRun.First.OTHER);
        run.leave(line);
        assertThat(line.flip()).isEqualTo(other);
    }

    /** What was expected to be a chunk is another frame, in each place of a run. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void anotherFrameBetweenChunksIsSeenInItsPlace(int before) throws Exception {
        Random random = new Random(before);
        Message message = message(random, 10 * Wire.PAYLOAD_BYTES_MAX - 7, true);
        Message other = message(random, 3 * Wire.PAYLOAD_BYTES_MAX, false);
        List<ByteBuffer> frames = new ArrayList<>();
        for (int i = 0; i < before; i++) {
            frames.add(message.nextChunk());
        }
        frames.add(ScriptedRelay.credit(9, 2));
        frames.add(message.nextChunk());
        frames.add(other.nextChunk());
        while (message.from < message.content.length) {
            frames.add(message.nextChunk());
        }
        frames.add(other.nextChunk());
        frames.add(other.nextChunk());
        int[] next = {0};
        say(frames, () -> next[0]++ == 0 ? 30_000 : 400_000);
        assertAllArrived();
        assertThat(placed).isPositive();
    }

    @Test
    void anyFramesCutAnywhere() throws Exception {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            messages.clear();
            said.clear();
            seen.clear();
            for (int i = 0; i < MESSAGES; i++) {
                message(random, 1 + random.nextInt(random.nextBoolean() ? 700_000 : 100_000), random.nextInt(4) > 0);
            }
            List<ByteBuffer> frames = new ArrayList<>();
            int stay = 1 + random.nextInt(12);
            int pieces = 1 + random.nextInt(4);
            List<Message> left = new ArrayList<>(messages);
            Message now = left.get(0);
            while (!left.isEmpty()) {
                now = left.contains(now) && random.nextInt(stay) > 0 ? now : left.get(random.nextInt(left.size()));
                frames.add(random.nextInt(10) == 0 ? ScriptedRelay.credit(random.nextInt(100), 1)
                        : now.nextChunk(random.nextInt(stay) == 0 ? 1 + random.nextInt(4) : pieces));
                if (now.from == now.content.length) {
                    left.remove(now);
                }
            }
            int most = random.nextBoolean() ? 300_000 : 20_000;
            say(frames, () -> 1 + random.nextInt(random.nextInt(3) == 0 ? 100 : most));
            assertAllArrived();
        }
        assertThat(placed).isGreaterThan(300);
    }
}
