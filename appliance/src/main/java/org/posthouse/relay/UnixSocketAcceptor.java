package org.posthouse.relay;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.relay.io.NettyByteSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Unix socket beside the port, for ranks of the relay's own host. A virtual thread accepts, because Netty does not
 * give away the sockets it accepts. Connections are written without Netty ({@link NettyByteSink}).
 */
final class UnixSocketAcceptor {
    private static final Logger LOG = LoggerFactory.getLogger(UnixSocketAcceptor.class);

    private final ServerSocketChannel listening;
    private final Path socket;

    private UnixSocketAcceptor(ServerSocketChannel listening, Path socket) {
        this.listening = listening;
        this.socket = socket;
    }

    /**
     * Opens the socket of a relay that listens at this port.
     *
     * @param visitors called on the loop with each connection
     */
    static UnixSocketAcceptor open(LocalSockets sockets, InetSocketAddress port, EventLoop loop, Consumer<SocketChannel> visitors) throws IOException {
        Path socket = sockets.prepare(port);
        ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listening.bind(UnixDomainSocketAddress.of(socket), RankAcceptor.ACCEPT_BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw new IOException(socket + ": " + Causes.text(e), e);
        }
        UnixSocketAcceptor door = new UnixSocketAcceptor(listening, socket);
        Thread.ofVirtual().name("posthouse-local-door").start(() -> door.accept(loop, visitors));
        Thread.ofVirtual().name("posthouse-local-sweep").start(() -> sweep(sockets));
        return door;
    }

    private static void sweep(LocalSockets sockets) {
        try {
            sockets.sweep();
        } catch (IOException e) {
            LOG.warn("sockets of relays that were killed stay in {}: {}", sockets.folder(), e.toString());
        }
    }

    private void accept(EventLoop loop, Consumer<SocketChannel> visitors) {
        while (listening.isOpen()) {
            try {
                SocketChannel visitor = listening.accept();
                loop.execute(() -> show(visitor, visitors));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.warn("cannot accept connections at {}, pausing {} ms: {}", socket, RankAcceptor.ACCEPT_PAUSE_MS, e.toString());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RankAcceptor.ACCEPT_PAUSE_MS));
            }
        }
    }

    private void show(SocketChannel visitor, Consumer<SocketChannel> visitors) {
        if (listening.isOpen()) {
            visitors.accept(visitor);
            return;
        }
        try {
            visitor.close();
        } catch (IOException e) {
            LOG.debug("closing a connection that came too late: {}", e.toString());
        }
    }

    /** The socket's path. */
    @Override
    public String toString() {
        return socket.toString();
    }

    /** Stops accepting and removes the socket. Called on the loop. */
    void close() {
        try {
            listening.close();
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            LOG.warn("the local socket {} stays behind: {}", socket, e.toString());
        }
    }
}
