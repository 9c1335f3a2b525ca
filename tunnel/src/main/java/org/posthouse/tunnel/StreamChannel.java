package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.SocketAddress;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Netty channel over a stream of another link. TLS, frames and pings use it like a socket. Confined to the relay's
 * event loop.
 *
 * <p>Bytes for which the stream has no token wait in the channel's outbound buffer; the channel is not writable while
 * that is long. Received bytes are passed on at once and their token is returned. The channel ends at once with its
 * stream, or with the stream's link.
 */
final class StreamChannel extends AbstractChannel implements LinkStream.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(StreamChannel.class);
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private final EventLoop loop;
    private final LinkPath path;
    private final Far far;

    /** Completed when bytes may flow. */
    private final Promise<ChannelHandlerContext> connected = Promise.promise();

    /** Null before the stream exists, and after its end. */
    private LinkStream stream;

    private boolean begun;
    private boolean closed;

    /** The address of the far relay, for display only. */
    private static final class Far extends SocketAddress {
        private final String text;

        private Far(String relay, LinkPath path) {
            this.text = "relay " + relay + " " + path;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** @param far the relay at the other end of {@code path} */
    StreamChannel(EventLoop loop, String far, LinkPath path) {
        super(null);
        this.loop = loop;
        this.path = path;
        this.far = new Far(far, path);
    }

    /** The path of a connection. */
    static LinkPath pathOf(Channel channel) {
        return channel instanceof StreamChannel over ? over.path : LinkPath.DIRECT;
    }

    /** Completed when the other end has accepted; its value is the last handler of the pipeline. */
    Promise<ChannelHandlerContext> connected() {
        return connected;
    }

    /** Sets the stream that carries the channel. */
    void join(LinkStream joined) {
        assert loop.inEventLoop();
        stream = joined;
    }

    /** Activates the channel once both ends have the stream. */
    void begin() {
        assert loop.inEventLoop();
        begun = true;
        loop.register(this);
        pipeline().addLast(new End());
        connected.complete(pipeline().lastContext());
    }

    // ---- events of the stream

    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        assert loop.inEventLoop();
        LinkStream from = stream;
        if (bytes.isReadable()) {
            pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        } else {
            bytes.release();
        }
        from.left();
        if (last) {
            closeNow();
        }
    }

    @Override
    public void onWritable() {
        assert loop.inEventLoop();
        if (begun) {
            unsafe().flush();
        } else {
            begin();
        }
    }

    @Override
    public void onDone() {
        assert loop.inEventLoop();
        stream = null;
        closeNow();
    }

    @Override
    public void onEnded(CloseReason closeReason, String text) {
        assert loop.inEventLoop();
        stream = null;
        if (!connected.tryFail(new IOException(closeReason + ": " + text))) {
            closeNow();
        }
    }

    @Override
    public void onLinkDown() {
        LinkStream over = stream;
        over.end(CloseReason.SITE_UNREACHABLE, "the link is down");
        onEnded(CloseReason.SITE_UNREACHABLE, "the link to relay " + over.relay() + " is down");
    }

    /** Closes past all handlers, because those of TLS would wait until their pending bytes are sent. */
    private void closeNow() {
        unsafe().close(unsafe().voidPromise());
    }

    // ---- implementation of the channel

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        while (stream != null && out.current() != null && stream.writable()) {
            ByteBuf piece = take(out);
            if (piece.isReadable()) {
                stream.write(piece);
            } else {
                piece.release();
            }
        }
    }

    /** Takes as many bytes as one token permits. */
    private ByteBuf take(ChannelOutboundBuffer out) {
        CompositeByteBuf piece = alloc().compositeBuffer(Math.max(2, out.size()));
        for (ByteBuf next = (ByteBuf) out.current(); next != null; next = (ByteBuf) out.current()) {
            int room = Wire.PAYLOAD_BYTES_MAX - piece.readableBytes();
            if (next.readableBytes() > room) {
                piece.addComponent(true, next.readRetainedSlice(room));
                out.progress(room);
                return piece;
            }
            piece.addComponent(true, next.retainedSlice());
            out.remove();
        }
        return piece;
    }

    @Override
    protected void doClose() {
        closed = true;
        if (stream != null) {
            LinkStream over = stream;
            stream = null;
            over.end(CloseReason.NORMAL, "the connection was closed");
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return begun && !closed;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return far;
    }

    @Override
    protected boolean isCompatible(EventLoop other) {
        return other == loop;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Unsafe();
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("bind");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBeginRead() {
        // Nothing to do: the stream delivers bytes as they arrive.
    }

    private final class Unsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("connect"));
        }
    }

    /** The last handler in the pipeline, as Vert.x's handler is in a socket's. */
    private static final class End extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.error("connection to {}", context.channel().remoteAddress(), cause);
            context.close();
        }
    }
}
