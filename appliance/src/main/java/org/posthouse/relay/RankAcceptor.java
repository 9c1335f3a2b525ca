package org.posthouse.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.mpj.channel.TcpKeepalive;
import org.posthouse.relay.io.BlockingByteSink;
import org.posthouse.relay.io.ByteSink;
import org.posthouse.relay.io.ConnectionAddresses;
import org.posthouse.relay.io.NettyByteSink;
import org.posthouse.relay.io.RankChannel;
import org.posthouse.relay.io.ReadBuffers;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.threads.StrandExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranks' port. Accepts connections and assigns each to a reader according to the mode: an event loop, or a virtual
 * thread of its own. Confined to the relay's loop, on which it accepts.
 *
 * <p>It uses Netty itself, on Vert.x's loops and over Vert.x's transport. A Vert.x NetServer reads and writes its
 * connections only on the loops on which it was started (docs/adr/0011-shards-with-fixed-ranks-and-movable-threads.md).
 */
final class RankAcceptor {
    private static final Logger LOG = LoggerFactory.getLogger(RankAcceptor.class);
    static final int ACCEPT_BACKLOG = 1_024;

    /** Milliseconds without accepting after accept has failed, for instance for want of file descriptors. */
    static final int ACCEPT_PAUSE_MS = 1_000;

