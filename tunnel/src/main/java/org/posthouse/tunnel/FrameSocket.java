package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.posthouse.causes.Causes;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * A link's connection: cuts the incoming stream into checked frames and coalesces outgoing ones to one
 * flush per turn of the event loop. Confined to the connection's event loop: call it nowhere
 * else.
 *
 * <p>It sits in the pipeline ahead of Vert.x's own handler, so that a frame is handled in the buffer it was read
 * into. A frame that breaks the wire format closes this connection with a CLOSE frame and nothing else.
 */
public final class FrameSocket {
    private static final String HANDLER_NAME = "posthouse-frames";
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;
    private static final int READ_BYTES_MAX = 256 * 1024;

    /** Outgoing bytes in memory past which {@link #writable} turns false, and below which it turns true again. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

    /** How long the peer may take to read a CLOSE frame and close its end, before the connection is broken off. */
    private static final int CLOSE_MS_MAX = 1_000;

    /** What the connection's owner wants to hear. All calls come on the event loop. */
    public interface Listener {
        /**
         * One whole frame, header checked.
         *
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view looks at the frame; valid during this call
         * @throws WireException to close the connection with that reason
         */
        void onFrame(FrameSocket socket, ByteBuf buffer, int index, int length, FrameView view) throws WireException;

        /** All frames of what was read at once have been handed over. */
        default void onReadEnd(FrameSocket socket) {}

        /** {@link FrameSocket#writable} turned true. */
        default void onWritable(FrameSocket socket) {}

        /** TLS ends the connection. The dialling end hears only now, behind its handshake, that the other one refuses it. */
        default void onTlsFailed(FrameSocket socket, SSLException failure) {}

        /** The other end writes TLS records that carry next to nothing; no more of them are decrypted. @param detail how many */
        default void onRecordFlood(FrameSocket socket, String detail) {
            socket.close(CloseNotice.closing(0, CloseReason.LIMIT, detail));
        }

        /** Called once. {@code why} says what ended the connection. */
        void onClosed(FrameSocket socket, CloseNotice why);
    }

    private final Channel channel;
    private final Listener listener;
    private final FrameDecoder decoder;
    private final Runnable flushAtTurnsEnd = this::flushAtTurnsEnd;
    private boolean flushScheduled;
    private CloseNotice closing;
    private ScheduledFuture<?> closeDeadline;
    private boolean closed;
    private long bytesIn;
    private long bytesOut;

    private FrameSocket(Channel channel, Listener listener) {
        this.channel = channel;
        this.listener = listener;
        this.decoder = new FrameDecoder(channel.alloc(), false, this::onFrame);
    }

