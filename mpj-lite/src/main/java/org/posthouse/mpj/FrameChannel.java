package org.posthouse.mpj;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A connection that speaks frames; its calls block. One thread may read while another writes; two may not read, nor two
 * write, at once: the endpoint sees to it. The launcher uses one too.
 *
 * <p>An interrupted thread's calls go on, and its flag stays set. So Java's channel does not block: one that does is
 * closed by an interrupt, and so is a plain socket's under a virtual thread. What waits is the system call itself
 * ({@link SystemWait}) where that can be had, and else a selector.
 */
public final class FrameChannel implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MS = 10_000;

    /** Four frames, or a CHUNK of four pieces. */
    private static final int OUT_BYTES = 4 * Wire.FRAME_BYTES_MAX;

    private static final int IN_BYTES = PayloadRun.BYTES_MAX;

    /** A payload from which on a further call costs less than a copy. */
    private static final int PLACED_BYTES_MIN = 16 * 1024;

    /** Takes one frame. */
    public interface Handler {
        /**
         * @param frame position at the frame's start, limit at its end; big-endian; valid during this call, and the
         *     handler may change its position and order
         * @param view looks at the same frame
         */
        void onFrame(ByteBuffer frame, FrameView view) throws WireException, IOException;

        /**
         * Asked of a long frame whose header has come. Answering changes nothing: the rest may never come.
         *
         * @return direct memory that the frame's payload fills, if it is a CHUNK that of all further chunks of its message too;
         *     {@link #onPlaced} is called then in place of {@link #onFrame}, for each frame that has come there. Null if there is none
         */
        default ByteBuffer place(FrameView view) throws WireException {
            return null;
        }

        /** A frame has come whose payload is where {@link #place} said. @param view looks at its header, and there is nothing behind it */
        default void onPlaced(FrameView view) throws WireException, IOException {
            throw new IllegalStateException("nothing was placed: " + view);
        }
    }

    private final SocketChannel channel;
    private final SelectorWait readable;
    private final SelectorWait writable;
    private final String remote;
    private final long busyPollNs;

    /** Whether {@link #channel} may wait by itself: then nobody reads who must not wait, before a selector says so. */
    private final boolean waits;

    /** Whether it is a Unix socket. */
    private final boolean local;

    /** Whether it asks the system for input first when it waits by itself: it is a Unix socket. */
    private final boolean polls;

    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);

    /** What is lent of {@link #out}: a view for each frame would be garbage. */
    private final ByteBuffer outPayload = out.duplicate().order(ByteOrder.LITTLE_ENDIAN);

    private final FrameView outView = new FrameView();
    private final FrameView inView = new FrameView();

    /** What a handler sees of {@link #in}. */
    private final ByteBuffer frame = in.duplicate();

    /** Where in {@link #in} the first byte stands that was not handed over; the bytes end at its position. */
    private int unread;

    /** Payload that goes elsewhere; {@link #in} is empty then. */
    private final PayloadRun run = new PayloadRun();

    /** Whether the last frame that had payload was a long one with a place: probably the next is too. */
    private boolean placing;

    /** {@link #readable} has put bytes into {@code in}: the next read need not. */
    private boolean readAhead;

    /** Whether the relay has said CLOSE, or gone, before it has proven who it is: nothing is said to it. */
    private boolean over;

    private FrameChannel(SocketChannel channel, String remote, long busyPollNs, boolean waits, boolean local) throws IOException {
        this.channel = channel;
        this.remote = remote;
        this.busyPollNs = busyPollNs;
        readable = new SelectorWait(channel, SelectionKey.OP_READ);
        writable = new SelectorWait(channel, SelectionKey.OP_WRITE);
        this.waits = waits && SystemWait.enable(channel);
        this.local = local;
        polls = this.waits && local;
    }

    /**
     * Does on a channel that is not connected what comes between a connect and the first frame: on a busy host each class takes its
     * time, which the other end counts.
     */
    static void rehearse() {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            new SelectorWait(channel, SelectionKey.OP_READ).close();
            SystemWait.enable(channel);
        } catch (IOException e) {
            // The connect says what is in the way, and to whom.
        }
    }

    /** Connects to {@code hostAndPort}; the message of a failure names it. */
    public static FrameChannel connect(String hostAndPort) throws IOException {
        return connect(Platform.REAL, new RelayAddresses(hostAndPort), 0);
    }

    /** To the first of a host's addresses at which somebody answers, from that machine. @param busyPollUs how long a read asks again and again before it sleeps, in microseconds */
    static FrameChannel connect(Platform machine, RelayAddresses relay, int busyPollUs) throws IOException {
        return connect(machine, relay, busyPollUs, busyPollUs == 0);
    }

    /** For tests too: without {@code waits} the channel never waits by itself. */
    static FrameChannel connect(Platform machine, RelayAddresses relay, int busyPollUs, boolean waits) throws IOException {
        Map<InetSocketAddress, IOException> faults = new LinkedHashMap<>();
        try {
            for (InetSocketAddress address : relay.all()) {
                try {
                    FrameChannel line = connect(machine, relay.toString(), address, busyPollUs, waits);
                    relay.answered(address);
                    return line;
                } catch (IOException e) {
                    faults.put(address, e);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw unreachable(relay, e.getMessage(), e);
        }
        IOException first = faults.values().iterator().next();
        throw unreachable(relay, faults.size() == 1 ? first.getMessage() : text(faults), first);
    }

    private static IOException unreachable(RelayAddresses relay, String why, Exception cause) {
        return new IOException("cannot reach the relay at " + relay + ": " + why, cause);
    }

    private static String text(Map<InetSocketAddress, IOException> faults) {
        return faults.entrySet().stream()
                .map(fault -> fault.getValue().getMessage() + " at " + fault.getKey().getAddress().getHostAddress())
                .collect(Collectors.joining(", "));
    }

    private static FrameChannel connect(Platform machine, String remote, InetSocketAddress address, int busyPollUs, boolean waits) throws IOException {
        Optional<SocketChannel> local = machine.connectLocally(address);
        SocketChannel channel = local.isPresent() ? local.get() : connect(machine.socket(), address);
        return over(channel, remote, busyPollUs, waits, local.isPresent());
    }

    private static FrameChannel over(SocketChannel channel, String remote, int busyPollUs, boolean waits, boolean local)
            throws IOException {
        try {
            channel.configureBlocking(false);
            return new FrameChannel(channel, remote, TimeUnit.MICROSECONDS.toNanos(busyPollUs), waits, local);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static SocketChannel connect(SocketChannel channel, InetSocketAddress address) throws IOException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            TcpKeepalive.set(channel);
            await(channel, address);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void await(SocketChannel channel, InetSocketAddress address) throws IOException {
        channel.configureBlocking(false);
        if (channel.connect(address)) {
            return;
        }
        try (SelectorWait answered = new SelectorWait(channel, SelectionKey.OP_CONNECT)) {
            if (!answered.await(CONNECT_TIMEOUT_MS)) {
                throw new SocketTimeoutException("no answer within " + CONNECT_TIMEOUT_MS + " ms");
            }
            channel.finishConnect();
        }
    }

    /** The other end, as host:port. */
    public String remote() {
        return remote;
    }

    /** Whether it goes past the network, to a relay of the same host and user: into a folder that no other user can put a socket into. */
    public boolean isLocal() {
        return local;
    }

    /** This end's address. */
    public SocketAddress localAddress() throws IOException {
        return channel.getLocalAddress();
    }

    /** The address that was called. */
    public SocketAddress remoteAddress() throws IOException {
        return channel.getRemoteAddress();
    }

    // ---- the first frame, before it is known who says it

    /** Blocks until a frame is there, whole, which is handed over next; what has come behind it is dropped. */
    FrameType awaitFirst() throws IOException, WireException {
        int length = inView.wrap(in, unread).checkHeader(in.position() - unread);
        while (length == 0 || length > in.position() - unread) {
            read();
            length = inView.wrap(in, unread).checkHeader(in.position() - unread);
        }
        in.position(unread + length);
        return inView.type();
    }

    /** The relay has ended the connection: what it said last is read next, and nothing more is said to it. */
    void end() {
        over = true;
        readAhead = in.position() > unread;
    }

    /** Whether there is nobody to say anything to. */
    boolean isOver() {
        return over;
    }

    // ---- writing

    /** Room for a frame of at most {@code bytes}; flushes first if there is too little. */
    FrameView begin(int bytes) throws IOException {
        if (out.remaining() < bytes) {
            flush();
        }
        return outView.wrap(out, out.position());
    }

    /** The payload's place in the frame that was begun, to be filled, little-endian; valid until the frame is ended. */
    ByteBuffer payload(int headerBytes, int payloadBytes) {
        int from = out.position() + headerBytes;
        return outPayload.limit(from + payloadBytes).position(from);
    }

    /** Ends the frame that was begun: it leaves with the next flush. */
    void end(int bytes) {
        outView.length(bytes);
        out.position(out.position() + bytes);
    }

    /** Ends the frame that was begun, whose payload lies elsewhere, and sends it with all that was ended before. */
    void end(int headerBytes, ByteBuffer payload) throws IOException {
        end(headerBytes);
        outView.length(headerBytes + payload.remaining());
        out.flip();
        ByteBuffer[] both = {out, payload};
        try {
            while (payload.hasRemaining()) {
                if (channel.write(both) == 0) {
                    writable.await();
                }
            }
        } finally {
            out.clear();
        }
    }

    /** Sends a control frame at once. */
    public void write(ByteBuffer frame) throws IOException {
        flush();
        writeFully(frame);
    }

    /** Sends what was ended. Blocks until the kernel has taken it; the relay always reads. */
    void flush() throws IOException {
        out.flip();
        try {
            writeFully(out);
        } finally {
            out.clear();
        }
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                writable.await();
            }
        }
    }

    // ---- reading

    /** Whether bytes are there to read, or none will ever come, so that {@link #read} would not block. */
    boolean readable() throws IOException {
        if (readAhead) {
            return true;
        }
        if (waits && !readable.isReady()) {
            return false;
        }
        int bytes = receive();
        readAhead = bytes > 0;
        return bytes != 0;
    }

    /** Whether bytes are there to read, and no fault is: of a connection that nothing can be written to any more. */
    boolean hasRead() {
        try {
            return readable() && readAhead;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Blocks until some bytes are there.
     *
     * @throws EOFException if the other end has closed
     */
    public void read() throws IOException {
        read(false);
    }

    /** As {@link #read()}. @param wakeable whether {@link #wake} ends it too */
    void read(boolean wakeable) throws IOException {
        if (readAhead) {
            readAhead = false;
            return;
        }
        if (waits && wakeable && !readable.await()) {
            return;
        }
        if (polls && !wakeable) {
            SystemWait.awaitInput(channel);
        }
        int bytes = receive();
        if (bytes == 0 && busyPollNs > 0) {
            bytes = poll(wakeable);
        }
        while (bytes == 0 && readable.await()) {
            bytes = receive();
        }
        if (bytes < 0) {
            throw new EOFException("the relay at " + remote + " has closed the connection");
        }
    }

    /** Asks again and again for a while; 0 if nothing came. */
    private int poll(boolean wakeable) throws IOException {
        long end = System.nanoTime() + busyPollNs;
        int bytes = 0;
        while (bytes == 0 && !(wakeable && readable.isWoken()) && System.nanoTime() - end < 0) {
            Thread.yield();
            bytes = receive();
        }
        return bytes;
    }

    /**
     * Ends the {@link #read} that blocks and can be woken, or else the next one, although nothing came. For any thread.
     */
    void wake() {
        readable.wake();
    }

    /**
     * What was not read yet is lost at the latest when it has been read: a {@link #read} that blocks ends, and so does every further
     * one when there is nothing more. A connection that is gone already has that end anyway.
     */
    void endInput() {
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            readable.wake();
        }
    }

    /** Reads once what there is: before a payload that probably goes to its place only a little. */
    private int receive() throws IOException {
        if (run.isOn()) {
            return run.read(channel);
        }
        boolean atHeader = in.position() - unread < Wire.MESSAGE_HEADER_BYTES;
        in.limit(placing && atHeader ? in.position() + PayloadRun.AHEAD_BYTES : in.capacity());
        return channel.read(in);
    }

    /** Hands over every whole frame that was read. One whose handler throws counts as handed over. */
    public void dispatch(Handler handler) throws WireException, IOException {
        try {
            if (passPlaced(handler)) {
                passWhole(handler);
            }
        } finally {
            makeRoom();
        }
    }

    /** Hands over the frames whose payload has come where it goes. True if no further one is expected. */
    private boolean passPlaced(Handler handler) throws WireException, IOException {
        while (run.isOn()) {
            switch (run.first()) {
                case BEGUN -> {
                    return false;
                }
                case OTHER -> run.leave(in);
                case WHOLE -> handler.onPlaced(inView.wrap(run.next(in), 0));
            }
        }
        return true;
    }

    private void passWhole(Handler handler) throws WireException, IOException {
        int end = in.position();
        int length = inView.wrap(in, unread).checkHeader(end - unread);
        while (length > 0 && length <= end - unread) {
            if (length > Wire.MESSAGE_HEADER_BYTES) {
                placing = length >= PLACED_BYTES_MIN && handler.place(inView) != null;
            }
            frame.order(ByteOrder.BIG_ENDIAN).limit(unread + length).position(unread);
            unread += length;
            handler.onFrame(frame, inView);
            length = inView.wrap(in, unread).checkHeader(end - unread);
        }
        if (length - (end - unread) >= PLACED_BYTES_MIN && end - unread >= Wire.MESSAGE_HEADER_BYTES) {
            findPlace(handler, length);
        }
    }

    /** A long frame has begun: its payload goes to its place, if it has one, and what has come of it with it. */
    private void findPlace(Handler handler, int length) throws WireException {
        inView.checkHeader(length);
        ByteBuffer place = handler.place(inView);
        placing = place != null;
        if (placing) {
            run.begin(in.flip().position(unread), length, place);
            in.clear();
            unread = 0;
        }
    }

    /** The rest of a frame that has begun goes behind its beginning: that is moved only if a frame might not fit there. */
    private void makeRoom() {
        if (unread == in.position()) {
            in.clear();
            unread = 0;
        } else if (in.capacity() - unread < Wire.CHUNK_FRAME_BYTES_MAX) {
            in.flip().position(unread);
            in.compact();
            unread = 0;
        }
    }

    @Override
    public void close() throws IOException {
        if (waits && channel.isOpen()) {
            // Java waits with closing until a read is over that it does not know to block.
            channel.shutdownInput();
        }
        channel.close();
        readable.close();
        writable.close();
    }
}
