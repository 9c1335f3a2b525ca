package org.posthouse.mpj;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A blocking connection that speaks frames. One thread may read while another writes; two may not read, nor two write,
 * at once: the endpoint sees to it. The launcher uses one too.
 */
public final class FrameLine implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int OUT_BYTES = 4 * Wire.FRAME_BYTES_MAX;
    private static final int IN_BYTES = 4 * Wire.FRAME_BYTES_MAX;
    private static final int IDLE_POLLS_PER_CHECK = 256;

    /** Takes one frame. */
    public interface Handler {
        /**
         * @param frame position at the frame's start, limit at its end; big-endian; valid during this call
         * @param view looks at the same frame
         */
        void onFrame(ByteBuffer frame, FrameView view) throws WireException;
    }

    private final SocketChannel channel;
    private final String remote;
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    private final FrameView outView = new FrameView();
    private final FrameView inView = new FrameView();
    private int idlePolls;

    /** {@link #readable} has put bytes into {@code in}: the next read need not. */
    private boolean readAhead;

    private FrameLine(SocketChannel channel, String remote) {
        this.channel = channel;
        this.remote = remote;
    }

    /** Connects to {@code hostAndPort}; the message of a failure names it. */
    public static FrameLine connect(String hostAndPort) throws IOException {
        int colon = hostAndPort.lastIndexOf(':');
        SocketChannel channel = SocketChannel.open();
        try {
            String host = hostAndPort.substring(0, colon).replaceAll("^\\[|]$", "");
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(hostAndPort.substring(colon + 1)));
            if (address.isUnresolved()) {
                throw new IOException("unknown host " + host);
            }
            channel.socket().connect(address, CONNECT_TIMEOUT_MS);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw new IOException("cannot reach the relay at " + hostAndPort + ": " + e.getMessage(), e);
        }
        return new FrameLine(channel, hostAndPort);
    }

    /** The other end, as host:port. */
    public String remote() {
        return remote;
    }

    // ---- writing

    /** Room for a frame of at most {@code bytes}; flushes first if there is too little. */
    FrameView begin(int bytes) throws IOException {
        if (out.remaining() < bytes) {
            flush();
        }
        return outView.wrap(out, out.position());
    }

    /** The payload's place in the frame that was begun, little-endian. */
    ByteBuffer payload(int headerBytes, int payloadBytes) {
        return out.slice(out.position() + headerBytes, payloadBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Ends the frame that was begun: it leaves with the next flush. */
    void end(int bytes) {
        outView.length(bytes);
        out.position(out.position() + bytes);
    }

    /** Sends a control frame at once. */
    public void write(ByteBuffer frame) throws IOException {
        flush();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    /** Sends what was ended. Blocks until the kernel has taken it; the relay always reads. */
    void flush() throws IOException {
        out.flip();
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } finally {
            out.clear();
        }
    }

    // ---- reading

    /**
     * Whether bytes are there to read, or none will ever come, so that {@link #read} would not block. Nobody may read or
     * write meanwhile.
     */
    boolean readable() throws IOException {
        if (channel.socket().getInputStream().available() > 0) {
            return true;
        }
        return ++idlePolls % IDLE_POLLS_PER_CHECK == 0 && endedOrRead();
    }

    /** The kernel calls a closed connection empty; only a read that does not block tells them apart. */
    private boolean endedOrRead() throws IOException {
        channel.configureBlocking(false);
        try {
            int bytes = channel.read(in);
            readAhead = bytes > 0;
            return bytes != 0;
        } finally {
            channel.configureBlocking(true);
        }
    }

    /** Blocks until some bytes are there. @throws EOFException if the other end has closed */
    public void read() throws IOException {
        if (readAhead) {
            readAhead = false;
            return;
        }
        if (channel.read(in) < 0) {
            throw new EOFException("the relay at " + remote + " has closed the connection");
        }
    }

    /** Hands over every whole frame that was read. */
    public void dispatch(Handler handler) throws WireException {
        int at = 0;
        int end = in.position();
        int length = inView.wrap(in, at).checkHeader(end - at);
        while (length > 0 && length <= end - at) {
            ByteBuffer frame = in.slice(at, length);
            handler.onFrame(frame, inView.wrap(frame, 0));
            at += length;
            length = inView.wrap(in, at).checkHeader(end - at);
        }
        in.flip().position(at);
        in.compact();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
