package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A relay that says what the test tells it to, and checks what one rank says. */
public final class ScriptedRelay implements AutoCloseable {
    public static final long JOB = 7;

    /** The rank's. */
    public static final Token TOKEN = new Token(3, 4);

    private static final int QUIET_MS = 50;
    private static final int ANSWER_MS = 60_000;

    private final InetAddress host = InetAddress.getLoopbackAddress();
    private final int port;
    private ServerSocket server;

    public ScriptedRelay() throws IOException {
        server = new ServerSocket(0, 1, host);
        port = server.getLocalPort();
    }

    public String address() {
        return host.getHostAddress() + ":" + port;
    }

    /** A rank has come, both have proven who they are, and it says HELLO next. */
    public Connection accept() throws IOException {
        Connection rank = meet();
        try {
            Identify self = Identify.decode(rank.hear(FrameType.IDENTIFY));
            Challenge challenge = Challenge.of(TOKEN, self, Nonce.random(), Optional.of((InetSocketAddress) rank.socket.getLocalSocketAddress()));
            rank.say(challenge.encode());
            assertThat(MutualProof.decode(rank.hear(FrameType.PROOF))).isEqualTo(MutualProof.ofClient(TOKEN, self, challenge));
            return rank;
        } catch (WireException e) {
            throw new AssertionError(e);
        }
    }

    /** {@link #accept} on a thread of its own, for a rank on the test's. */
    public CompletableFuture<Connection> accepting() {
        CompletableFuture<Connection> rank = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                rank.complete(accept());
            } catch (IOException | AssertionError e) {
                rank.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return rank;
    }

    /** A rank has come, and says IDENTIFY next. */
    public Connection meet() throws IOException {
        return new Connection(server.accept());
    }

    /** From here to {@link #open} it refuses connections. */
    public void shut() throws IOException {
        server.close();
    }