    /**
     * The times of {@link TcpKeepalive} as options of each kind of channel; a channel ignores the options of another
     * kind.
     */
    private static final Map<ChannelOption<Integer>, Integer> KEEPALIVE = Map.of(
            EpollChannelOption.TCP_KEEPIDLE, TcpKeepalive.IDLE_SECONDS,
            EpollChannelOption.TCP_KEEPINTVL, TcpKeepalive.INTERVAL_SECONDS,
            EpollChannelOption.TCP_KEEPCNT, TcpKeepalive.QUESTIONS,
            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), TcpKeepalive.IDLE_SECONDS,
            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), TcpKeepalive.INTERVAL_SECONDS,
            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), TcpKeepalive.QUESTIONS);

    /** Creates a connection from its outlet and the home of its emission. */
    interface Connections {
        Connection accept(ByteSink outlet, StrandExecutor emission);
    }

    private final VertxInternal vertx;
    private final EventLoop loop;
    private final Connections connections;

    /** TLS with the keys in force; empty without keys. */
    private final Supplier<Optional<PortTls>> tls;
    private Placement placement;
    private Channel listening;
    private UnixSocketAcceptor local;

    /** @param tls called on the loop for each connection */
    RankAcceptor(Vertx vertx, EventLoop loop, Placement placement, Supplier<Optional<PortTls>> tls, Connections connections) {
        this.tls = tls;
        this.vertx = (VertxInternal) vertx;
        this.loop = loop;
        this.placement = placement;
        this.connections = connections;
    }

    /** Changes the placement for new connections. */
    void moveTo(Placement next) {
        assert loop.inEventLoop();
        placement = next;
    }

    Future<Void> listen(String host, int port) {
        assert loop.inEventLoop();
        Channel channel = vertx.isNativeTransportEnabled()
                ? vertx.transport().serverChannelFactory(false).newChannel()
                : new RankChannel.Acceptor(this::blocking);
        channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        channel.config().setOption(ChannelOption.SO_BACKLOG, ACCEPT_BACKLOG);
        channel.pipeline().addLast(new Accepting());
        listening = channel;
        Promise<Void> bound = vertx.promise();
        loop.register(channel).addListener(registered -> channel.bind(new InetSocketAddress(host, port)).addListener(done -> {
            if (done.isSuccess()) {
                bound.complete();
            } else {
                channel.close();
                bound.fail(done.cause());
            }
        }));
        return bound.future();
    }

    /**
     * Also listens on a local socket for the ranks of this host; only over Java's own sockets.
     *
     * @throws IOException if that fails; these ranks then use the port
     */
    void listen(LocalSockets sockets) throws IOException {
        local = UnixSocketAcceptor.open(sockets, (InetSocketAddress) listening.localAddress(), loop, this::welcome);
    }

    /** Accepts a connection from this host. */
    private void welcome(SocketChannel socket) {
        assert loop.inEventLoop();
        try {
            LocalSockets.sized(socket);
            if (!blocking(socket)) {
                socket.configureBlocking(false);
                NioDomainSocketChannel channel = new NioDomainSocketChannel(null, socket);
                read(channel, new NettyByteSink(channel, socket, ConnectionAddresses.of(socket)), Optional.empty());
            }
        } catch (IOException e) {
            LOG.debug("a connection ended as it was accepted: {}", e.toString());
            drop(socket);
        }
    }

    int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** The local socket's address for the ranks of this host; empty if they use the port. */
    String local() {
        return local == null ? "" : local.toString();
    }

    /** Pauses accepting at the port; new connections then wait in the system's queue. */
    void pause(boolean pause) {
        assert loop.inEventLoop();
        listening.config().setAutoRead(!pause);
    }

    /** Stops accepting. */
    Future<Void> close() {
        assert loop.inEventLoop();
        if (listening == null) {
            return Future.succeededFuture();
        }
        if (local != null) {
            local.close();
        }
        Promise<Void> closed = Promise.promise();
        listening.close().addListener(done -> closed.complete());
        return closed.future();
    }

    private void readByPort(Channel channel) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        KEEPALIVE.forEach(channel.config()::setOption);
        read(channel, new NettyByteSink(channel), tls.get());
    }

    private void read(Channel channel, NettyByteSink outlet, Optional<PortTls> secured) {
        assert loop.inEventLoop();
        EventLoop reader = placement.receptionOfNext();
        Connection connection = connections.accept(outlet, placement.emission(reader));
        ReadBuffers buffers = new ReadBuffers(connection.frames());
        channel.config().setRecvByteBufAllocator(buffers);
        channel.pipeline().addLast(new ConnectionReader(connection));
        secured.ifPresent(port -> port.prepare(channel, connection, outlet, buffers));
        ChannelPromise registered = channel.newPromise();
        registered.addListener(done -> {
            if (done.isSuccess()) {
                outlet.arrive();
            } else {
                LOG.warn("a connection from {} cannot be read: {}", connection.line().remote(), done.cause().toString());
                channel.unsafe().closeForcibly();
                connection.onEnded();
            }
        });
        reader.register(registered); // The listener must run before the first byte is read.
    }

    /**
     * Accepts the connection if the mode reads in blocking style. A loop reads those that may be TLS, of other hosts.
     *
     * @return false if it does not
     */
    private boolean blocking(SocketChannel socket) {
        assert loop.inEventLoop();
        if (!placement.blocks()) {
            return false;
        }
        try {
            ConnectionAddresses ends = ConnectionAddresses.of(socket);
            if (!ends.isWithinHost() && tls.get().isPresent()) {
                return false;
            }
            if (socket.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                TcpKeepalive.set(socket);
            }
            socket.configureBlocking(true);
            BlockingByteSink outlet = new BlockingByteSink(socket, ends);
            Connection connection = connections.accept(outlet, placement.emission(loop));
            Thread.ofVirtual().name("posthouse-rank-" + ends).start(new BlockingReader(socket, outlet, connection));
        } catch (IOException e) {
            // It ended before it began.
            LOG.debug("a connection ended as it was accepted: {}", e.toString());
            drop(socket);
        }
        return true;
    }

    private static void drop(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Accepting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            readByPort((Channel) accepted);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.warn("cannot accept connections, pausing {} ms: {}", ACCEPT_PAUSE_MS, cause.toString());
            context.channel().config().setAutoRead(false);
            loop.schedule(() -> context.channel().config().setAutoRead(true), ACCEPT_PAUSE_MS, TimeUnit.MILLISECONDS);
        }
    }
}