    /** Says how much of a connection is read at once. To be called before anything is read from it: later it has no effect. */
    static void prepare(Channel channel) {
        channel.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, READ_BYTES_MAX));
    }

    /** Takes over a fresh connection, before any frame was read from it. Called on its event loop. @param context what stands last in its pipeline */
    static FrameSocket attach(ChannelHandlerContext context, Listener listener) {
        FrameSocket frames = new FrameSocket(context.channel(), listener);
        assert frames.inLoop();
        context.channel().config().setWriteBufferWaterMark(WATER_MARK);
        context.pipeline().addBefore(context.name(), HANDLER_NAME, frames.new Inbound());
        return frames;
    }

    /** From now on the owner watches whether the peer is alive: no handler need look at the clock for each message. */
    void watchedByOwner() {
        assert inLoop();
        if (channel.pipeline().get(IdleStateHandler.class) != null) {
            channel.pipeline().remove(IdleStateHandler.class);
        }
    }

    /** Sends one frame or several whole ones in a row; takes over the buffer. After {@link #close} it is dropped. */
    public void write(ByteBuf frames) {
        assert inLoop();
        if (closing != null) {
            frames.release();
            return;
        }
        bytesOut += frames.readableBytes();
        channel.write(frames, channel.voidPromise());
        if (!flushScheduled) {
            flushScheduled = true;
            channel.eventLoop().execute(flushAtTurnsEnd);
        }
    }

    /** What was written leaves now, before the turn of the event loop is over. */
    void flush() {
        assert inLoop();
        channel.flush();
    }

    /** Sends a control frame, which must not be changed afterwards. */
    public void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    /** False while more than a mebibyte waits to leave: a reader that is slow or does not read. */
    public boolean writable() {
        return channel.isWritable();
    }

    /**
     * Says why in a CLOSE frame and ignores what comes from now on. The peer closes when it has read the frame; if it
     * does not within a second, because it does not read, the connection is broken off. Later calls do nothing.
     *
     * <p>Closing at once would lose the frame: TCP answers bytes that arrive at a closed socket with a reset, and a
     * reset throws away what the peer has not read yet.
     */
    public void close(CloseNotice why) {
        assert inLoop();
        if (closing != null) {
            return;
        }
        write(why.encode(FrameType.CLOSE));
        closing = why;
        flush();
        closeDeadline = channel.eventLoop().schedule(this::breakOff, CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    }

    /** Breaks the connection off without a word, as a cut does, whatever waits to leave. */
    public void cut(CloseNotice why) {
        assert inLoop();
        if (closing == null) {
            closing = why;
        }
        breakOff();
    }

    /** True from {@link #close} or {@link #cut} on, or when the other end closed: nothing is sent or heard any more. */
    public boolean isClosed() {
        return closing != null;
    }

    /** The other end, as host:port. */
    public String remote() {
        return text(channel.remoteAddress());
    }

    /** An address for people: as host:port, without the name that it may have been found by; one of no host says itself what it is. */
    static String text(SocketAddress end) {
        return end instanceof InetSocketAddress ? end.toString().replaceFirst("^[^/]*/", "") : String.valueOf(end);
    }

    public long bytesIn() {
        return bytesIn;
    }

    public long bytesOut() {
        return bytesOut;
    }

    /** Bytes that have come of a frame whose rest has not. */
    int incompleteBytes() {
        return decoder.incompleteBytes();
    }

    /** Of what type that frame is; null if that is not known. */
    FrameType incompleteType() {
        return decoder.incompleteType();
    }

    private boolean inLoop() {
        return channel.eventLoop().inEventLoop();
    }

    /** Past all handlers: those of TLS and of Vert.x wait until what they hold has left, which may be for ever. */
    private void breakOff() {
        if (!closed) {
            channel.pipeline().firstContext().close();
        }
    }

    private void flushAtTurnsEnd() {
        flushScheduled = false;
        channel.flush();
    }

    private boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        listener.onFrame(this, buffer, index, length, view);
        return closing == null;
    }

    private void onInactive() {
        if (closed) {
            return;
        }
        closed = true;
        if (closeDeadline != null) {
            closeDeadline.cancel(false);
        }
        decoder.release();
        listener.onReadEnd(this);
        CloseNotice why = closing != null ? closing : CloseNotice.closing(0, CloseReason.NORMAL, "the connection ended");
        closing = why;
        listener.onClosed(this, why);
    }

    private final class Inbound extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf in = (ByteBuf) message;
            try {
                bytesIn += in.readableBytes();
                if (closing == null) {
                    decoder.feed(in);
                }
            } catch (WireException e) {
                close(CloseNotice.closing(0, e.reason(), e.getMessage()));
            } finally {
                in.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            listener.onReadEnd(FrameSocket.this);
            context.fireChannelReadComplete();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable() && !isClosed()) {
                listener.onWritable(FrameSocket.this);
            }
            context.fireChannelWritabilityChanged();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RecordAudit.Flood flood) {
                listener.onRecordFlood(FrameSocket.this, flood.detail());
            } else {
                context.fireUserEventTriggered(event);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            onInactive();
            context.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // TLS wraps what it has to say, an IOException too.
            Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
            boolean environment = root instanceof IOException;
            if (closing == null && root instanceof SSLException failure) {
                listener.onTlsFailed(FrameSocket.this, failure);
            }
            if (closing == null) {
                closing = CloseNotice.closing(0, environment ? CloseReason.NORMAL : CloseReason.INTERNAL, Causes.text(root));
            }
            if (!environment) {
                // Ours, not the network's: Vert.x's handler reports it.
                context.fireExceptionCaught(cause);
            }
            breakOff();
        }
    }
}