    public void open() throws IOException {
        server = new ServerSocket(port, 1, host);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** The relay's end of one connection. */
    public static final class Connection implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        private Connection(Socket socket) throws IOException {
            this.socket = socket;
            in = new DataInputStream(socket.getInputStream());
            socket.setSoTimeout(ANSWER_MS);
        }

        public void say(ByteBuffer... frames) throws IOException {
            ByteBuffer all = ByteBuffer.allocate(frames.length * Wire.FRAME_BYTES_MAX);
            for (ByteBuffer frame : frames) {
                all.put(frame.duplicate());
            }
            socket.getOutputStream().write(all.array(), 0, all.position());
        }

        /** The rank's next frame, which is of this type and sound. On a busy machine a rank may say at any time that it has waited long. */
        public ByteBuffer hear(FrameType type) throws IOException, WireException {
            ByteBuffer frame = hearAny();
            while (view(frame).type() == FrameType.BLOCKED && type != FrameType.BLOCKED) {
                frame = hearAny();
            }
            assertThat(view(frame).type()).isSameAs(type);
            return frame;
        }

        /** The rank's next frame, which is sound. */
        public ByteBuffer hearAny() throws IOException, WireException {
            int length = in.readInt();
            ByteBuffer frame = ByteBuffer.allocate(length).putInt(length);
            in.readFully(frame.array(), Integer.BYTES, length - Integer.BYTES);
            frame.rewind();
            assertThat(view(frame).checkHeader(length)).isEqualTo(length);
            assertThat(view(frame).type().sentBy(FrameType.Role.RANK)).isTrue();
            return frame;
        }

        /** Whether the rank has said something that was not heard yet. */
        public boolean hasSaid() throws IOException {
            return in.available() > 0;
        }

        /** The rank says nothing for a moment. */
        public void hearNothing() throws IOException {
            socket.setSoTimeout(QUIET_MS);
            try {
                assertThat(in.read()).as("a byte from the rank").isNull();
            } catch (SocketTimeoutException e) {
                socket.setSoTimeout(ANSWER_MS);
            }
        }

        /** The rank has said MOVE, says no more, and leaves once it was let go. */
        public void letGo() throws IOException, WireException {
            hear(FrameType.MOVE);
            hearNothing();
            say(closing(CloseReason.MOVED));
            hearEnd();
        }

        /** The rank has closed the connection, and said nothing before. */
        public void hearEnd() throws IOException {
            assertThat(in.read()).isEqualTo(-1);
            close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    // ---- frames

    public static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    public static ByteBuffer fixed(FrameType type, int bytes) {
        return frame(type, bytes, 0);
    }

    public static ByteBuffer frame(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, JOB).length(frame.limit());
        return frame;
    }

    public static ByteBuffer move() {
        return fixed(FrameType.MOVE, Wire.HEADER_BYTES);
    }

    /** The answer to a HELLO of rank 0 of 3, with room for two messages. */
    public static ByteBuffer welcome(int incarnation, boolean logged, long deliveries, int pages) {
        return welcome(incarnation, logged ? Durability.PROCESS : Durability.NONE, deliveries, pages);
    }

    public static ByteBuffer welcome(int incarnation, Durability durability, long deliveries, int pages) {
        List<HomeRelay> homes = List.of(new HomeRelay("lyon", "r1", "127.0.0.1:1"));
        return new Welcome(
                JOB, 0, incarnation, 1 << 20, 2, durability, deliveries, 0, pages, 0, 0, 0, homes, new int[3], new int[0])
                .encode();
    }

    /** @param firstUnsafe for each home the first number that is not safe, or none at all */
    public static ByteBuffer ack(long safe, long handled, long... firstUnsafe) {
        ByteBuffer frame = fixed(FrameType.ACK, Wire.ACK_HEADER_BYTES + firstUnsafe.length * Long.BYTES);
        FrameView view = view(frame).ack(safe, handled);
        for (int home = 0; home < firstUnsafe.length; home++) {
            view.firstUnsafe(home, firstUnsafe[home]);
        }
        return frame;
    }

    public static ByteBuffer finalized() {
        return fixed(FrameType.FINALIZE, FrameType.FINALIZE.bytesMin());
    }

    public static ByteBuffer closing(CloseReason reason) {
        return CloseNotice.closing(JOB, reason, "test").encode(FrameType.CLOSE);
    }

    /** The answer to a POST: a message of {@code bytes} from rank 1, the first {@code rides} of which come with it. */
    public static ByteBuffer delivered(ByteBuffer post, long sequence, byte[] bytes, int rides) {
        ByteBuffer frame = frame(FrameType.DELIVERED, Wire.MESSAGE_HEADER_BYTES, rides);
        view(frame)
                .address(view(post).context(), 1, 0, view(post).tag())
                .sequence(sequence)
                .content(bytes.length, bytes.length, 1)
                .request(view(post).postRequest());
        return frame.put(Wire.MESSAGE_HEADER_BYTES, bytes, 0, rides);
    }

    /** A message of {@code bytes} from rank 1 for a receive of the past, or for any if that is 0; the first {@code rides} come with it. */
    public static ByteBuffer pushed(int context, int tag, int ordinal, long sequence, byte[] bytes, int rides) {
        ByteBuffer frame = frame(FrameType.DELIVERED, Wire.MESSAGE_HEADER_BYTES, rides);
        view(frame)
                .flags(FrameView.unasked(ordinal))
                .address(context, 1, 0, tag)
                .sequence(sequence)
                .content(bytes.length, bytes.length, 1)
                .request(ordinal);
        return frame.put(Wire.MESSAGE_HEADER_BYTES, bytes, 0, rides);
    }

    /** The bytes of that message from {@code from} on, as many as a chunk holds. */
    public static ByteBuffer chunk(int context, long sequence, byte[] bytes, int from) {
        return chunk(context, sequence, bytes, from, Wire.PAYLOAD_BYTES_MAX);
    }

    public static ByteBuffer chunk(int context, long sequence, byte[] bytes, int from, int most) {
        int count = Math.min(most, bytes.length - from);
        ByteBuffer frame = frame(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, count);
        view(frame).address(context, 1, 0, 0).sequence(sequence).offset(from);
        return frame.put(Wire.CHUNK_HEADER_BYTES, bytes, from, count);
    }

    /** Asks for the bytes of an OFFER up to {@code bound}. */
    public static ByteBuffer clear(ByteBuffer offer, long bound) {
        ByteBuffer frame = fixed(FrameType.CLEAR, FrameType.CLEAR.bytesMin());
        view(frame)
                .address(view(offer).context(), 0, view(offer).destination(), 0)
                .sequence(view(offer).sequence())
                .offset(bound);
        return frame;
    }

    /** A part of the rank's history; {@code items} hold what EVENTS frames of the rank had. */
    public static ByteBuffer events(long first, byte[] items, int polls, int flags) {
        ByteBuffer frame = frame(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, items.length);
        view(frame).flags(flags).events(first, items.length / Wire.EVENT_BYTES, polls);
        return frame.put(Wire.EVENTS_HEADER_BYTES, items);
    }

    /** A round ends in which, or before which, so many messages of a byte were pushed. */
    public static ByteBuffer ended(int context, int round, int pushes, int reason) {
        return endedAt(context, round, pushes * Wire.cost(1), reason);
    }

    public static ByteBuffer endedAt(int context, int round, long pushedCost, int reason) {
        ByteBuffer frame = fixed(FrameType.ENDED, FrameType.ENDED.bytesMin());
        view(frame).round(context, round, 0, reason, pushedCost);
        return frame;
    }

    /** The answer to a CANCEL. */
    public static ByteBuffer cancelled(ByteBuffer cancel, boolean gone) {
        ByteBuffer frame = fixed(FrameType.CANCELLED, FrameType.CANCELLED.bytesMin());
        view(frame).flags(gone ? FrameView.FOUND : 0).cancelledRequest(view(cancel).postRequest());
        return frame;
    }

    /** The answer to a WITHDRAW. */
    public static ByteBuffer withdrawn(ByteBuffer withdraw, boolean gone) {
        ByteBuffer frame = fixed(FrameType.WITHDRAWN, FrameType.WITHDRAWN.bytesMin());
        view(frame)
                .flags(gone ? FrameView.FOUND : 0)
                .address(view(withdraw).context(), 0, view(withdraw).destination(), 0)
                .sequence(view(withdraw).sequence());
        return frame;
    }

    /** The answer to a PROBE: a message of so many bytes. */
    public static ByteBuffer found(ByteBuffer probe, int source, int bytes) {
        ByteBuffer frame = fixed(FrameType.PROBE_ANSWER, Wire.MESSAGE_HEADER_BYTES);
        FrameView asked = view(probe);
        view(frame).flags(FrameView.FOUND).address(asked.context(), source, asked.destination(), asked.tag()).content(bytes, bytes, 1)
                .request(asked.postRequest());
        return frame;
    }

    /** The answer to a PROBE: nothing is there. */
    public static ByteBuffer nothingFound(ByteBuffer probe) {
        ByteBuffer frame = fixed(FrameType.PROBE_ANSWER, Wire.MESSAGE_HEADER_BYTES);
        view(frame).request(view(probe).postRequest());
        return frame;
    }

    public static ByteBuffer credit(long bytes, int messages) {
        ByteBuffer frame = fixed(FrameType.CREDIT, FrameType.CREDIT.bytesMin());
        view(frame).credit(bytes, messages, 0);
        return frame;
    }
}
