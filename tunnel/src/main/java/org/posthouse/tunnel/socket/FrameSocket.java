package org.posthouse.tunnel.socket;

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
 * A link's connection: splits the incoming bytes into checked frames, and coalesces outgoing frames into one flush per
 * turn of the event loop. Confined to the connection's event loop.
 *
 * <p>It is in the pipeline ahead of Vert.x's own handler, so that a frame is handled in the buffer it was read into. A
 * frame that breaks the wire format closes only this connection, with a CLOSE frame.
 */
public final class FrameSocket {
    private static final String HANDLER_NAME = "posthouse-frames";
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;
    private static final int READ_BYTES_MAX = 256 * 1024;

    /** Pending outgoing bytes: {@link #writable} turns false above the high mark, and true again below the low mark. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

    /** Time for the peer to read a CLOSE frame and close its end, in milliseconds. Then the connection is aborted. */
    private static final int CLOSE_MS_MAX = 1_000;

    /** Receives the connection's events. All calls are made on the event loop. */
    public interface Listener {
        /**
         * Receives one whole frame; its header has been checked.
         *
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view decodes the frame; valid during this call
         * @throws WireException to close the connection with that reason
         */
        void onFrame(FrameSocket socket, ByteBuf buffer, int index, int length, FrameView view) throws WireException;

        /** Called after all frames of one socket read were passed on. */
        default void onReadEnd(FrameSocket socket) {}

        /** {@link FrameSocket#writable} turned true. */
        default void onWritable(FrameSocket socket) {}

        /**
         * TLS ends the connection. The dialling end learns of a refusal only now, after its own handshake has
         * completed.
         */
        default void onTlsFailed(FrameSocket socket, SSLException failure) {}

        /**
         * The other end sends TLS records with almost no content; no more of them are decrypted.
         *
         * @param detail how many
         */
        default void onRecordFlood(FrameSocket socket, String detail) {
            socket.close(CloseNotice.closing(0, CloseReason.LIMIT, detail));
        }

        /** Called once when the connection has ended. {@code why} is the cause. */
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

    /**
     * Sets how much is read from a connection at once. Must be called before the first read; later it has no effect.
     */
    static void prepare(Channel channel) {
        channel.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, READ_BYTES_MAX));
    }

    /**
     * Takes over a fresh connection before any frame was read from it. Called on its event loop.
     *
     * @param context the last handler of its pipeline
     */
    public static FrameSocket attach(ChannelHandlerContext context, Listener listener) {
        FrameSocket frames = new FrameSocket(context.channel(), listener);
        assert frames.inLoop();
        context.channel().config().setWriteBufferWaterMark(WATER_MARK);
        context.pipeline().addBefore(context.name(), HANDLER_NAME, frames.new Inbound());
        return frames;
    }

    /**
     * Declares that the owner monitors the peer from now on. This removes the idle handler, which reads the clock for
     * each message.
     */
    public void watchedByOwner() {
        assert inLoop();
        if (channel.pipeline().get(IdleStateHandler.class) != null) {
            channel.pipeline().remove(IdleStateHandler.class);
        }
    }

    /**
     * Sends one or more whole frames and takes ownership of the buffer. After {@link #close} the frames are dropped.
     */
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

    /** Flushes written frames now, before the event loop's turn ends. */
    public void flush() {
        assert inLoop();
        channel.flush();
    }

    /** Sends a control frame, which the caller must not change afterwards. */
    public void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    /** False while more than 1 MiB waits to be sent, because the peer reads slowly or not at all. */
    public boolean writable() {
        return channel.isWritable();
    }

    /**
     * Sends the reason in a CLOSE frame and ignores all further input. The peer closes when it has read the frame. If
     * it does not within a second, the connection is aborted. Later calls do nothing.
     *
     * <p>An immediate close would lose the frame. TCP answers bytes that arrive at a closed socket with a reset, and a
     * reset discards what the peer has not read yet.
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

    /** Aborts the connection without a CLOSE frame, as a cable cut does; pending bytes are lost. */
    public void cut(CloseNotice why) {
        assert inLoop();
        if (closing == null) {
            closing = why;
        }
        breakOff();
    }

    /**
     * True after {@link #close} or {@link #cut}, or when the other end closed. Nothing is sent or received any more.
     */
    public boolean isClosed() {
        return closing != null;
    }

    /** The address of the other end, as host:port. */
    public String remote() {
        return text(channel.remoteAddress());
    }

    /**
     * An address for display as host:port, without a resolved name. An address without a host is shown by its own text.
     */
    public static String text(SocketAddress end) {
        return end instanceof InetSocketAddress ? end.toString().replaceFirst("^[^/]*/", "") : String.valueOf(end);
    }

    public long bytesIn() {
        return bytesIn;
    }

    public long bytesOut() {
        return bytesOut;
    }

    /** Received bytes of an incomplete frame. */
    public int incompleteBytes() {
        return decoder.incompleteBytes();
    }

    /** Type of the incomplete frame; null if unknown. */
    public FrameType incompleteType() {
        return decoder.incompleteType();
    }

    private boolean inLoop() {
        return channel.eventLoop().inEventLoop();
    }

    /**
     * Closes past all handlers. The handlers of TLS and Vert.x would first wait, perhaps forever, until their pending
     * bytes are sent.
     */
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
        CloseNotice why = closing != null ? closing : CloseNotice.closing(0, CloseReason.NORMAL, "the other end has closed the connection");
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
            // TLS wraps its failures, including an IOException.
            Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
            boolean environment = root instanceof IOException;
            if (closing == null && root instanceof SSLException failure) {
                listener.onTlsFailed(FrameSocket.this, failure);
            }
            if (closing == null) {
                closing = CloseNotice.closing(0, environment ? CloseReason.NORMAL : CloseReason.INTERNAL, Causes.text(root));
            }
            if (!environment) {
                // This is a defect of our code, not of the network; Vert.x's handler reports it.
                context.fireExceptionCaught(cause);
            }
            breakOff();
        }
    }
}
