package org.posthouse.tunnel;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.TimeUnit;

/**
 * Listens for peers and lets in those that the grid's authority vouches for. Confined to the relay's context.
 *
 * <p>Limits: at most {@code connectionsMax} accepted connections are open, counted from the first packet on, and
 * each has {@code handshakeMs} and {@code helloMs} to say who it is.
 */
final class LinkAcceptor {
    private final Links links;
    private final NetServer server;
    private int open;

    LinkAcceptor(Links links, Vertx vertx) {
        this.links = links;
        LinkTimeouts timeouts = links.config().timeouts();
        NetServerOptions options = new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                // A last resort behind the times of the handshake and of the link itself.
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(timeouts.handshakeMs() + timeouts.helloMs() + 2 * timeouts.silenceMs());
        this.server = vertx.createNetServer(options).connectHandler(this::onConnection);
    }

    Future<Void> listen() {
        LinkConfig config = links.config();
        return server.listen(config.listenPort(), config.listenHost()).mapEmpty();
    }

    int port() {
        return server.actualPort();
    }

    Future<Void> close() {
        return server.close();
    }

    private void onConnection(NetSocket socket) {
        String remote = String.valueOf(socket.remoteAddress());
        if (open >= links.config().connectionsMax()) {
            String detail = open + " accepted connections are open, the most allowed";
            links.refusalCounter().count(Refusal.LIMIT, remote, detail);
            socket.close();
            return;
        }
        open++;
        ((NetSocketInternal) socket).channelHandlerContext().channel().closeFuture().addListener(closed -> open--);
        links.tls().secure(socket, false, new LinkTls.Outcome() {
            @Override
            public void onSecured(SiteCertificate peer) {
                new LinkConnection(links, peer).attach(socket);
            }

            @Override
            public void onRefused(Refusal kind, String detail) {
                links.refusalCounter().count(kind, remote, detail);
            }
        });
    }
}
