package org.posthouse.tunnel.forward;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.util.ArrayDeque;
import org.posthouse.causes.Causes;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.CloseReason;

/**
 * Moves bytes between a socket and a stream. Confined to the socket's event loop, which is the relay's.
 *
 * <p>It reads nothing from the socket while the stream has no token, so TCP slows the socket's peer. A token is
 * returned when its bytes are in the socket's own buffer. When one direction ends, the other continues. The socket is
 * closed in order when both have ended. Otherwise it is reset, even if this process is killed, so that its peer never
 * mistakes a part for the whole.
 */
final class StreamPump extends ChannelInboundHandlerAdapter implements LinkStream.Listener {
    private final DuplexChannel channel;

    /** Null before the stream exists, and after its end. */
    private LinkStream stream;

    /** Bytes read while the stream could not take them: one read, or two where the system reads ahead. */
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();

    private boolean inputEnded;

    /** @param channel has automatic reads off, stays open when its input ends, and is reset when it is closed */
    StreamPump(Channel channel) {
        this.channel = (DuplexChannel) channel;
    }

    /** Begins to move bytes as soon as the stream permits it. */
    void join(LinkStream joined) {
        assert channel.eventLoop().inEventLoop();
        stream = joined;
        onWritable();
    }

    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        assert channel.eventLoop().inEventLoop();
        ChannelFuture written = channel.writeAndFlush(bytes);
        LinkStream from = stream;
        written.addListener(done -> {
            if (done.isSuccess() && last) {
                channel.shutdownOutput();
            }
            if (done.isSuccess()) {
                from.left();
            } else {
                broken(done.cause());
            }
        });
    }

    @Override
    public void onWritable() {
        assert channel.eventLoop().inEventLoop();
        while (stream != null && !waiting.isEmpty() && stream.writable()) {
            stream.write(waiting.remove());
        }
        if (stream != null && inputEnded && waiting.isEmpty()) {
            stream.finish();
        }
        goOnReading();
    }

    @Override
    public void onDone() {
        assert channel.eventLoop().inEventLoop();
        stream = null;
        channel.config().setOption(ChannelOption.SO_LINGER, ForwardSockets.CLOSED_IN_ORDER);
        channel.close();
    }

    @Override
    public void onEnded(CloseReason closeReason, String text) {
        assert channel.eventLoop().inEventLoop();
        stream = null;
        channel.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        waiting.add((ByteBuf) message);
        onWritable();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            inputEnded = true;
            onWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        waiting.forEach(ByteBuf::release);
        waiting.clear();
        giveUp("the connection was broken off");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        broken(cause);
    }

    private void broken(Throwable cause) {
        giveUp("the connection broke: " + Causes.text(cause));
        channel.close();
    }

    private void giveUp(String why) {
        if (stream != null) {
            LinkStream over = stream;
            stream = null;
            over.end(CloseReason.NORMAL, why);
        }
    }

    private void goOnReading() {
        channel.config().setAutoRead(stream != null && waiting.isEmpty() && !inputEnded && stream.writable());
    }
}
