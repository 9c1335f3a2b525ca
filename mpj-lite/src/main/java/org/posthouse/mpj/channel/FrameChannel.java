package org.posthouse.mpj.channel;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A connection that carries frames, with blocking calls, for ranks and the launcher. One thread may read while another
 * writes. The endpoint sees to it that no two threads read, or write, at once.
 *
 * <p>Calls of an interrupted thread continue, and its interrupt flag stays set. So the channel is in non-blocking mode:
 * an interrupt closes a blocking channel, and a plain socket under a virtual thread too. The wait is the system call
 * itself ({@link SystemWait}) where available, otherwise a selector.
 */
public final class FrameChannel implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MS = 10_000;

    /** Four frames, or a CHUNK of four pieces. */
    private static final int OUT_BYTES = 4 * Wire.FRAME_BYTES_MAX;

    private static final int IN_BYTES = PayloadRun.BYTES_MAX;

    /** Shortest payload for which an additional call costs less than a copy. */
    private static final int PLACED_BYTES_MIN = 16 * 1024;

    /** Receives frames. */
    public interface Handler {
        /**
         * Handles one frame.
         *
         * @param frame position at the frame's start, limit at its end; big-endian; valid during this call, and the
         * handler may change its position and order
         * @param view looks at the same frame
         */
        void onFrame(ByteBuffer frame, FrameView view) throws WireException, IOException;

        /**
         * Asks for the place of a long frame's payload after its header has come. The answer must change no state: the
         * rest may never come.
         *
         * @return direct memory that the payload fills, of a CHUNK also that of all further chunks of its message; null
         * if there is none. {@link #onPlaced} is then called in place of {@link #onFrame}, for each frame that has been
         * placed.
         */
        default ByteBuffer place(FrameView view) throws WireException {
            return null;
        }

        /**
         * Handles a frame whose payload was written to the memory of {@link #place}.
         *
         * @param view looks at its header; no payload is behind it
         */
        default void onPlaced(FrameView view) throws WireException, IOException {
            throw new IllegalStateException("nothing was placed: " + view);
        }
    }

    private final SocketChannel channel;

    /** TLS over {@link #channel}; null if the frames go plainly. */
    private final TlsChannel tls;

    private final ChannelBinding binding;
    private final SelectorWait readable;
    private final SelectorWait writable;
    private final String remote;
    private final long busyPollNs;

    /** Whether {@link #channel} may block in the system call. A read that must not block then asks a selector first. */
    private final boolean waits;

    /** Whether the channel is a Unix socket. */
    private final boolean local;

    /** Whether a blocking read first asks the system for input, because the channel is a Unix socket. */
    private final boolean polls;

    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);

    /** The view of {@link #out} that is lent to callers: a new view for each frame would be garbage. */
    private final ByteBuffer outPayload = out.duplicate().order(ByteOrder.LITTLE_ENDIAN);

    private final FrameView outView = new FrameView();
    private final FrameView inView = new FrameView();

    /** The view of {@link #in} that a handler gets. */
    private final ByteBuffer frame = in.duplicate();

    /**
     * Index in {@link #in} of the first byte not handed over. The bytes [unread, position) are still to be handed over.
     */
    private int unread;

    /** Payload that is placed elsewhere; {@link #in} is empty meanwhile. */
    private final PayloadRun run = new PayloadRun();

    /** Whether the last frame with payload was long and had a place. The next one probably has too. */
    private boolean placing;

    /** Whether {@link #readable} has put bytes into {@code in}, so that the next read need not. */
    private boolean readAhead;

    /** Whether the relay has sent CLOSE or disconnected before it was authenticated. Nothing is sent to it any more. */
    private boolean over;

    private FrameChannel(SocketChannel channel, TlsChannel tls, String remote, long busyPollNs, boolean waits, boolean local) throws IOException {
        this.channel = channel;
        this.tls = tls;
        this.binding = tls == null ? ChannelBinding.PLAIN : tls.binding();
        this.remote = remote;
        this.busyPollNs = busyPollNs;
        readable = new SelectorWait(channel, SelectionKey.OP_READ);
        writable = new SelectorWait(channel, SelectionKey.OP_WRITE);
        this.waits = waits && tls == null && SystemWait.enable(channel);
        this.local = local;
        polls = this.waits && local;
    }

    /**
     * Loads the classes used between a connect and the first frame, on an unconnected channel. On a busy host loading
     * takes time that counts against the other end's timeout.
     */
    public static void rehearse() {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            new SelectorWait(channel, SelectionKey.OP_READ).close();
            SystemWait.enable(channel);
        } catch (IOException e) {
            // The later connect reports the fault, with the address.
        }
    }

    /** Connects plainly to {@code hostAndPort}; an error message names it. */
    public static FrameChannel connect(String hostAndPort) throws IOException {
        return connect(hostAndPort, RelayTls.onDemand());
    }

    /** Connects to {@code hostAndPort}; an error message names it. */
    public static FrameChannel connect(String hostAndPort, RelayTls tls) throws IOException {
        return connect(Platform.REAL, new RelayAddresses(hostAndPort), tls, 0);
    }

    /**
     * Connects from the given machine to the first of the host's addresses that answers.
     *
     * @param tls whether the connection is TLS, and whom it then trusts
     * @param busyPollUs how long a read polls before it sleeps, in microseconds
     */
    public static FrameChannel connect(Platform machine, RelayAddresses relay, RelayTls tls, int busyPollUs) throws IOException {
        return connect(machine, relay, tls, busyPollUs, busyPollUs == 0);
    }

    /** As below, plainly. */
    static FrameChannel connect(Platform machine, RelayAddresses relay, int busyPollUs, boolean waits) throws IOException {
        return connect(machine, relay, RelayTls.onDemand(), busyPollUs, waits);
    }

    /** As above, also for tests: without {@code waits} the channel never blocks in the system call. */
    static FrameChannel connect(Platform machine, RelayAddresses relay, RelayTls tls, int busyPollUs, boolean waits)
            throws IOException {
        Map<InetSocketAddress, IOException> faults = new LinkedHashMap<>();
        try {
            for (InetSocketAddress address : relay.all()) {
                try {
                    FrameChannel line = connect(machine, relay.toString(), address, tls, busyPollUs, waits);
                    relay.answered(address);
                    return line;
                } catch (UnprovenRelayException e) {
                    throw e;
                } catch (IOException e) {
                    faults.put(address, e);
                }
            }
        } catch (UnprovenRelayException e) {
            throw e;
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

    private static FrameChannel connect(
            Platform machine, String remote, InetSocketAddress address, RelayTls tls, int busyPollUs, boolean waits) throws IOException {
        Optional<SocketChannel> local = tls.isWanted() ? Optional.empty() : machine.connectLocally(address);
        SocketChannel channel = local.isPresent() ? local.get() : connect(machine.socket(), address);
        try {
            channel.configureBlocking(false);
            long busyPollNs = TimeUnit.MICROSECONDS.toNanos(busyPollUs);
            if (tls.isWanted()) {
                return secure(channel, remote, tls, busyPollNs, waits);
            }
            return new FrameChannel(channel, null, remote, busyPollNs, waits, local.isPresent());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FrameChannel secure(SocketChannel channel, String remote, RelayTls tls, long busyPollNs, boolean waits) throws IOException {
        TlsChannel secured = new TlsChannel(channel, tls.engine());
        try {
            if (secured.handshake(CONNECT_TIMEOUT_MS)) {
                return new FrameChannel(channel, secured, remote, busyPollNs, waits, false);
            }
        } catch (SSLException e) {
            throw new UnprovenRelayException("TLS with the relay at " + remote + " fails, and it was told nothing: " + text(e));
        }
        FrameChannel plain = new FrameChannel(channel, null, remote, busyPollNs, waits, false);
        plain.in.put(secured.received());
        plain.requireEnd(tls);
        return plain;
    }

    /** The reason at the bottom of TLS's fault, which the faults above it often do not tell. */
    private static String text(SSLException fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null || root == fault ? fault.getMessage() : fault.getMessage() + ": " + root.getMessage();
    }

    /** The relay has answered TLS plainly: it ends the connection, or it speaks no TLS. */
    private void requireEnd(RelayTls tls) throws IOException {
        try {
            boolean ends = awaitFirst() == FrameType.CLOSE && !isFirst(CloseReason.FRAME_TOO_LONG);
            if (ends) {
                end();
                return;
            }
        } catch (WireException e) {
            throw new UnprovenRelayException("whoever listens at " + remote + " speaks neither TLS nor as a relay: " + e.getMessage());
        }
        close();
        tls.notSpoken();
        throw new UnprovenRelayException("the relay at " + remote + " speaks no TLS: it was started without --keys; it was told nothing");
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

    /** The remote address as host:port. */
    public String remote() {
        return remote;
    }

    /**
     * Whether the connection bypasses the network, to a relay of the same host and user. Its socket is in a folder
     * where no other user can create one.
     */
    public boolean isLocal() {
        return local;
    }

    /** The local address. */
    public SocketAddress localAddress() throws IOException {
        return channel.getLocalAddress();
    }

    /** The address that was called. */
    public SocketAddress remoteAddress() throws IOException {
        return channel.getRemoteAddress();
    }

    /** What both ends' proofs say of the channel. */
    public ChannelBinding binding() {
        return binding;
    }

    /** Whether the bytes do not leave this host, or its other end is on the loopback. */
    boolean isWithinHost() throws IOException {
        return local || RelayTls.isWithinHost(channel.getLocalAddress(), channel.getRemoteAddress());
    }

    // ---- the first frame, before the other end is authenticated

    /** Blocks until a whole frame has come. The next dispatch hands it over; bytes that came behind it are dropped. */
    FrameType awaitFirst() throws IOException, WireException {
        int length = inView.wrap(in, unread).checkHeader(in.position() - unread);
        while (length == 0 || length > in.position() - unread) {
            read();
            length = inView.wrap(in, unread).checkHeader(in.position() - unread);
        }
        in.position(unread + length);
        return inView.type();
    }

    /** Whether the frame of {@link #awaitFirst}, a CLOSE, has this reason. */
    boolean isFirst(CloseReason reason) {
        return in.getInt(unread + Wire.HEADER_BYTES) == reason.code();
    }

    /** Handles the relay's end of the connection: its last frames are read next, and nothing more is sent to it. */
    public void end() {
        over = true;
        readAhead = in.position() > unread;
    }

    /** Whether nothing can be sent to the other end any more. */
    public boolean isOver() {
        return over;
    }

    // ---- writing

    /** Reserves room for a frame of at most {@code bytes}; flushes first if there is too little. */
    public FrameView begin(int bytes) throws IOException {
        if (out.remaining() < bytes) {
            flush();
        }
        return outView.wrap(out, out.position());
    }

    /**
     * The payload's place in the frame that was begun, little-endian, to be filled by the caller; valid until the frame
     * is ended.
     */
    public ByteBuffer payload(int headerBytes, int payloadBytes) {
        int from = out.position() + headerBytes;
        return outPayload.limit(from + payloadBytes).position(from);
    }

    /** Ends the frame that was begun. It is sent with the next flush. */
    public void end(int bytes) {
        outView.length(bytes);
        out.position(out.position() + bytes);
    }

    /** Ends the frame that was begun, whose payload is elsewhere, and sends it with all frames ended before. */
    public void end(int headerBytes, ByteBuffer payload) throws IOException {
        end(headerBytes);
        outView.length(headerBytes + payload.remaining());
        out.flip();
        if (tls != null) {
            sealAndSend(out, payload);
            return;
        }
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

    /** Sends all ended frames. Blocks until the kernel has taken them; the relay always reads. */
    public void flush() throws IOException {
        out.flip();
        try {
            writeFully(out);
        } finally {
            out.clear();
        }
    }

    private void sealAndSend(ByteBuffer frames, ByteBuffer payload) throws IOException {
        try {
            tls.write(writable, frames, payload);
        } finally {
            out.clear();
        }
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
        if (tls != null) {
            tls.write(writable, bytes);
            return;
        }
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                writable.await();
            }
        }
    }

    // ---- reading

    /** Whether {@link #read} would not block: bytes are there, or the connection has ended. */
    public boolean readable() throws IOException {
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

    /** Whether bytes are there to read on a connection that can no longer be written; a fault counts as none. */
    public boolean hasRead() {
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
    public void read(boolean wakeable) throws IOException {
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

    /** Polls for a while; 0 if nothing came. */
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
     * Ends the blocked {@link #read} that can be woken, or else the next one, although nothing came. For any thread.
     */
    public void wake() {
        readable.wake();
    }

    /**
     * Ends the input: a blocked {@link #read} ends, and so does every later one once the received bytes are read. Bytes
     * that are still unread may be lost. A connection that is gone already has ended its input.
     */
    public void endInput() {
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            readable.wake();
        }
    }

    /** Reads once what is there. Before a payload that is probably placed elsewhere, it reads only a little. */
    private int receive() throws IOException {
        if (run.isOn()) {
            return run.read(tls == null ? channel : tls);
        }
        boolean atHeader = in.position() - unread < Wire.MESSAGE_HEADER_BYTES;
        in.limit(placing && atHeader ? in.position() + PayloadRun.AHEAD_BYTES : in.capacity());
        return tls == null ? channel.read(in) : tls.read(in);
    }

    /** Hands over every whole frame that was read. A frame whose handler throws counts as handed over. */
    public void dispatch(Handler handler) throws WireException, IOException {
        try {
            if (passPlaced(handler)) {
                passWhole(handler);
            }
        } finally {
            makeRoom();
        }
    }

    /** Hands over the frames whose payload was placed. True if no further one is expected. */
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

    /**
     * Begins a long frame: its payload goes to its place, if it has one, together with the part that has come already.
     */
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

    /**
     * Makes room for the rest of a frame that has begun. Its beginning is moved only if the frame might not fit
     * otherwise.
     */
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

    private void shutDown() throws IOException {
        try {
            channel.shutdownInput();
            channel.shutdownOutput();
        } catch (ClosedChannelException e) {
            assert !channel.isOpen(); // Another thread has closed it meanwhile.
        }
    }

    @Override
    public void close() throws IOException {
        if (waits && channel.isOpen()) {
            // Java's close waits for a read or a write in progress that Java does not know to block.
            shutDown();
        }
        channel.close();
        readable.close();
        writable.close();
    }
}
