package org.posthouse.tunnel.forward;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.function.Consumer;
import org.posthouse.wire.Wire;

/**
 * Creates the sockets of streams, all on the relay's loop. They are Netty's and not Vert.x's. One direction may end
 * before the other, and a port can stop listening without closing its accepted connections.
 */
final class ForwardSockets {
    private static final int CONNECT_MS = 5_000;
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;
    private static final int BACKLOG = 256;

    /**
     * Value of {@link ChannelOption#SO_LINGER}: a close resets the socket, even if the system closes it after this
     * process was killed.
     */
    private static final int RESET = 0;

    /** Value of the same option: pending bytes are sent, and then an end. */
    static final int CLOSED_IN_ORDER = -1;

    private final EventLoop loop;
    private final VertxInternal vertx;

    ForwardSockets(ContextInternal context) {
        loop = context.nettyEventLoop();
        vertx = context.owner();
    }

    EventLoop loop() {
        return loop;
    }

    /** A bootstrap for outgoing connections; {@code handler} becomes their handler. */
    Bootstrap client(ChannelHandler handler) {
        return new Bootstrap()
                .group(loop)
                .channelFactory(vertx.transport().channelFactory(false))
                .resolver(vertx.nameResolver().nettyAddressResolverGroup())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.SO_LINGER, RESET)
                .option(ChannelOption.RECVBUF_ALLOCATOR, readSizes())
                .handler(handler);
    }

    /** @param taken receives each connection, on the loop, before anything is read from it */
    ServerBootstrap server(Consumer<Channel> taken) {
        return new ServerBootstrap()
                .group(loop)
                .channelFactory(vertx.transport().serverChannelFactory(false))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.SO_LINGER, RESET)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, readSizes())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        taken.accept(channel);
                    }
                });
    }

    /** Limits a read to the payload of one STREAM_DATA. */
    private static AdaptiveRecvByteBufAllocator readSizes() {
        return new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, Wire.PAYLOAD_BYTES_MAX);
    }
}
